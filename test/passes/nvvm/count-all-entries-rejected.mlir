// RUN: irtensor-opt %s -p count-all-entries | filecheck %s
// RUN: not irtensor-opt %s -p 'count-all-entries,count-entries' 2>&1 | filecheck %s --check-prefix=MARKED

// Which entries there are depends on what was stored: the loop appends as before. Where it is marked, that is an error.
// CHECK-LABEL: func.func @what_was_stored(
// CHECK:       loop.for %i = %c0 to %n attributes {counted} {
// CHECK:       loop.reserve %y
// CHECK:       loop.append
// CHECK:       func.return
// MARKED:      error: [illegal-assemble] assemble: what the loop over i appends cannot be counted before: which entries there are depends on earlier stores
func.func @what_was_stored(%n: index, %x: !loop.buffer<index>, %y: !loop.growable<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.counter
  loop.for %i = %c0 to %n attributes {counted} {
    %q = loop.count %count
    %more = arith.addi %q, %c1 : index
    loop.reserve %y, %more : index
    %data = loop.data %y : index
    %a = loop.load %x[%i] : index
    loop.store %a, %data[%q] : index
    %first = loop.load %data[%c0] : index
    %c = arith.cmpi ne, %first, %c0 : index
    loop.if %c {
      loop.append %c1 to %count
    }
  }
  loop.assembled %y, %count * %c1 + %c0 : !loop.growable<index>
  func.return
}
