// RUN: irtensor-opt %s --split-input-file -p 'split{variable=i outer=i0 inner=i1 size=32}' | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// The inner loop is over the original coordinates of a block; tags stay with it.
// CHECK-LABEL: func.func @spmv
// CHECK:        %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["split"] {
// CHECK-NEXT:     [[ZERO:%[0-9]+]] = arith.constant 0 : index
// CHECK-NEXT:     [[N:%[0-9]+]] = concrete_index.extent %out, 0 : tensor<?xf64>
// CHECK-NEXT:     [[LESS:%[0-9]+]] = arith.constant 31 : index
// CHECK-NEXT:     [[SUM:%[0-9]+]] = arith.addi [[N]], [[LESS]] : index
// CHECK-NEXT:     [[SIZE:%[0-9]+]] = arith.constant 32 : index
// CHECK-NEXT:     [[COUNT:%[0-9]+]] = arith.divsi [[SUM]], [[SIZE]] : index
// CHECK-NEXT:     concrete_index.forall %i0 from [[ZERO]] to [[COUNT]] {
// CHECK-NEXT:       %lo = arith.muli %i0, [[SIZE]] : index
// CHECK-NEXT:       [[END:%[0-9]+]] = arith.addi %lo, [[SIZE]] : index
// CHECK-NEXT:       %hi = arith.minsi [[N]], [[END]] : index
// CHECK-NEXT:       concrete_index.forall %i1 from %lo to %hi attributes {unroll = 4 : i64} {
// CHECK-NEXT:         concrete_index.forall %j {
// CHECK-NEXT:           %a = concrete_index.access %A[%i1, %j]
// CHECK:                concrete_index.assign add %p into %out[%i1] : tensor<?xf64>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i attributes {unroll = 4 : i64} {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A loop that has a range already is split within it; both loops over a variable of this name are split.
// A block without a limit has as many blocks as any other.
// CHECK-LABEL: func.func @twice
// CHECK:          [[SIZE:%[0-9]+]] = arith.constant 32 : index
// CHECK-NEXT:     concrete_index.forall %o from
// CHECK-NEXT:       %first = arith.muli %o, %ten : index
// CHECK-NEXT:       %last = arith.addi %first, %ten : index
// CHECK-NEXT:       concrete_index.forall %i0 from %zero to %one {
// CHECK-NEXT:         [[OFFSET:%[0-9]+]] = arith.muli %i0, [[SIZE]] : index
// CHECK-NEXT:         %lo = arith.addi %first, [[OFFSET]] : index
// CHECK-NEXT:         [[END:%[0-9]+]] = arith.addi %lo, [[SIZE]] : index
// CHECK-NEXT:         %hi = arith.minsi %last, [[END]] : index
// CHECK-NEXT:         concrete_index.forall %i1 from %lo to %hi {
// CHECK-NEXT:           %a = concrete_index.access %x[%i1] : tensor<?xf64>
func.func @twice(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %ten = arith.constant 10 : index
    concrete_index.forall %o from %zero to %one {
      %first = arith.muli %o, %ten : index
      %last = arith.addi %first, %ten : index
      concrete_index.forall %i from %first to %last {
        %a = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  // CHECK:      %z = concrete_index.compute
  // CHECK:        concrete_index.forall %i0_1 from
  // CHECK:          concrete_index.forall %i1_1 from
  %z = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y, %z : tensor<?xf64>, tensor<?xf64>
}
