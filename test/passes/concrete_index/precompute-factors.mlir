// RUN: irtensor-opt %s -p 'precompute{expression="B[i,l] * D[l,j]" variables=j}' | filecheck %s

// Of a product, any factors may be the part: they are multiplied first, in the order in which they stand there, and the
// others with what they give.
// CHECK-LABEL: func.func @factors
// CHECK:      concrete_index.where produce (%w)
// CHECK:        [[B:%.*]] = concrete_index.access %B[%i, %l]
// CHECK-NEXT:   [[D:%.*]] = concrete_index.access %D[%l, %j
// CHECK-NEXT:   [[P:%.*]] = algebra.apply mul([[B]], [[D]])
// CHECK-NEXT:   concrete_index.assign add [[P]] into %w[%j
// CHECK:      consume (%w_1)
// CHECK:        [[W:%.*]] = concrete_index.access %w_1[%j
// CHECK-NEXT:   [[C:%.*]] = concrete_index.access %C[%i, %j
// CHECK-NEXT:   [[Q:%.*]] = algebra.apply mul([[W]], [[C]])
// CHECK-NEXT:   [[E:%.*]] = concrete_index.access %e[%j
// CHECK-NEXT:   [[R:%.*]] = algebra.apply mul([[Q]], [[E]])
// CHECK-NEXT:   concrete_index.assign [[R]] into %out[%i, %j
func.func @factors(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>, %e: tensor<?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %l {
        concrete_index.forall %j {
          %b = concrete_index.access %B[%i, %l] : tensor<?x?xf64>
          %c = concrete_index.access %C[%i, %j] : tensor<?x?xf64>
          %d = concrete_index.access %D[%l, %j] : tensor<?x?xf64>
          %x = concrete_index.access %e[%j] : tensor<?xf64>
          %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %x) : (f64, f64) -> f64
          %r = algebra.apply mul(%q, %d) : (f64, f64) -> f64
          concrete_index.assign add %r into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}
