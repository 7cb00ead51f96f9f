// RUN: irtensor-opt %s -p autoschedule --remarks 2>&1 | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// Row by row, and collected, because the result is appended to.
// CHECK: remark: autoschedule: the program is forall ikj: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)]
// CHECK: remark: autoschedule: the program is (forall ij: y[i] += A[l(i),s(j)] * w[l(j)]) where (forall jk: w[j] += B[l(j),s(k)] * x[k])
// CHECK: remark: autoschedule: numbers of several types are computed with, so that the loops stay
// CHECK: remark: autoschedule: the program is (forall ij: y[i] += A[l(i),s(j)] * w[l(j)]) where (forall jk: w[j] += @both(B[l(j),s(k)], x[k]))
// CHECK: remark: autoschedule: the program is forall kj: y @last= A[s(j),l(k)] * x[k]
// CHECK: remark: autoschedule: the program is (((forall i: y[i] += w[l(i)] * w1[l(i)] * w2[l(i)]) where (forall ij: w2[i] += A[l(i),s(j)] * u[j])) where (forall ik: w1[i] += B[l(i),s(k)] * v[k])) where (forall il: w[i] += C[l(i),s(l)] * x[l])

// CHECK-LABEL: func.func @product
func.func @product(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  // CHECK: %C = concrete_index.compute (%C_1) : tensor<?x?xf64, #storage.format<{{.*}}>> scheduled ["autoschedule"] {
  %C = concrete_index.compute (%C) : tensor<?x?xf64, #csr> {
    // CHECK-NEXT: concrete_index.forall %i {
    // CHECK-NEXT: concrete_index.where produce (%C_row) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
    // CHECK-NEXT: concrete_index.forall %k {
    // CHECK-NEXT: concrete_index.forall %j {
    // CHECK-NEXT: concrete_index.access %A[locate %i, step %k]
    // CHECK-NEXT: concrete_index.access %B[locate %k, step %j]
    // CHECK-NEXT: algebra.apply mul
    // CHECK-NEXT: concrete_index.assign add %{{.*}} into %C_row[%j]
    // CHECK: consume (%C_row_1) {
    // CHECK-NEXT: concrete_index.forall %j_1 {
    // CHECK-NEXT: concrete_index.access %C_row_1[step %j_1]
    // CHECK-NEXT: concrete_index.assign %{{.*}} into %{{.*}}[%i, %j_1]
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64, #csr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %C[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// CHECK-LABEL: func.func @chain
func.func @chain(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y) : tensor<?xf64> {
    // CHECK: concrete_index.where produce (%w) : tensor<?xf64> {
    // CHECK-NEXT: concrete_index.forall %j {
    // CHECK-NEXT: concrete_index.forall %k {
    // CHECK: concrete_index.assign add %{{.*}} into %w[%j]
    // CHECK: consume (%w_1) {
    // CHECK: concrete_index.assign add %{{.*}} into %{{.*}}[%i]
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
          %c = concrete_index.access %x[%k] : tensor<?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
          concrete_index.assign add %q into %y[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @mixed
func.func @mixed(%x: tensor<?xi32>) -> tensor<f64> {
  %s = concrete_index.compute (%s) : tensor<f64> {
    // CHECK: concrete_index.forall %i {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xi32>
      %p = algebra.apply mul(%a, %a) : (i32, i32) -> i32
      %f = algebra.cast %p : i32 to f64
      concrete_index.assign add %f into %s[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// Operators that users declare, with their algebra.
algebra.operator @both(%a: f64, %b: f64) -> f64 attributes {commutative, associative, annihilator = 0.0 : f64} {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}
algebra.operator @last(%a: f64, %b: f64) -> f64 attributes {associative, identity = 0.0 : f64} {
  %zero = algebra.constant 0.0 : f64
  %none = algebra.apply eq(%b, %zero) : (f64, f64) -> i1
  %c = algebra.apply where(%none, %a, %b) : (i1, f64, f64) -> f64
  algebra.yield %c : f64
}

// CHECK-LABEL: func.func @declared
func.func @declared(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y) : tensor<?xf64> {
    // CHECK: concrete_index.where produce (%w) : tensor<?xf64> {
    // CHECK: algebra.apply @both(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
    // CHECK: concrete_index.assign add %{{.*}} into %w[%j]
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%t) : tensor<f64> {
          concrete_index.forall %k {
            %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
            %c = concrete_index.access %x[%k] : tensor<?xf64>
            %p = algebra.apply @both(%b, %c) : (f64, f64) -> f64
            concrete_index.assign add %p into %t[] : tensor<f64>
          }
        } consume (%s) {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %q = concrete_index.access %s[] : tensor<f64>
          %r = algebra.apply mul(%a, %q) : (f64, f64) -> f64
          concrete_index.assign add %r into %y[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// One that distributes over the sum: a part of its argument is summed first.
algebra.operator @times(%a: f64, %b: f64) -> f64 attributes {commutative, associative, distributes_over = ["add"]} {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}

// CHECK-LABEL: func.func @distributed
func.func @distributed(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y) : tensor<?xf64> {
    // CHECK: concrete_index.where produce (%w) : tensor<?xf64> {
    // CHECK: algebra.apply @times(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
    // CHECK: concrete_index.assign add %{{.*}} into %w[%j]
    // CHECK: consume
    // CHECK: algebra.apply @times(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
    // CHECK: concrete_index.assign add %{{.*}} into %{{.*}}[%i]
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %B[%j, %k] : tensor<?x?xf64, #csr>
          %p = algebra.apply @times(%a, %b) : (f64, f64) -> f64
          %c = concrete_index.access %x[%k] : tensor<?xf64>
          %q = algebra.apply @times(%p, %c) : (f64, f64) -> f64
          concrete_index.assign add %q into %y[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// Not commutative: k stays outside of j, though the rows are stored first.
// CHECK-LABEL: func.func @ordered
func.func @ordered(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%y) : tensor<f64> {
    // CHECK: concrete_index.forall %k {
    // CHECK-NEXT: concrete_index.forall %j {
    // CHECK: concrete_index.assign @last %{{.*}} into
    concrete_index.forall %k {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%j, %k] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%k] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign @last %p into %y[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}

// More operands than are searched for: each sum is taken as soon as its factors are multiplied.
// CHECK-LABEL: func.func @six
func.func @six(%A: tensor<?x?xf64, #csr>, %B: tensor<?x?xf64, #csr>, %C: tensor<?x?xf64, #csr>, %u: tensor<?xf64>, %v: tensor<?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%y) : tensor<?xf64> {
    // CHECK-COUNT-3: concrete_index.where produce
    // CHECK: concrete_index.assign add %{{.*}} into %{{.*}}[%i{{.*}}]
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.forall %k {
          concrete_index.forall %l {
            %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
            %b = concrete_index.access %B[%i, %k] : tensor<?x?xf64, #csr>
            %c = concrete_index.access %C[%i, %l] : tensor<?x?xf64, #csr>
            %d = concrete_index.access %u[%j] : tensor<?xf64>
            %e = concrete_index.access %v[%k] : tensor<?xf64>
            %f = concrete_index.access %x[%l] : tensor<?xf64>
            %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
            %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
            %r = algebra.apply mul(%q, %d) : (f64, f64) -> f64
            %s = algebra.apply mul(%r, %e) : (f64, f64) -> f64
            %t = algebra.apply mul(%s, %f) : (f64, f64) -> f64
            concrete_index.assign add %t into %y[%i] : tensor<?xf64>
          }
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
