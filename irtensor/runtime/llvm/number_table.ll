; Lines of decimal numbers are read into columns: each byte is looked at once; behind decimal.ll. The caller gets what it
; does not know, which is any mistake, and numbers with more digits than a word holds, one by one.

; The end of the line that %from is in.
define internal i64 @line.end(ptr %text, i64 %from, i64 %end) alwaysinline nounwind {
entry:
  br label %look
look:
  %p = phi i64 [ %from, %entry ], [ %next, %more.of.them ]
  %some = icmp ult i64 %p, %end
  br i1 %some, label %check, label %done
check:
  %at = getelementptr i8, ptr %text, i64 %p
  %c = load i8, ptr %at
  %on = icmp ne i8 %c, 10
  br i1 %on, label %more.of.them, label %done
more.of.them:
  %next = add i64 %p, 1
  br label %look
done:
  ret i64 %p
}

; The first byte from %from on that is not a blank.
define internal i64 @blanks.end(ptr %text, i64 %from, i64 %end) alwaysinline nounwind {
entry:
  br label %look
look:
  %p = phi i64 [ %from, %entry ], [ %next, %more.of.them ]
  %some = icmp ult i64 %p, %end
  br i1 %some, label %check, label %done
check:
  %at = getelementptr i8, ptr %text, i64 %p
  %c = load i8, ptr %at
  %space = icmp eq i8 %c, 32
  %tab = icmp eq i8 %c, 9
  %on = or i1 %space, %tab
  br i1 %on, label %more.of.them, label %done
more.of.them:
  %next = add i64 %p, 1
  br label %look
done:
  ret i64 %p
}

