// RUN: irtensor-opt %s --split-input-file -p annihilate-by-value | filecheck %s

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// An element of a block need not be an entry: a dense factor that may be infinite becomes 0 where it is 0. The sum has
// the product itself.
// CHECK-LABEL: func.func @blocks
// CHECK:      %b = concrete_index.access %x[%j] : tensor<?xf64>
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[THERE:%[0-9]+]] = algebra.apply ne(%a, [[ZERO]]) : (f64, f64) -> i1
// CHECK-NEXT: [[OTHER:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[FACTOR:%[0-9]+]] = algebra.apply where([[THERE]], %b, [[OTHER]]) : (i1, f64, f64) -> f64
// CHECK-NEXT: %p = algebra.apply mul(%a, [[FACTOR]]) : (f64, f64) -> f64
// CHECK-NEXT: concrete_index.assign add %p into
func.func @blocks(%A: !blocks, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%o) : tensor<?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign add %p into %o[%i] : tensor<?xf64>
    } }
  }
  func.return %y : tensor<?xf64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// So it is with a factor of a product that a sum adds up.
// CHECK-LABEL: func.func @factors
// CHECK:      [[FACTOR:%[0-9]+]] = algebra.apply where(%{{[0-9]+}}, %b, %{{[0-9]+}}) : (i1, f64, f64) -> f64
// CHECK-NEXT: %p = algebra.apply mul(%a, [[FACTOR]]) : (f64, f64) -> f64
// CHECK:      [[OTHER:%[0-9]+]] = algebra.apply where(%{{[0-9]+}}, %c, %{{[0-9]+}}) : (i1, f64, f64) -> f64
// CHECK-NEXT: %q = algebra.apply mul(%p, [[OTHER]]) : (f64, f64) -> f64
// CHECK-NEXT: concrete_index.assign add %q into
func.func @factors(%A: !blocks, %x: tensor<?xf64>, %z: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%o) : tensor<?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %c = concrete_index.access %z[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
      concrete_index.assign add %q into %o[%i] : tensor<?xf64>
    } }
  }
  func.return %y : tensor<?xf64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// Of a product that is stored, 0 is selected in its place.
