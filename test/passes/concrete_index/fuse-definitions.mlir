// RUN: irtensor-opt %s --split-input-file -p fuse-definitions | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p fuse-definitions,lower-concrete-index-to-iteration-lattice | filecheck %s --check-prefix=LATTICE

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A sum that ends inside of the loops is a temporary around the inner ones. The third definition joins the first two.
// CHECK-LABEL: func.func @statistics
// CHECK:      %m, %s, %C = concrete_index.compute (%mo, %so, %co) : tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64, {{.*}}> {
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:       concrete_index.where produce (%u) : tensor<f64> {
// CHECK-NEXT:         concrete_index.forall %j {
// CHECK-NEXT:           %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:           concrete_index.assign max %a into %t[]
// CHECK-NEXT:           %b = concrete_index.access %A[%i, %j]
// CHECK-NEXT:           concrete_index.assign add %b into %u[]
// CHECK-NEXT:           %c = concrete_index.access %A[%i, %j]
// CHECK-NEXT:           %d = algebra.apply neg(%c)
// CHECK-NEXT:           concrete_index.assign %d into %co[%i, %j]
// CHECK-NEXT:         }
// CHECK-NEXT:       } consume (%u1) {
// CHECK-NEXT:         %0 = concrete_index.access %u1[]
// CHECK-NEXT:         concrete_index.assign %0 into %so[%i]
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%t1) {
// CHECK-NEXT:       %1 = concrete_index.access %t1[]
// CHECK-NEXT:       concrete_index.assign %1 into %mo[%i]
// CHECK:      func.return %m, %s, %C
// LATTICE-LABEL: func.func @statistics
// LATTICE-COUNT-2: iteration_lattice.coiterate
// LATTICE-NOT:     iteration_lattice.coiterate
// LATTICE-LABEL: func.func @conditions
func.func @statistics(%A: tensor<?x?xf64, #rows>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64, #rows>) {
  %m = concrete_index.compute (%mo) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #rows>
          concrete_index.assign max %a into %t[] : tensor<f64>
        }
      } consume (%t1) {
        %0 = concrete_index.access %t1[] : tensor<f64>
        concrete_index.assign %0 into %mo[%i] : tensor<?xf64>
      }
    }
  }
  %s = concrete_index.compute (%so) : tensor<?xf64> {
    concrete_index.forall %k {
      concrete_index.where produce (%u) : tensor<f64> {
        concrete_index.forall %l {
          %b = concrete_index.access %A[%k, %l] : tensor<?x?xf64, #rows>
          concrete_index.assign add %b into %u[] : tensor<f64>
        }
      } consume (%u1) {
        %1 = concrete_index.access %u1[] : tensor<f64>
        concrete_index.assign %1 into %so[%k] : tensor<?xf64>
      }
    }
  }
  %C = concrete_index.compute (%co) : tensor<?x?xf64, #rows> {
    concrete_index.forall %p { concrete_index.forall %q {
      %c = concrete_index.access %A[%p, %q] : tensor<?x?xf64, #rows>
      %d = algebra.apply neg(%c) : (f64) -> f64
      concrete_index.assign %d into %co[%p, %q] : tensor<?x?xf64, #rows>
    } }
  }
  func.return %m, %s, %C : tensor<?xf64>, tensor<?xf64>, tensor<?x?xf64, #rows>
}

// -----

// Loops under the same condition are one loop under it.
// CHECK-LABEL: func.func @conditions
// CHECK:      concrete_index.if %g {
// CHECK-NEXT:   concrete_index.forall %j {
// CHECK:          concrete_index.assign min
// CHECK:          concrete_index.assign add
// CHECK-NOT:  concrete_index.if
func.func @conditions(%W: tensor<?x?xf64>, %F: tensor<?xi1>) -> (tensor<?xf64>, tensor<?xf64>) {
  %d = concrete_index.compute (%do) : tensor<?xf64> {
    concrete_index.forall %i {
      %g = concrete_index.access %F[%i] : tensor<?xi1>
      concrete_index.if %g { concrete_index.forall %j {
        %a = concrete_index.access %W[%i, %j] : tensor<?x?xf64>
        concrete_index.assign min %a into %do[%j] : tensor<?xf64>
      } }
    }
  }
  %e = concrete_index.compute (%eo) : tensor<?xf64> {
    concrete_index.forall %k {
      %h = concrete_index.access %F[%k] : tensor<?xi1>
      concrete_index.if %h { concrete_index.forall %l {
        %b = concrete_index.access %W[%k, %l] : tensor<?x?xf64>
        concrete_index.assign add %b into %eo[%l] : tensor<?xf64>
      } }
    }
  }
  func.return %d, %e : tensor<?xf64>, tensor<?xf64>
}
