; Segments of coordinates are put into blocks and taken out again; regroup_segments_code has the values of `$...$`.

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; A number of 32 bits by another one, whose inverse is 2^63 over it, rounded up: to divide takes four times as long.
define internal i64 @quotient(i64 %number, i64 %inverse) alwaysinline nounwind {
  %wide = zext i64 %number to i128
  %wide.inverse = zext i64 %inverse to i128
  %product = mul i128 %wide, %wide.inverse
  %moved = lshr i128 %product, 63
  %result = trunc i128 %moved to i64
  ret i64 %result
}

; The coordinate at %p, -1 from %end on; of the elements there is one at least.
define internal i64 @current(ptr %crd, i64 %p, i64 %end) alwaysinline nounwind {
entry:
  %last = sub i64 %end, 1
  %some = icmp slt i64 %p, %end
  %before = select i1 %some, i64 %p, i64 %last
  %negative = icmp slt i64 %before, 0
  %readable = select i1 %negative, i64 0, i64 %before
  %at = getelementptr $crd$, ptr %crd, i64 %readable
  %own = load $crd$, ptr %at
  %coordinate = $wide.crd$(%own)
  %result = select i1 %some, i64 %coordinate, i64 -1
  ret i64 %result
}

; For each segment of a row of blocks where it begins and ends, and its first coordinate; how many there are.
define internal i64 @enter(ptr %pos, ptr %crd, i64 %segments, i64 %height, ptr %cursors, i64 %row)
    alwaysinline nounwind {
entry:
  %first = mul i64 %row, %height
  %left = sub i64 %segments, %first
  %ragged = icmp slt i64 %left, %height
  %number = select i1 %ragged, i64 %left, i64 %height
  br label %one
one:
  %k = phi i64 [ 0, %entry ], [ %next, %one ]
  %segment = add i64 %first, %k
  %next = add i64 %k, 1
  %at = getelementptr $pos$, ptr %pos, i64 %segment
  %own = load $pos$, ptr %at
  %begin = $wide.pos$(%own)
  %end.at = getelementptr $pos$, ptr %at, i64 1
  %end.own = load $pos$, ptr %end.at
  %end = $wide.pos$(%end.own)
  %coordinate = call i64 @current(ptr %crd, i64 %begin, i64 %end)
  %cursor = getelementptr [3 x i64], ptr %cursors, i64 %k
  store i64 %begin, ptr %cursor
  %cursor.end = getelementptr i64, ptr %cursor, i64 1
  store i64 %end, ptr %cursor.end
  %cursor.coordinate = getelementptr i64, ptr %cursor, i64 2
  store i64 %coordinate, ptr %cursor.coordinate
  %on = icmp slt i64 %next, %number
  br i1 %on, label %one, label %done
done:
  ret i64 %number
}

; The least coordinate that segments come to next, as a number without sign; -1 if none does.
define internal i64 @least(ptr %cursors, i64 %number) alwaysinline nounwind {
entry:
  br label %one
one:
  %k = phi i64 [ 0, %entry ], [ %next, %one ]
  %least = phi i64 [ -1, %entry ], [ %smaller, %one ]
  %cursor = getelementptr [3 x i64], ptr %cursors, i64 %k
  %cursor.coordinate = getelementptr i64, ptr %cursor, i64 2
  %coordinate = load i64, ptr %cursor.coordinate
  %under = icmp ult i64 %coordinate, %least
  %smaller = select i1 %under, i64 %coordinate, i64 %least
  %next = add i64 %k, 1
  %on = icmp slt i64 %next, %number
  br i1 %on, label %one, label %done
done:
  ret i64 %smaller
}

