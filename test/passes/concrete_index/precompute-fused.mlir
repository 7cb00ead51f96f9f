// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=entry producer=e}' | filecheck %s --check-prefix=ENTRIES
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=i}' | filecheck %s --check-prefix=ROWS
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" variables=block,i}' | filecheck %s --check-prefix=BOTH
// RUN: irtensor-opt %s -p 'fuse{outer=i inner=j fused=f},split{variable=f outer=block inner=entry size=4 tensor=A},precompute{expression="A[i,j] * x[j]" }' | filecheck %s --check-prefix=ELEMENT

// The name of fused loops stands for all of them: both sides have the whole nest, cut as it was.
// ENTRIES: concrete_index.forall %block from %0 to %9 {
// ENTRIES: concrete_index.where produce (%w) : tensor<?xf64
// ENTRIES: concrete_index.forall %i from %14 to %20 attributes {fused = "e"} {
// ENTRIES: concrete_index.forall %j from %lo to %hi attributes {fused = "e"} {
// ENTRIES: %a = concrete_index.access %A[%i, %j]
// ENTRIES: %b = concrete_index.access %x[%j]
// ENTRIES: concrete_index.assign %p into %w[%e]
// ENTRIES: } consume (%w_1) {
// ENTRIES: concrete_index.forall %i_1 from %14 to %20 attributes {fused = "entry"} {
// ENTRIES: concrete_index.forall %j_1 from %lo_1 to %hi_1 attributes {fused = "entry"} {
// ENTRIES: concrete_index.access %w_1[%entry]
// ENTRIES: concrete_index.assign add {{%[0-9]+}} into %out[%i_1]

// The consumer has only the outer loop, which ends with a row that the next block may begin in: they share their ends.
// ROWS: concrete_index.forall %block from %0 to %9 {
// ROWS: concrete_index.where produce (%w) : tensor<?xf64
// ROWS: concrete_index.forall %i from %14 to %19 attributes {fused = "entry"} {
// ROWS: concrete_index.forall %j from %lo to %hi attributes {fused = "entry"} {
// ROWS: %a = concrete_index.access %A[%i, %j]
// ROWS: %b = concrete_index.access %x[%j]
// ROWS: concrete_index.assign add %p into %w[%i]
// ROWS: } consume (%w_1) {
// ROWS: concrete_index.forall %i_1 from %14 to %19 attributes {shared_ends} {
// ROWS: %23 = concrete_index.access %w_1[%i_1]
// ROWS: concrete_index.assign add %23 into %out[%i_1]

// The same with a component for each block, whose loop is then on either side.
// BOTH: concrete_index.where produce (%w) : tensor<?x?xf64
// BOTH: concrete_index.forall %block from %0 to %9 attributes {blocks} {
// BOTH: concrete_index.forall %i from %14 to %20 attributes {fused = "entry"} {
// BOTH: concrete_index.forall %j from %lo to %hi attributes {fused = "entry"} {
// BOTH: %a = concrete_index.access %A[%i, %j]
// BOTH: %b = concrete_index.access %x[%j]
// BOTH: concrete_index.assign add %p into %w[%block, %i]
// BOTH: } consume (%w_1) {
// BOTH: concrete_index.forall %block_1 from %0 to %9 attributes {blocks} {
// BOTH: concrete_index.forall %i_1 from %27 to %32 attributes {shared_ends} {
// BOTH: %33 = concrete_index.access %w_1[%block_1, %i_1]
// BOTH: concrete_index.assign add %33 into %out[%i_1]

// One element: the inner loop goes to the producer alone.
// ELEMENT: concrete_index.forall %block from %0 to %9 {
// ELEMENT: concrete_index.forall %i from %14 to %20 attributes {fused = "entry"} {
// ELEMENT: concrete_index.where produce (%w) : tensor<f64> {
// ELEMENT: concrete_index.forall %j from %lo to %hi attributes {fused = "entry"} {
// ELEMENT: %a = concrete_index.access %A[%i, %j]
// ELEMENT: %b = concrete_index.access %x[%j]
// ELEMENT: concrete_index.assign add %p into %w[]
// ELEMENT: } consume (%w_1) {
// ELEMENT: %23 = concrete_index.access %w_1[]
// ELEMENT: concrete_index.assign add %23 into %out[%i]
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
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
