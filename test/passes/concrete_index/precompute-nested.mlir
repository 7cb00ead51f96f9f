// RUN: irtensor-opt %s -p 'precompute{expression="C[l,j] * B[i,k,l]" variables=j workspace=v},precompute{expression="v[j] * D[k,j]" variables=j}' | filecheck %s

// MTTKRP in two steps: the workspace v needs the loop over l, both need k. The second workspace needs what v is for, so
// that the where of v becomes a part of its producer, and with it the loop over k.
// CHECK-LABEL: func.func @mttkrp
// CHECK-NEXT: %A = concrete_index.compute (%out)
// CHECK-NEXT:   concrete_index.forall %i {
// CHECK-NEXT:     concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:       concrete_index.forall %k {
// CHECK-NEXT:         concrete_index.where produce (%v) : tensor<?xf64> {
// CHECK-NEXT:           concrete_index.forall %l {
// CHECK-NEXT:             concrete_index.forall %j {
// CHECK-NEXT:               %b = concrete_index.access %B[%i, %k, %l]
// CHECK-NEXT:               %c = concrete_index.access %C[%l, %j]
// CHECK-NEXT:               %p = algebra.apply mul(%b, %c)
// CHECK-NEXT:               concrete_index.assign add %p into %v[%j]
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         } consume (%v_1) {
// CHECK-NEXT:           concrete_index.forall %j_1 {
// CHECK-NEXT:             %d = concrete_index.access %D[%k, %j_1]
// CHECK-NEXT:             %0 = concrete_index.access %v_1[%j_1]
// CHECK-NEXT:             %q = algebra.apply mul(%d, %0)
// CHECK-NEXT:             concrete_index.assign add %q into %w[%j_1]
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     } consume (%w_1) {
// CHECK-NEXT:       concrete_index.forall %j_2 {
// CHECK-NEXT:         %1 = concrete_index.access %w_1[%j_2]
// CHECK-NEXT:         concrete_index.assign %1 into %out[%i, %j_2]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
#csf = #storage.format<(i, j, k) -> (i : compressed, j : compressed, k : compressed)>
func.func @mttkrp(%B: tensor<?x?x?xf64, #csf>, %C: tensor<?x?xf64>, %D: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %l {
          concrete_index.forall %j {
            %b = concrete_index.access %B[%i, %k, %l] : tensor<?x?x?xf64, #csf>
            %c = concrete_index.access %C[%l, %j] : tensor<?x?xf64>
            %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
            %d = concrete_index.access %D[%k, %j] : tensor<?x?xf64>
            %q = algebra.apply mul(%d, %p) : (f64, f64) -> f64
            concrete_index.assign add %q into %out[%i, %j] : tensor<?x?xf64>
          }
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64>
}
