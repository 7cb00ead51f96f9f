// RUN: irtensor-opt %s --split-input-file -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=entry producer=e}' | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=entry format="hashed, hashed"}' | filecheck %s --check-prefix=ASKED

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A workspace over the entries of a block has a component for each of them, by their numbers in the block. Where the
// operand has no entry it is what is absent, so that the consumer goes along the entries too. What both sides begin
// with is computed once.
// CHECK-LABEL: func.func @spmv
// CHECK:      [[FIRST:%[0-9]+]] = arith.muli %block
// CHECK:      concrete_index.entry %A[], [[FIRST]] levels 2
// CHECK:      concrete_index.where produce (%w) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %i from [[LO:%[0-9]+]] to [[HI:%[0-9]+]] attributes {fused = "e"} {
// CHECK:          concrete_index.forall %j {{.*}} attributes {fused = "e"} {
// CHECK-NEXT:       [[N:%[0-9]+]] = concrete_index.entry_number %A[%i, %j] from [[FIRST]] past [[SIZE:%[0-9]+]] levels 2
// CHECK-NEXT:       concrete_index.let %e = [[N]] {
// CHECK:              concrete_index.assign %p into %w[%e]
// CHECK:      } consume (%w_1) {
// CHECK-NEXT:   concrete_index.forall %i_1 from [[LO]] to [[HI]] attributes {fused = "entry"} {
// CHECK:          concrete_index.forall %j_1 {{.*}} attributes {fused = "entry"} {
// CHECK-NEXT:       [[N:%[0-9]+]] = concrete_index.entry_number %A[%i_1, %j_1] from [[FIRST]] past [[SIZE]] levels 2
// CHECK-NEXT:       concrete_index.let %entry = [[N]] {
// CHECK-NEXT:         [[W:%[0-9]+]] = concrete_index.access %w_1[%entry]
// CHECK-NEXT:         [[A:%[0-9]+]] = concrete_index.access %A[%i_1, %j_1]
// CHECK-NEXT:         [[IS:%[0-9]+]] = algebra.apply stored([[A]])
// CHECK-NEXT:         [[NO:%[0-9]+]] = algebra.constant absent 0.0
// CHECK-NEXT:         [[V:%[0-9]+]] = algebra.apply where([[IS]], [[W]], [[NO]])
// CHECK-NEXT:         concrete_index.assign add [[V]] into %out[%i_1]
// ASKED-LABEL: func.func @spmv
// ASKED: concrete_index.assign %p into %w[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : map, j : map)>>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
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

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#list = #storage.format<(i) -> (i : compressed)>
// Another operand leaves out entries: a sparse result has those that the workspace has, which keeps a set of them.
// CHECK-LABEL: func.func @scaled
// CHECK: concrete_index.assign %p into %w[%i, %j]
// ASKED-LABEL: func.func @scaled
func.func @scaled(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64, #list>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64, #list>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Without an entry of A the maximum is that with 0, and not what the workspace starts from.
// CHECK-LABEL: func.func @largest
// CHECK: concrete_index.assign %p into %w[%i, %j]
// ASKED-LABEL: func.func @largest
func.func @largest(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign max %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
