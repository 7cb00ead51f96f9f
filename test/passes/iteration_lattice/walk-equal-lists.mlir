// Lists that store the same coordinates are walked together, and points for what one of them has left are gone.
// RUN: irtensor-opt %s --split-input-file -p lower-looplets,walk-equal-lists | filecheck %s

#narrow = #storage.format<(i) -> (i : compressed), pos = i32, crd = i32>
!wide = tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
!thin = tensor<?xf64, #narrow>
// The widths of indices make no difference.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:   iteration_lattice.merge
// CHECK:       [[COORDINATES:%[0-9]+]] = storage.array coordinates %A, 0
// CHECK:       iteration_lattice.point {{%[a-z0-9_]+}} to {{%[0-9]+}} phases ["stored", "stored"]
// CHECK:         iteration_lattice.walk {{%[0-9]+}} to [[END:%[0-9]+]] {
// CHECK-NEXT:    ^bb0(%p: index):
// CHECK-NEXT:      {{%[0-9]+}} = loop.load [[COORDINATES]][%p] : i64
// CHECK:           [[X:%[0-9]+]] = loop.load {{%[0-9]+}}[%p] : f64
// CHECK:           [[Y:%[0-9]+]] = loop.load {{%[0-9]+}}[%p] : f64
// CHECK:           algebra.apply add([[X]], [[Y]]) : (f64, f64) -> f64
// CHECK:         loop.set [[END]], {{%[0-9]+}} : index
// CHECK-NOT:   iteration_lattice.point
// CHECK-NOT:   iteration_lattice.merge
func.func @sum(%A: !wide, %B: !thin {storage.entries_of = 0 : index}) -> !wide {
  %C = storage.result : !wide
  %zero = arith.constant 0 : index
  %n = storage.dim %A, 0 : !wide
  %a = storage.root %A : !wide
  %x = iteration_lattice.unfurl %a : !storage.fiber<!wide, 0> -> !iteration_lattice.looplet<f64>
  %b = storage.root %B : !thin
  %y = iteration_lattice.unfurl %b : !storage.fiber<!thin, 0> -> !iteration_lattice.looplet<f64>
  %slots = storage.root %C : !wide
  iteration_lattice.coiterate full %zero to %n over %x, %y : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
  ^bb0(%i: index, %u: f64, %v: f64):
    iteration_lattice.place %slots at %i : !storage.fiber<!wide, 0> {
    ^bb1(%slot: !storage.fiber<!wide, 1>):
      %sum = algebra.apply add(%u, %v) : (f64, f64) -> f64
      iteration_lattice.update %sum into %slot : f64, !storage.fiber<!wide, 1>
    }
  }
  func.return %C : !wide
}

// -----

#csf = #storage.format<(i, j) -> (i : compressed, j : compressed)>
!matrix = tensor<?x?xf64, #csf>
// Lists below an entry are those of the same entry of the other tensor.
// CHECK-LABEL: func.func @levels
// CHECK-NOT:   iteration_lattice.merge
// CHECK:       iteration_lattice.walk
// CHECK:         iteration_lattice.walk
// CHECK:           algebra.apply mul
// CHECK-NOT:   iteration_lattice.merge
// CHECK:       func.return
func.func @levels(%A: !matrix, %B: !matrix {storage.entries_of = 0 : index}, %t: !loop.cell<f64>) {
  %zero = arith.constant 0 : index
  %n = storage.dim %A, 0 : !matrix
  %m = storage.dim %A, 1 : !matrix
  %a = storage.root %A : !matrix
  %x = iteration_lattice.unfurl %a : !storage.fiber<!matrix, 0> -> !iteration_lattice.looplet<!storage.fiber<!matrix, 1>>
  %b = storage.root %B : !matrix
  %y = iteration_lattice.unfurl %b : !storage.fiber<!matrix, 0> -> !iteration_lattice.looplet<!storage.fiber<!matrix, 1>>
  iteration_lattice.coiterate full %zero to %n over %x, %y : !iteration_lattice.looplet<!storage.fiber<!matrix, 1>>, !iteration_lattice.looplet<!storage.fiber<!matrix, 1>> {
  ^bb0(%i: index, %arow: !storage.fiber<!matrix, 1>, %brow: !storage.fiber<!matrix, 1>):
    %u = iteration_lattice.unfurl %arow : !storage.fiber<!matrix, 1> -> !iteration_lattice.looplet<f64>
    %v = iteration_lattice.unfurl %brow : !storage.fiber<!matrix, 1> -> !iteration_lattice.looplet<f64>
    iteration_lattice.coiterate full %zero to %m over %u, %v : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
    ^bb0(%j: index, %p: f64, %q: f64):
      %product = algebra.apply mul(%p, %q) : (f64, f64) -> f64
      iteration_lattice.update add %product into %t : f64, !loop.cell<f64>
    }
  }
  func.return
}