; How many blocks each row from %from to %to has, at the position behind its own; all of %ends is zero before.
define zeroext i1 @count(ptr noalias %pos, ptr noalias %crd, i64 %segments, i64 %extent, i64 %height, i64 %width,
    i64 %inverse, ptr noalias %ends, ptr noalias %cursors, i64 %from, i64 %to) nounwind {
entry:
  br label %row
row:
  %r = phi i64 [ %from, %entry ], [ %r.next, %row.end ]
  %r.some = icmp slt i64 %r, %to
  br i1 %r.some, label %row.begin, label %done
row.begin:
  %number = call i64 @enter(ptr %pos, ptr %crd, i64 %segments, i64 %height, ptr %cursors, i64 %r)
  br label %block
block:
  %count = phi i64 [ 0, %row.begin ], [ %count.next, %skipped ]
  %least = call i64 @least(ptr %cursors, i64 %number)
  %none = icmp eq i64 %least, -1
  br i1 %none, label %row.end, label %open
open:
  %inside = icmp ult i64 %least, %extent
  br i1 %inside, label %skip, label %refused
skip:
  %column = call i64 @quotient(i64 %least, i64 %inverse)
  %start = mul i64 %column, %width
  br label %segment
$count$skipped:
  %count.next = add i64 %count, 1
  br label %block
row.end:
  %r.next = add i64 %r, 1
  %ends.at = getelementptr $pos$, ptr %ends, i64 %r.next
  %count.own = $narrow.pos$(%count)
  store $pos$ %count.own, ptr %ends.at
  br label %row
done:
  ret i1 true
refused:
  ret i1 false
}

; The blocks of the rows from %from to %to.
define zeroext i1 @gather(ptr noalias %pos, ptr noalias %crd, ptr noalias %vals, i64 %segments, i64 %height,
    i64 %width, i64 %inverse, i64 %height.step, i64 %width.step, ptr noalias %ends, ptr noalias %numbers,
    ptr noalias %elements, ptr noalias %fill, i64 %zero, ptr noalias %cursors, i64 %from, i64 %to) nounwind {
entry:
  %size = mul i64 %height, %width
  %fill.element = load $element$, ptr %fill, align $align$
  %is.zero = icmp ne i64 %zero, 0
  %nowhere = getelementptr [3 x i64], ptr %cursors, i64 %height
  br label %row
row:
  %r = phi i64 [ %from, %entry ], [ %r.next, %row.end ]
  %r.some = icmp slt i64 %r, %to
  br i1 %r.some, label %row.begin, label %done
row.begin:
  %r.next = add i64 %r, 1
  %b.at = getelementptr $pos$, ptr %ends, i64 %r
  %b.own = load $pos$, ptr %b.at
  %b.first = $wide.pos$(%b.own)
  %b.end.at = getelementptr $pos$, ptr %ends, i64 %r.next
  %b.end.own = load $pos$, ptr %b.end.at
  %b.end = $wide.pos$(%b.end.own)
  %b.count = sub i64 %b.end, %b.first
  %f.count = mul i64 %b.count, %size
  %f.from = mul i64 %b.first, %size
  %f.to = getelementptr $element$, ptr %elements, i64 %f.from
  br i1 %is.zero, label %clear, label %fill.all
clear:
  %f.bytes = mul i64 %f.count, $size$
  call void @llvm.memset.p0.i64(ptr %f.to, i8 0, i64 %f.bytes, i1 false)
  br label %filled
fill.all:
  %f = phi i64 [ 0, %row.begin ], [ %f.next, %fill.one ]
  %f.on = icmp slt i64 %f, %f.count
  br i1 %f.on, label %fill.one, label %filled
fill.one:
  %f.at = getelementptr $element$, ptr %f.to, i64 %f
  store $element$ %fill.element, ptr %f.at, align $align$
  %f.next = add i64 %f, 1
  br label %fill.all
filled:
  %number = call i64 @enter(ptr %pos, ptr %crd, i64 %segments, i64 %height, ptr %cursors, i64 %r)
  br label %block
block:
  %b = phi i64 [ %b.first, %filled ], [ %b.next, %gathered ]
  %least = call i64 @least(ptr %cursors, i64 %number)
  %none = icmp eq i64 %least, -1
  br i1 %none, label %row.end, label %open
open: ; as many as have been counted, also if somebody has changed the arrays since
  %b.fits = icmp slt i64 %b, %b.end
  br i1 %b.fits, label %fits, label %refused
fits:
  %column = call i64 @quotient(i64 %least, i64 %inverse)
  %start = mul i64 %column, %width
  %column.own = $narrow.crd$(%column)
  %column.at = getelementptr $crd$, ptr %numbers, i64 %b
  store $crd$ %column.own, ptr %column.at
  %base = mul i64 %b, %size
  br label %segment
$gather$gathered:
  %b.next = add i64 %b, 1
  br label %block
row.end:
  %complete = icmp eq i64 %b, %b.end
  br i1 %complete, label %row, label %refused
done:
  ret i1 true
refused:
  ret i1 false
}

