// RUN: irtensor-opt %s -p merge-dense-dimensions | filecheck %s
// RUN: irtensor-opt %s -p merge-dense-dimensions,annihilate-by-value,lower-concrete-index-to-iteration-lattice,divide-merges,lower-looplets,lower-iteration-lattice-to-loop,lower-storage | filecheck %s --check-prefix=LOOP

// Each tensor that has two of the variables has them next to each other, so that a and b are one, and d and e.
func.func @gate(%M: tensor<?x?xf64>, %T: tensor<?x?x?x?x?xf64>) -> tensor<?x?x?x?x?xf64> {
  %C = concrete_index.compute (%r) : tensor<?x?x?x?x?xf64> {
    concrete_index.forall %a attributes {parallel = "automatic"} {
      concrete_index.forall %b {
        concrete_index.forall %i {
          concrete_index.forall %j {
            concrete_index.forall %d {
              concrete_index.forall %e {
                %0 = concrete_index.access %M[%i, %j] : tensor<?x?xf64>
                %1 = concrete_index.access %T[%a, %b, %j, %d, %e] : tensor<?x?x?x?x?xf64>
                %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
                concrete_index.assign add %2 into %r[%a, %b, %i, %d, %e] : tensor<?x?x?x?x?xf64>
              }
            }
          }
        }
      }
    }
  }
  func.return %C : tensor<?x?x?x?x?xf64>
}

// CHECK:      func.func @gate
// CHECK-NEXT:   [[one:%.*]] = storage.merge_levels %T from 0 count 2 : tensor<?x?x?x?x?xf64> -> tensor<?x?x?x?xf64>
// CHECK-NEXT:   [[two:%.*]] = storage.merge_levels [[one]] from 2 count 2 : tensor<?x?x?x?xf64> -> tensor<?x?x?xf64>
// CHECK-NEXT:   [[made:%.*]] = concrete_index.compute ([[target:%.*]]) : tensor<?x?x?xf64> {
// CHECK-NEXT:     concrete_index.forall %a attributes {parallel = "automatic"} {
// CHECK-NEXT:       concrete_index.forall %i {
// CHECK-NEXT:         concrete_index.forall %j {
// CHECK-NEXT:           concrete_index.forall %d {
// CHECK-NEXT:             %{{.*}} = concrete_index.access %M[%i, %j] : tensor<?x?xf64>
// CHECK-NEXT:             %{{.*}} = concrete_index.access [[two]][%a, %j, %d] : tensor<?x?x?xf64>
// CHECK:                  concrete_index.assign add %{{.*}} into [[target]][%a, %i, %d] : tensor<?x?x?xf64>
// CHECK:        [[part:%.*]] = storage.split_level [[made]] from 2 count 2 : tensor<?x?x?xf64> -> tensor<?x?x?x?xf64>
// CHECK-NEXT:   [[whole:%.*]] = storage.split_level [[part]] from 0 count 2 : tensor<?x?x?x?xf64> -> tensor<?x?x?x?x?xf64>
// CHECK-NEXT:   func.return [[whole]]

// The function takes what it took before.
// LOOP:      func.func @gate(%M_n0: index, %M_n1: index, %M_vals: !loop.buffer<f64> {{.*}}, %T_n0: index, %T_n1: index, %T_n2: index, %T_n3: index, %T_n4: index,
// LOOP-SAME:   %C_n0: index, %C_n1: index, %C_n2: index, %C_n3: index, %C_n4: index, %C_vals: !loop.buffer<f64> {loop.extents = array<i64: 9, 10, 11, 12, 13>})
// LOOP:        arith.muli %T_n0, %T_n1 : index
// LOOP-NOT:    storage.

// Blocks of a sparse result are rows of one level; a stated extent is the product of stated ones.
#blocks = #storage.format<(i, j, k) -> (i : compressed, k : dense, j : dense)>
func.func @blocks(%S: tensor<?x2x3xf64, #blocks>, %x: tensor<?xf64>) -> tensor<?x2x3xf64, #blocks> {
  %y = concrete_index.compute (%r) : tensor<?x2x3xf64, #blocks> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %0 = concrete_index.access %S[%i, %j, %k] : tensor<?x2x3xf64, #blocks>
          %1 = concrete_index.access %x[%i] : tensor<?xf64>
          %2 = algebra.apply mul(%0, %1) : (f64, f64) -> f64
          concrete_index.assign %2 into %r[%i, %j, %k] : tensor<?x2x3xf64, #blocks>
        }
      }
    }
  }
  func.return %y : tensor<?x2x3xf64, #blocks>
}

// CHECK:      func.func @blocks
// CHECK-NEXT:   storage.merge_levels %S from 1 count 2 : {{.*}} -> tensor<?x6xf64, #storage.format<(i, j) -> (i : compressed, j : dense)>>
// CHECK-NEXT:   concrete_index.compute
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK-NEXT:         concrete_index.access {{.*}}[%i, %k]
// CHECK:          storage.split_level {{.*}} from 1 count 2 : tensor<?x6xf64, {{.*}}> -> tensor<?x2x3xf64, {{.*}}>

// Where an operand is read in another order, both variables have other names there. One of these stays.
func.func @names(%T: tensor<?x?x?xf64>) -> tensor<?x?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %a {
          concrete_index.let %i2 = %i {
            concrete_index.let %j2 = %j {
              %0 = concrete_index.access %T[%a, %i2, %j2] : tensor<?x?x?xf64>
              concrete_index.assign %0 into %r[%i, %j, %a] : tensor<?x?x?xf64>
            }
          }
        }
      }
    }
  }
  func.return %y : tensor<?x?x?xf64>
}

// CHECK:      func.func @names
// CHECK-NEXT:   storage.merge_levels %T from 1 count 2
// CHECK-NEXT:   concrete_index.compute
// CHECK-NEXT:     concrete_index.forall %i {
// CHECK-NEXT:       concrete_index.forall %a {
// CHECK-NEXT:         concrete_index.let [[NAME:%[a-z0-9_]+]] = %i {
// CHECK-NEXT:           concrete_index.access {{.*}}[%a, [[NAME]]]
// CHECK-NEXT:           concrete_index.assign {{.*}}[%i, %a]
// CHECK:          storage.split_level {{.*}} from 0 count 2
