// RUN: irtensor-opt %s -p 'bound{variable=i extent=16}' | filecheck %s --check-prefix=EXACT
// RUN: irtensor-opt %s -p 'bound{variable=i extent=16 kind=multiple},split{variable=i outer=i0 inner=i1 size=8}' | filecheck %s --check-prefix=FULL
// RUN: irtensor-opt %s -p 'bound{variable=i extent=12 kind=multiple},split{variable=i outer=i0 inner=i1 size=8}' | filecheck %s --check-prefix=PART
// RUN: irtensor-opt %s -p 'bound{variable=i extent=16},lower-concrete-index-to-iteration-lattice' | filecheck %s --check-prefix=CHECKED

// EXACT:      concrete_index.extent %out, 0
// EXACT-NEXT: concrete_index.bound %1 exact 16
// EXACT-NEXT: concrete_index.forall %i from %0 to %2 {

// Blocks of 8 are full where the extent is a multiple of 16, and need not be where it is one of 12.
// FULL:     concrete_index.bound %{{.*}} multiple 16
// FULL-NOT: arith.minsi
// PART:     arith.minsi

// CHECKED:      arith.cmpi eq, %1, %2
// CHECKED-NEXT: loop.require %3 else 3
// CHECKED:      iteration_lattice.coiterate full
func.func @copy(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}