; `parse` fills columns with the numbers of up to %rows lines from the first of %state on: %whole columns of integers,
; then those of float64, %width in all. It returns the number of lines, -1 if there is anything unusual; %state then
; has the byte after them, and how many numbers are in %hard: begin, end, line and column of each.
define i64 @parse(ptr noalias %text, i64 %end, i64 %rows, i64 %whole, i64 %width, i64 %comment.code,
    ptr noalias %columns, ptr noalias %powers, ptr noalias %hard, i64 %hard.room, ptr noalias %state) nounwind {
entry:
  %comment = trunc i64 %comment.code to i8
  %from = load i64, ptr %state
  %last.hard = sub i64 %hard.room, %width
  br label %line
line:
  %r = phi i64 [ 0, %entry ], [ %r.next, %line.done ]
  %h = phi i64 [ 0, %entry ], [ %t.hard, %line.done ]
  %start = phi i64 [ %from, %entry ], [ %after, %line.done ]
  br label %skip
skip: ; blanks, lines without numbers, and comments
  %s = phi i64 [ %start, %line ], [ %s.next, %skip.one ], [ %s.line, %skip.comment ]
  %s.more = icmp ult i64 %s, %end
  br i1 %s.more, label %skip.look, label %done
skip.look:
  %s.at = getelementptr i8, ptr %text, i64 %s
  %s.c = load i8, ptr %s.at
  %s.next = add i64 %s, 1
  switch i8 %s.c, label %skip.other [
    i8 32, label %skip.one
    i8 9, label %skip.one
    i8 10, label %skip.one
    i8 13, label %skip.return
  ]
skip.one:
  br label %skip
skip.return:
  %s.pair = call i1 @is.line.feed(ptr %text, i64 %s.next, i64 %end)
  br i1 %s.pair, label %skip.one, label %refused
skip.other:
  %s.comment = icmp eq i8 %s.c, %comment
  br i1 %s.comment, label %skip.comment, label %first
skip.comment:
  %s.line = call i64 @line.end(ptr %text, i64 %s, i64 %end)
  br label %skip
first:
  %room = icmp ult i64 %r, %rows
  %room.hard = icmp ule i64 %h, %last.hard
  %room.both = and i1 %room, %room.hard
  br i1 %room.both, label %token, label %done

token:
  %k = phi i64 [ 0, %first ], [ %k.next, %between ]
  %t = phi i64 [ %s, %first ], [ %blanks, %between ]
  %kh = phi i64 [ %h, %first ], [ %t.hard, %between ]
  %t.at = getelementptr i8, ptr %text, i64 %t
  %t.c = load i8, ptr %t.at
  %minus = icmp eq i8 %t.c, 45
  %plus = icmp eq i8 %t.c, 43
  %sign = or i1 %minus, %plus
  %sign.size = zext i1 %sign to i64
  %d = add i64 %t, %sign.size
  %column.at = getelementptr ptr, ptr %columns, i64 %k
  %column = load ptr, ptr %column.at
  %element = getelementptr i64, ptr %column, i64 %r
  %is.whole = icmp ult i64 %k, %whole
  br i1 %is.whole, label %integer, label %real

integer:
  %i.all = call { i64, i64 } @digits(ptr %text, i64 %d, i64 %end, i64 0)
  %i.number = extractvalue { i64, i64 } %i.all, 0
  %i.end = extractvalue { i64, i64 } %i.all, 1
  %i.count = sub i64 %i.end, %d
  %i.none = icmp eq i64 %i.count, 0
  br i1 %i.none, label %refused, label %integer.some
integer.some:
  %i.negative = sub i64 0, %i.number
  %i.signed = select i1 %minus, i64 %i.negative, i64 %i.number
  %i.easy = icmp ult i64 %i.count, 19
  br label %store

real:
  %zeros = call i64 @zeros.end(ptr %text, i64 %d, i64 %end)
  %w.all = call { i64, i64 } @digits(ptr %text, i64 %zeros, i64 %end, i64 0)
  %w.number = extractvalue { i64, i64 } %w.all, 0
  %w.end = extractvalue { i64, i64 } %w.all, 1
  %w.some = sub i64 %w.end, %d
  %w.count = sub i64 %w.end, %zeros
  %w.more = icmp ult i64 %w.end, %end
  br i1 %w.more, label %point, label %scale.all
point:
  %p.at = getelementptr i8, ptr %text, i64 %w.end
  %p.c = load i8, ptr %p.at
  %p.is = icmp eq i8 %p.c, 46
  br i1 %p.is, label %fraction, label %exponent
fraction:
  %f.begin = add i64 %w.end, 1
  %f.small = icmp eq i64 %w.count, 0
  br i1 %f.small, label %fraction.zeros, label %fraction.digits
fraction.zeros:
  %f.zeros = call i64 @zeros.end(ptr %text, i64 %f.begin, i64 %end)
  br label %fraction.digits
fraction.digits:
  %f.from = phi i64 [ %f.begin, %fraction ], [ %f.zeros, %fraction.zeros ]
  %f.all = call { i64, i64 } @digits(ptr %text, i64 %f.from, i64 %end, i64 %w.number)
  %f.number = extractvalue { i64, i64 } %f.all, 0
  %f.end = extractvalue { i64, i64 } %f.all, 1
  %f.power = sub i64 %f.begin, %f.end
  %f.some = sub i64 %w.some, %f.power
  %f.new = sub i64 %f.end, %f.from
  %f.count = add i64 %w.count, %f.new
  %f.more = icmp ult i64 %f.end, %end
  br i1 %f.more, label %exponent, label %scale.all
exponent:
  %x.at = phi i64 [ %w.end, %point ], [ %f.end, %fraction.digits ]
  %x.number = phi i64 [ %w.number, %point ], [ %f.number, %fraction.digits ]
  %x.power = phi i64 [ 0, %point ], [ %f.power, %fraction.digits ]
  %x.some = phi i64 [ %w.some, %point ], [ %f.some, %fraction.digits ]
  %x.count = phi i64 [ %w.count, %point ], [ %f.count, %fraction.digits ]
  %x.c.at = getelementptr i8, ptr %text, i64 %x.at
  %x.c = load i8, ptr %x.c.at
  %x.small = or i8 %x.c, 32
  %x.is.e = icmp eq i8 %x.small, 101
  %x.is.d = icmp eq i8 %x.small, 100
  %x.is = or i1 %x.is.e, %x.is.d
  br i1 %x.is, label %exponent.sign, label %scale.all
exponent.sign:
  %x.sign.at = add i64 %x.at, 1
  %x.more = icmp ult i64 %x.sign.at, %end
  br i1 %x.more, label %exponent.some, label %refused
exponent.some:
  %x.s.at = getelementptr i8, ptr %text, i64 %x.sign.at
  %x.s = load i8, ptr %x.s.at
  %x.minus = icmp eq i8 %x.s, 45
  %x.plus = icmp eq i8 %x.s, 43
  %x.sign = or i1 %x.minus, %x.plus
  %x.sign.size = zext i1 %x.sign to i64
  %x.from = add i64 %x.sign.at, %x.sign.size
  %x.all = call { i64, i64 } @digits(ptr %text, i64 %x.from, i64 %end, i64 0)
  %x.value = extractvalue { i64, i64 } %x.all, 0
  %x.end = extractvalue { i64, i64 } %x.all, 1
  %x.digits = sub i64 %x.end, %x.from
  %x.none = icmp eq i64 %x.digits, 0
  br i1 %x.none, label %refused, label %exponent.done
exponent.done:
  %x.long = icmp ugt i64 %x.digits, 5
  %x.negative = sub i64 0, %x.value
  %x.signed = select i1 %x.minus, i64 %x.negative, i64 %x.value
  %x.total = add i64 %x.power, %x.signed
  ; one that is too long to be added up is not known by any power
  %x.known = select i1 %x.long, i64 100000, i64 %x.total
  br label %scale.all

scale.all:
  %n.number = phi i64 [ %w.number, %real ], [ %f.number, %fraction.digits ], [ %x.number, %exponent ],
    [ %x.number, %exponent.done ]
  %n.power = phi i64 [ 0, %real ], [ %f.power, %fraction.digits ], [ %x.power, %exponent ], [ %x.known, %exponent.done ]
  %n.some = phi i64 [ %w.some, %real ], [ %f.some, %fraction.digits ], [ %x.some, %exponent ],
    [ %x.some, %exponent.done ]
  %n.count = phi i64 [ %w.count, %real ], [ %f.count, %fraction.digits ], [ %x.count, %exponent ],
    [ %x.count, %exponent.done ]
  %n.end = phi i64 [ %w.end, %real ], [ %f.end, %fraction.digits ], [ %x.at, %exponent ], [ %x.end, %exponent.done ]
  %n.none = icmp eq i64 %n.some, 0
  br i1 %n.none, label %refused, label %scale
scale:
  %n.bits = call i64 @scaled(i64 %n.number, i64 %n.power, ptr %powers)
  %n.short = icmp ult i64 %n.count, 20
  %n.normal = icmp ne i64 %n.bits, -1
  %n.easy = and i1 %n.short, %n.normal
  %n.minus = zext i1 %minus to i64
  %n.sign = shl i64 %n.minus, 63
  %n.signed = or i64 %n.bits, %n.sign
  br label %store

store:
  %v = phi i64 [ %i.signed, %integer.some ], [ %n.signed, %scale ]
  %v.end = phi i64 [ %i.end, %integer.some ], [ %n.end, %scale ]
  %v.easy = phi i1 [ %i.easy, %integer.some ], [ %n.easy, %scale ]
  store i64 %v, ptr %element
  br i1 %v.easy, label %token.end, label %leave
leave:
  %h.word = shl i64 %kh, 2
  %h.begin = getelementptr i64, ptr %hard, i64 %h.word
  store i64 %t, ptr %h.begin
  %h.end = getelementptr i64, ptr %h.begin, i64 1
  store i64 %v.end, ptr %h.end
  %h.row = getelementptr i64, ptr %h.begin, i64 2
  store i64 %r, ptr %h.row
  %h.column = getelementptr i64, ptr %h.begin, i64 3
  store i64 %k, ptr %h.column
  %h.next = add i64 %kh, 1
  br label %token.end

token.end: ; the number is followed by a blank, or by the end of the line
  %t.hard = phi i64 [ %kh, %store ], [ %h.next, %leave ]
  %k.next = add i64 %k, 1
  %k.last = icmp eq i64 %k.next, %width
  %blanks = call i64 @blanks.end(ptr %text, i64 %v.end, i64 %end)
  %b.more = icmp ult i64 %blanks, %end
  br i1 %b.more, label %token.next, label %text.end
text.end:
  br i1 %k.last, label %line.done, label %refused
token.next:
  %b.at = getelementptr i8, ptr %text, i64 %blanks
  %b.c = load i8, ptr %b.at
  %b.some = icmp ugt i64 %blanks, %v.end
  br i1 %k.last, label %line.last, label %between.check
between.check:
  br i1 %b.some, label %between, label %refused
between:
  br label %token
line.last:
  %b.next = add i64 %blanks, 1
  switch i8 %b.c, label %line.comment [
    i8 10, label %line.done
    i8 13, label %line.return
  ]
line.return:
  %b.pair = call i1 @is.line.feed(ptr %text, i64 %b.next, i64 %end)
  br i1 %b.pair, label %line.done, label %refused
line.comment:
  %b.comment = icmp eq i8 %b.c, %comment
  %b.both = and i1 %b.comment, %b.some
  br i1 %b.both, label %line.skip, label %refused
line.skip:
  %b.line = call i64 @line.end(ptr %text, i64 %blanks, i64 %end)
  br label %line.done
line.done:
  %after = phi i64 [ %blanks, %text.end ], [ %b.next, %line.last ], [ %b.next, %line.return ], [ %b.line, %line.skip ]
  %r.next = add i64 %r, 1
  br label %line

done:
  store i64 %s, ptr %state
  %hard.count = getelementptr i64, ptr %state, i64 1
  store i64 %h, ptr %hard.count
  ret i64 %r
refused:
  ret i64 -1
}

define internal i1 @is.line.feed(ptr %text, i64 %p, i64 %end) nounwind {
entry:
  %more = icmp ult i64 %p, %end
  br i1 %more, label %check, label %no
check:
  %at = getelementptr i8, ptr %text, i64 %p
  %c = load i8, ptr %at
  %is = icmp eq i8 %c, 10
  ret i1 %is
no:
  ret i1 false
}
