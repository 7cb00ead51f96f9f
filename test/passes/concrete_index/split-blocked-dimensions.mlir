// RUN: irtensor-opt %s --split-input-file -p split-blocked-dimensions | filecheck %s

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 4 : compressed, i mod 2 : dense, j mod 4 : dense)>
// A blocked tensor is indexed by level afterwards; others keep the whole coordinate.
// CHECK-LABEL: func.func @spmv
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %io {
// CHECK-NEXT:     concrete_index.forall %ii {
// CHECK-NEXT:       concrete_index.forall %jo {
// CHECK-NEXT:         concrete_index.forall %ji {
// CHECK-NEXT:           %{{.*}} = arith.constant 2 : index
// CHECK-NEXT:           %{{.*}} = arith.muli %io, %{{.*}} : index
// CHECK-NEXT:           %{{.*}} = arith.addi %{{.*}}, %ii : index
// CHECK-NEXT:           concrete_index.let %i = %{{.*}} {
// CHECK-NEXT:             %{{.*}} = arith.constant 4 : index
// CHECK-NEXT:             %{{.*}} = arith.muli %jo, %{{.*}} : index
// CHECK-NEXT:             %{{.*}} = arith.addi %{{.*}}, %ji : index
// CHECK-NEXT:             concrete_index.let %j = %{{.*}} {
// CHECK-NEXT:               %a = concrete_index.access %A[%io, %jo, %ii, %ji] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:               %b = concrete_index.access %x[%j] : tensor<?xf64>
// CHECK-NEXT:               %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT:               concrete_index.assign add %p into %out[%i] : tensor<?xf64>
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @spmv(%A: tensor<?x?xf64, #bcsr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A window becomes one over the blocks in which it lies, and one over those of their places that belong to it.
// CHECK-LABEL: @window
// CHECK: [[FIRST:%.*]] = arith.divsi %lo, %{{.*}} : index
// CHECK: [[LAST:%.*]] = arith.divsi %{{.*}}, %{{.*}} : index
// CHECK: concrete_index.forall %io from [[FIRST]] to [[LAST]] {
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: concrete_index.forall %ii from %{{.*}} to %{{.*}} {
func.func @window(%x: tensor<?xf64, #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>>, %lo: index, %hi: index) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i from %lo to %hi {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