; The elements of the blocks of the rows from %from to %to that are not the fill value, behind %found others.
define i64 @scatter(ptr noalias %pos, ptr noalias %crd, ptr noalias %vals, i64 %segments, i64 %extent, i64 %height,
    i64 %width, i64 %height.step, i64 %width.step, ptr noalias %ends, ptr noalias %numbers, ptr noalias %elements,
    ptr noalias %fill, i64 %from, i64 %to, i64 %found) nounwind {
entry:
  %size = mul i64 %height, %width
  %fill.element = load $element$, ptr %fill, align $align$
  %first = mul i64 %from, %height
  %behind = mul i64 %to, %height
  %ragged = icmp slt i64 %segments, %behind
  %last = select i1 %ragged, i64 %segments, i64 %behind
  br label %segment
segment:
  %s = phi i64 [ %first, %entry ], [ %s.next, %segment.end ]
  %n = phi i64 [ %found, %entry ], [ %b.n, %segment.end ]
  %s.some = icmp slt i64 %s, %last
  br i1 %s.some, label %segment.begin, label %done
segment.begin:
  %row = udiv i64 %s, %height
  %row.first = mul i64 %row, %height
  %k = sub i64 %s, %row.first
  %k.step = mul i64 %k, %height.step
  %b.at = getelementptr $pos$, ptr %pos, i64 %row
  %b.own = load $pos$, ptr %b.at
  %b.first = $wide.pos$(%b.own)
  %b.end.at = getelementptr $pos$, ptr %b.at, i64 1
  %b.end.own = load $pos$, ptr %b.end.at
  %b.end = $wide.pos$(%b.end.own)
  br label %block
block:
  %b = phi i64 [ %b.first, %segment.begin ], [ %b.next, %block.end ]
  %b.n = phi i64 [ %n, %segment.begin ], [ %e.n, %block.end ]
  %b.some = icmp slt i64 %b, %b.end
  br i1 %b.some, label %block.begin, label %segment.end
block.begin:
  %c.at = getelementptr $crd$, ptr %crd, i64 %b
  %c.own = load $crd$, ptr %c.at
  %c = $wide.crd$(%c.own)
  %start = mul i64 %c, %width
  %left = sub i64 %extent, %start
  %cut = icmp slt i64 %left, %width
  %number = select i1 %cut, i64 %left, i64 %width
  %b.base = mul i64 %b, %size
  %base = add i64 %b.base, %k.step
  br label %one
one:
  %e = phi i64 [ 0, %block.begin ], [ %e.next, %listed ]
  %e.n = phi i64 [ %b.n, %block.begin ], [ %n.next, %listed ]
  %e.some = icmp slt i64 %e, %number
  br i1 %e.some, label %listed, label %block.end
listed: ; without a branch: an element that is not to stay is overwritten by the next one
  %e.step = mul i64 %e, %width.step
  %e.position = add i64 %base, %e.step
  %e.at = getelementptr $element$, ptr %vals, i64 %e.position
  %element = load $element$, ptr %e.at, align $align$
$differs$  %n.at = getelementptr $element$, ptr %elements, i64 %e.n
  store $element$ %element, ptr %n.at, align $align$
  %coordinate = add i64 %start, %e
  %coordinate.own = $narrow.crd$(%coordinate)
  %n.crd = getelementptr $crd$, ptr %numbers, i64 %e.n
  store $crd$ %coordinate.own, ptr %n.crd
  %one.more = zext i1 %differs to i64
  %n.next = add i64 %e.n, %one.more
  %e.next = add i64 %e, 1
  br label %one
block.end:
  %b.next = add i64 %b, 1
  br label %block
segment.end:
  %s.next = add i64 %s, 1
  %n.own = $narrow.pos$(%b.n)
  %s.at = getelementptr $pos$, ptr %ends, i64 %s.next
  store $pos$ %n.own, ptr %s.at
  br label %segment
done:
  ret i64 %n
}
