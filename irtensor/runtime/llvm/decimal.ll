; Numbers of digits and powers of ten. One of up to 19 digits is scaled by a power of ten whose first 128 bits are
; known: D. Lemire, Number parsing at a gigabyte per second, 2021.

; The first byte from %from on that is not a zero.
define internal i64 @zeros.end(ptr %text, i64 %from, i64 %end) alwaysinline nounwind {
entry:
  br label %look
look:
  %p = phi i64 [ %from, %entry ], [ %next, %more.of.them ]
  %some = icmp ult i64 %p, %end
  br i1 %some, label %check, label %done
check:
  %at = getelementptr i8, ptr %text, i64 %p
  %c = load i8, ptr %at
  %on = icmp eq i8 %c, 48
  br i1 %on, label %more.of.them, label %done
more.of.them:
  %next = add i64 %p, 1
  br label %look
done:
  ret i64 %p
}

declare i64 @llvm.ctlz.i64(i64, i1)

; The digits from %from on appended to a number, and where they end. Too many are not noticed.
define internal { i64, i64 } @digits(ptr %text, i64 %from, i64 %end, i64 %number) alwaysinline nounwind {
entry:
  br label %eight
eight: ; as long as there are eight, in three multiplications
  %e = phi i64 [ %from, %entry ], [ %e.next, %eight.digits ]
  %e.number = phi i64 [ %number, %entry ], [ %e.sum, %eight.digits ]
  %e.next = add i64 %e, 8
  %fits = icmp ule i64 %e.next, %end
  br i1 %fits, label %eight.check, label %one
eight.check:
  %e.at = getelementptr i8, ptr %text, i64 %e
  %word = load i64, ptr %e.at, align 1
  %upper = and i64 %word, -1085102592571150096
  %above = add i64 %word, 434041037028460038
  %above.upper = and i64 %above, -1085102592571150096
  %above.moved = lshr i64 %above.upper, 4
  %both = or i64 %upper, %above.moved
  %digits = icmp eq i64 %both, 3689348814741910323
  br i1 %digits, label %eight.digits, label %one
eight.digits:
  %values = sub i64 %word, 3472328296227680304
  %tens = mul i64 %values, 10
  %moved = lshr i64 %values, 8
  %pairs = add i64 %tens, %moved
  %even = and i64 %pairs, 1095216660735
  %even.part = mul i64 %even, 4294967296000100
  %shifted = lshr i64 %pairs, 16
  %odd = and i64 %shifted, 1095216660735
  %odd.part = mul i64 %odd, 42949672960001
  %whole = add i64 %even.part, %odd.part
  %eight.number = lshr i64 %whole, 32
  %e.scaled = mul i64 %e.number, 100000000
  %e.sum = add i64 %e.scaled, %eight.number
  br label %eight
one:
  %p = phi i64 [ %e, %eight ], [ %e, %eight.check ], [ %next, %on ]
  %n = phi i64 [ %e.number, %eight ], [ %e.number, %eight.check ], [ %sum, %on ]
  %more = icmp ult i64 %p, %end
  br i1 %more, label %check, label %done
check:
  %at = getelementptr i8, ptr %text, i64 %p
  %c = load i8, ptr %at
  %value = sub i8 %c, 48
  %digit = icmp ult i8 %value, 10
  br i1 %digit, label %on, label %done
on:
  %scaled = mul i64 %n, 10
  %units = zext i8 %value to i64
  %sum = add i64 %scaled, %units
  %next = add i64 %p, 1
  br label %one
done:
  %first = insertvalue { i64, i64 } poison, i64 %n, 0
  %result = insertvalue { i64, i64 } %first, i64 %p, 1
  ret { i64, i64 } %result
}

; The bits of the float64 next to %number times ten to the %power; -1 if it is not a normal number.
define internal i64 @scaled(i64 %number, i64 %power, ptr %powers) nounwind {
entry:
  %zero = icmp eq i64 %number, 0
  br i1 %zero, label %nothing, label %ranged
nothing:
  ret i64 0
ranged:
  %row = add i64 %power, 342
  %known = icmp ule i64 %row, 650
  br i1 %known, label %scale, label %refused
refused:
  ret i64 -1
scale:
  %leading = call i64 @llvm.ctlz.i64(i64 %number, i1 true)
  %w = shl i64 %number, %leading
  %word = shl i64 %row, 1
  %upper.at = getelementptr i64, ptr %powers, i64 %word
  %upper = load i64, ptr %upper.at
  %w.wide = zext i64 %w to i128
  %upper.wide = zext i64 %upper to i128
  %first = mul i128 %w.wide, %upper.wide
  %first.moved = lshr i128 %first, 64
  %first.high = trunc i128 %first.moved to i64
  %tail = and i64 %first.high, 511
  %short = icmp eq i64 %tail, 511
  br i1 %short, label %refine, label %round
refine: ; the lower half may carry into what counts
  %lower.at = getelementptr i64, ptr %upper.at, i64 1
  %lower = load i64, ptr %lower.at
  %lower.wide = zext i64 %lower to i128
  %second = mul i128 %w.wide, %lower.wide
  %second.moved = lshr i128 %second, 64
  %refined = add i128 %first, %second.moved
  br label %round
round:
  %product = phi i128 [ %first, %scale ], [ %refined, %refine ]
  %low = trunc i128 %product to i64
  %product.moved = lshr i128 %product, 64
  %high = trunc i128 %product.moved to i64
  %top = lshr i64 %high, 63
  %shift = add i64 %top, 9
  %kept = lshr i64 %high, %shift
  %binary.all = mul i64 %power, 217706
  %binary = ashr i64 %binary.all, 16
  %binary.top = add i64 %binary, %top
  %binary.number = sub i64 %binary.top, %leading
  %exponent = add i64 %binary.number, 1086
  ; halfway between two, which only powers near zero can be: to the even one
  %low.none = icmp ule i64 %low, 1
  %near.offset = add i64 %power, 4
  %near = icmp ule i64 %near.offset, 27
  %kept.tail = and i64 %kept, 3
  %kept.one = icmp eq i64 %kept.tail, 1
  %back = shl i64 %kept, %shift
  %exact = icmp eq i64 %back, %high
  %half.1 = and i1 %low.none, %near
  %half.2 = and i1 %kept.one, %exact
  %half = and i1 %half.1, %half.2
  %down = zext i1 %half to i64
  %rounded.from = sub i64 %kept, %down
  %last = and i64 %rounded.from, 1
  %rounded.twice = add i64 %rounded.from, %last
  %rounded = lshr i64 %rounded.twice, 1
  ; of the mantissa the first bit is understood; one that was rounded up to the next power of two adds to the exponent
  %carried = lshr i64 %rounded, 53
  %exponent.carried = add i64 %exponent, %carried
  %halved = lshr i64 %rounded, %carried
  %fraction = and i64 %halved, 4503599627370495
  %exponent.before = sub i64 %exponent.carried, 1
  %normal = icmp ult i64 %exponent.before, 2046
  %not.before = icmp sgt i64 %exponent, 0
  %fine = and i1 %normal, %not.before
  %exponent.bits = shl i64 %exponent.carried, 52
  %bits = or i64 %exponent.bits, %fraction
  %result = select i1 %fine, i64 %bits, i64 -1
  ret i64 %result
}