// CHECK-LABEL: func.func @stored
// CHECK:      [[THERE:%[0-9]+]] = algebra.apply ne(%a, %{{[0-9]+}}) : (f64, f64) -> i1
// CHECK-NEXT: %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[SELECTED:%[0-9]+]] = algebra.apply where([[THERE]], %p, [[ZERO]]) : (i1, f64, f64) -> f64
// CHECK-NEXT: concrete_index.assign [[SELECTED]] into
func.func @stored(%A: !blocks, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign %p into %o[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// A quotient is 0 where the dividend has no entry.
// CHECK-LABEL: func.func @dividend
// CHECK:      %p = algebra.apply div(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: algebra.apply where(%{{[0-9]+}}, %p, [[ZERO]]) : (i1, f64, f64) -> f64
// The other way round it is divided by what is read.
// CHECK-NEXT: %q = algebra.apply div(%b, %a) : (f64, f64) -> f64
func.func @dividend(%A: !blocks, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %p = algebra.apply div(%a, %b) : (f64, f64) -> f64
      %q = algebra.apply div(%b, %a) : (f64, f64) -> f64
      %r = algebra.apply add(%p, %q) : (f64, f64) -> f64
      concrete_index.assign %r into %o[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// A sparse factor keeps its place, so that loops go along its entries; what the product is becomes 0.
// CHECK-LABEL: func.func @sparse_factor
// CHECK:      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[SELECTED:%[0-9]+]] = algebra.apply where(%{{[0-9]+}}, %p, [[ZERO]]) : (i1, f64, f64) -> f64
// CHECK-NEXT: concrete_index.assign [[SELECTED]] into
func.func @sparse_factor(%A: !blocks, %B: !rows) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %B[%i, %j] : !rows
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign %p into %o[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// A sum of no entries is absent; lists, integers, finite literals and exact arithmetic need nothing.
// CHECK-LABEL: func.func @sums
// CHECK:      [[SUM:%[a-z0-9_]+]] = concrete_index.access %t_1[] : tensor<f64>
// CHECK:      algebra.apply ne([[SUM]], %{{[0-9]+}}) : (f64, f64) -> i1
// CHECK-NEXT: %p = algebra.apply mul([[SUM]], %b)
// CHECK:      algebra.apply where(%{{[0-9]+}}, %p, %{{[0-9]+}}) : (i1, f64, f64) -> f64
// CHECK-NEXT: %q = algebra.apply mul([[SUM]], %two) : (f64, f64) -> f64
// CHECK-NEXT: %e = algebra.apply mul([[SUM]], %b) exact : (f64, f64) -> f64
// CHECK-NEXT: %l = algebra.apply mul(%listed, %b) : (f64, f64) -> f64
func.func @sums(%A: !rows, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : !rows
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%t) {
        %sum = concrete_index.access %t[] : tensor<f64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %listed = concrete_index.access %A[%i, %j] : !rows
        %two = algebra.constant 2.0 : f64
        %p = algebra.apply mul(%sum, %b) : (f64, f64) -> f64
        %q = algebra.apply mul(%sum, %two) : (f64, f64) -> f64
        %e = algebra.apply mul(%sum, %b) exact : (f64, f64) -> f64
        %l = algebra.apply mul(%listed, %b) : (f64, f64) -> f64
        %r = algebra.apply add(%p, %q) : (f64, f64) -> f64
        %s = algebra.apply add(%e, %l) : (f64, f64) -> f64
        %z = algebra.apply add(%r, %s) : (f64, f64) -> f64
        concrete_index.assign %z into %o[%i, %j] : tensor<?x?xf64>
      }
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// Without the entry of the list a quotient is absent whatever the sum is: the list decides.
// CHECK-LABEL: func.func @divided_by_a_sum
// CHECK-NOT: algebra.apply ne
// CHECK-NOT: algebra.apply where
func.func @divided_by_a_sum(%A: !rows, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : !rows
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%t) {
        %sum = concrete_index.access %t[] : tensor<f64>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %listed = concrete_index.access %A[%i, %j] : !rows
        %q = algebra.apply div(%listed, %sum) : (f64, f64) -> f64
        %p = algebra.apply mul(%q, %b) : (f64, f64) -> f64
        concrete_index.assign %p into %o[%i, %j] : tensor<?x?xf64>
      }
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!blocks = tensor<?x?xi64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// CHECK-LABEL: func.func @integers
// CHECK-NOT: algebra.apply ne
func.func @integers(%A: !blocks, %x: tensor<?xi64>) -> tensor<?x?xi64> {
  %y = concrete_index.compute (%o) : tensor<?x?xi64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xi64>
      %p = algebra.apply mul(%a, %b) : (i64, i64) -> i64
      concrete_index.assign %p into %o[%i, %j] : tensor<?x?xi64>
    } }
  }
  func.return %y : tensor<?x?xi64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense), fill = nan>>
// Where the fill value is NaN, which differs from itself, the condition asks for NaN.
// CHECK-LABEL: func.func @nan
// CHECK:      %v = algebra.apply where(%c, %zero, %a) : (i1, f64, f64) -> f64
// CHECK-NEXT: [[ISNAN:%[0-9]+]] = algebra.apply isnan(%a) : (f64) -> i1
// CHECK-NEXT: [[THERE:%[0-9]+]] = algebra.apply not([[ISNAN]]) : (i1) -> i1
// CHECK-NEXT: %p = algebra.apply mul(%v, %b) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: algebra.apply where([[THERE]], %p, [[ZERO]]) : (i1, f64, f64) -> f64
func.func @nan(%A: !blocks, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    %zero = algebra.constant 0.0 : f64
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %c = algebra.apply isnan(%a) : (f64) -> i1
      %v = algebra.apply where(%c, %zero, %a) : (i1, f64, f64) -> f64
      %p = algebra.apply mul(%v, %b) : (f64, f64) -> f64
      concrete_index.assign %p into %o[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// A number that does not depend on an entry is always there.
// CHECK-LABEL: func.func @number
// CHECK:      [[THERE:%[0-9]+]] = algebra.constant true
// CHECK-NEXT: %p = algebra.apply mul(%v, %b) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: algebra.apply where([[THERE]], %p, [[ZERO]]) : (i1, f64, f64) -> f64
func.func @number(%A: !blocks, %x: tensor<?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%o) : tensor<?x?xf64> {
    %zero = algebra.constant 0.0 : f64
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %x[%j] : tensor<?xf64>
      %v = algebra.apply second(%a, %zero) : (f64, f64) -> f64
      %p = algebra.apply mul(%v, %b) : (f64, f64) -> f64
      concrete_index.assign %p into %o[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
!bitmap = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : bitmap)>>
// A result with flags has an entry where a block or a list has one.
// CHECK-LABEL: func.func @entries
// CHECK:      %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT: [[ZERO:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[THERE:%[0-9]+]] = algebra.apply ne(%a, [[ZERO]]) : (f64, f64) -> i1
// CHECK-NEXT: [[LISTED:%[0-9]+]] = algebra.apply stored(%b) : (f64) -> i1
// CHECK-NEXT: [[EITHER:%[0-9]+]] = algebra.apply or([[THERE]], [[LISTED]]) : (i1, i1) -> i1
// CHECK-NEXT: [[REST:%[0-9]+]] = algebra.constant 0.000000e+00 : f64
// CHECK-NEXT: [[ENTRY:%[0-9]+]] = algebra.apply where([[EITHER]], %s, [[REST]]) entry : (i1, f64, f64) -> f64
// CHECK-NEXT: concrete_index.assign [[ENTRY]] into
func.func @entries(%A: !blocks, %B: !rows) -> !bitmap {
  %y = concrete_index.compute (%o) : !bitmap {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %b = concrete_index.access %B[%i, %j] : !rows
      %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
      concrete_index.assign %s into %o[%i, %j] : !bitmap
    } }
  }
  func.return %y : !bitmap
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
// One in blocks has places for all.
// CHECK-LABEL: func.func @places
// CHECK:      [[A:%[a-z0-9_]+]] = concrete_index.access %A
// CHECK-NEXT: concrete_index.assign [[A]] into
func.func @places(%A: !blocks) -> !blocks {
  %y = concrete_index.compute (%o) : !blocks {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      concrete_index.assign %a into %o[%i, %j] : !blocks
    } }
  }
  func.return %y : !blocks
}

// -----

!blocks = tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>>
!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
// An element of a block that has the fill value is no entry. What a list stores is told apart by loops.
// CHECK-LABEL: func.func @asked
// CHECK:      %s = algebra.apply ne(%a, %{{[0-9]+}}) : (f64, f64) -> i1
// CHECK-NEXT: %b = concrete_index.access
// CHECK-NEXT: %t = algebra.apply stored(%b) : (f64) -> i1
func.func @asked(%A: !blocks, %B: !rows) -> tensor<?x?xi1> {
  %y = concrete_index.compute (%o) : tensor<?x?xi1> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !blocks
      %s = algebra.apply stored(%a) : (f64) -> i1
      %b = concrete_index.access %B[%i, %j] : !rows
      %t = algebra.apply stored(%b) : (f64) -> i1
      %p = algebra.apply xor(%s, %t) : (i1, i1) -> i1
      concrete_index.assign %p into %o[%i, %j] : tensor<?x?xi1>
    } }
  }
  func.return %y : tensor<?x?xi1>
}

// -----

!rows = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
!padded = tensor<?x?xf64, #storage.format<(i, j) -> (i : compressed, j : dense)>>
// A choice says when it is an entry, whatever values it chooses from.
// CHECK-LABEL: func.func @chosen
// CHECK:      %c = algebra.apply where(%e, %a, %z) entry : (i1, f64, f64) -> f64
// CHECK-NEXT: concrete_index.assign %c into %o
func.func @chosen(%A: !padded, %e: i1) -> !rows {
  %y = concrete_index.compute (%o) : !rows {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : !padded
      %z = algebra.constant absent 0.000000e+00 : f64
      %c = algebra.apply where(%e, %a, %z) entry : (i1, f64, f64) -> f64
      concrete_index.assign %c into %o[%i, %j] : !rows
    } }
  }
  func.return %y : !rows
}
