// RUN: irtensor-opt %s | irtensor-opt | filecheck %s
// RUN: irtensor-opt %s --print-op-generic | irtensor-opt | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// CHECK-LABEL: func.func @statement
func.func @statement(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
  // CHECK: %y = concrete_index.compute (%out) : tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // CHECK-NEXT: concrete_index.forall %i {
    concrete_index.forall %i {
      // CHECK-NEXT: concrete_index.where produce (%t) : tensor<f64> {
      concrete_index.where produce (%t) : tensor<f64> {
        // CHECK-NEXT: concrete_index.forall %j {
        concrete_index.forall %j {
          // CHECK-NEXT: %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #storage.format<{{.*}}>>
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %v = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%a, %v) : (f64, f64) -> f64
          // CHECK: concrete_index.assign add %p into %t[] : tensor<f64>
          concrete_index.assign add %p into %t[] : tensor<f64>
        }
      // CHECK: } consume (%u) {
      } consume (%u) {
        // CHECK-NEXT: %s = concrete_index.access %u[] : tensor<f64>
        %s = concrete_index.access %u[] : tensor<f64>
        // CHECK-NEXT: concrete_index.let %k = %i {
        concrete_index.let %k = %i {
          // CHECK-NEXT: %d = concrete_index.access %b[%k] : tensor<?xf64>
          %d = concrete_index.access %b[%k] : tensor<?xf64>
          %q = algebra.apply add(%s, %d) : (f64, f64) -> f64
          %zero = algebra.constant 0.0 : f64
          %c = algebra.apply gt(%q, %zero) : (f64, f64) -> i1
          // CHECK: concrete_index.if %c {
          concrete_index.if %c {
            // A let variable counts as the variable whose coordinate it has.
            // CHECK-NEXT: concrete_index.assign %q into %out[%k] : tensor<?xf64>
            concrete_index.assign %q into %out[%k] : tensor<?xf64>
          }
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A temporary may have dimensions, and an operator may be a user's.
// CHECK-LABEL: func.func @workspace
func.func @workspace(%A: tensor<?x?xf64, #csr>) {
  // CHECK: %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["split", "reorder"] {
  %y = concrete_index.compute (%out) : tensor<?xf64> scheduled ["split", "reorder"] {
    // CHECK: concrete_index.where produce (%w) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          // CHECK: concrete_index.assign @larger %a into %w[%j] : tensor<?xf64>
          concrete_index.assign @larger %a into %w[%j] : tensor<?xf64>
        }
      }
    } consume (%v) {
      concrete_index.forall %j {
        %a = concrete_index.access %v[%j] : tensor<?xf64>
        concrete_index.assign %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  func.return
}

algebra.operator @larger(%a: f64, %b: f64) -> f64 attributes {associative, commutative, identity = 0.0 : f64} {
  %s = algebra.apply max(%a, %b) : (f64, f64) -> f64
  algebra.yield %s : f64
}

// CHECK-LABEL: func.func @windows
func.func @windows(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // CHECK:      %n = concrete_index.extent %A, 0 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %n = concrete_index.extent %A, 0 : tensor<?x?xf64, #csr>
    // CHECK-NEXT: %bounded = concrete_index.bound %n multiple 4
    %bounded = concrete_index.bound %n multiple 4
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    // CHECK:      concrete_index.forall %b from %zero to %four attributes {parallel = "none"} {
    concrete_index.forall %b from %zero to %four attributes {parallel = "none"} {
      %start = arith.muli %b, %n : index
      %lo = arith.divsi %start, %four : index
      %after = arith.addi %start, %n : index
      %hi = arith.divsi %after, %four : index
      // CHECK:      concrete_index.forall %i from %lo to %hi {
      concrete_index.forall %i from %lo to %hi {
        // CHECK-NEXT: concrete_index.forall %j attributes {unroll = 2 : i64, vectorize = 8 : i64} {
        concrete_index.forall %j attributes {unroll = 2 : i64, vectorize = 8 : i64} {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// CHECK-LABEL: func.func @entries
func.func @entries(%A: tensor<?x?xf64, #csr>, %k: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // CHECK:      %all = concrete_index.entry_count %A[] levels 2 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %all = concrete_index.entry_count %A[] levels 2 : tensor<?x?xf64, #csr>
    // CHECK-NEXT: %row, %column = concrete_index.entry %A[], %k levels 2 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %row, %column = concrete_index.entry %A[], %k levels 2 : tensor<?x?xf64, #csr>
    // CHECK-NEXT: %r, %c = concrete_index.entry %A[], %k between %row, %all levels 2 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %r, %c = concrete_index.entry %A[], %k between %row, %all levels 2 : tensor<?x?xf64, #csr>
    // CHECK-NEXT: %above = concrete_index.entry_count %A[] before %k levels 1 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %above = concrete_index.entry_count %A[] before %k levels 1 : tensor<?x?xf64, #csr>
    // CHECK-NEXT: %behind = concrete_index.entry_count %A[] before %row, %column levels 2 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %behind = concrete_index.entry_count %A[] before %row, %column levels 2 : tensor<?x?xf64, #csr>
    concrete_index.forall %i from %row to %all {
      // CHECK:      %first = concrete_index.entry %A[%i], %k levels 1 : tensor<?x?xf64, #storage.format<{{.*}}>>
      %first = concrete_index.entry %A[%i], %k levels 1 : tensor<?x?xf64, #csr>
      concrete_index.forall %j from %first to %column {
        // CHECK: %number = concrete_index.entry_number %A[%i, %j] from %k past %all levels 2 : tensor<?x?xf64
        %number = concrete_index.entry_number %A[%i, %j] from %k past %all levels 2 : tensor<?x?xf64, #csr>
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// Of a tensor in blocks, the places of blocks are counted by dimension.
// CHECK-LABEL: func.func @places
func.func @places(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>>, %k: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    // CHECK:      %all = concrete_index.entry_count %A[] dimensions 2 : tensor<?x?xf64, #storage.format<{{.*}}>>
    %all = concrete_index.entry_count %A[] dimensions 2 : tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>>
    concrete_index.forall %i {
      // CHECK:      %first = concrete_index.entry %A[%i], %k dimensions 1 : tensor<?x?xf64, #storage.format<{{.*}}>>
      %first = concrete_index.entry %A[%i], %k dimensions 1 : tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>>
      // CHECK-NEXT: %before = concrete_index.entry_count %A[%i] before %first dimensions 1 : tensor<?x?xf64, #storage.format<{{.*}}>>
      %before = concrete_index.entry_count %A[%i] before %first dimensions 1 : tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>>
      concrete_index.forall %j from %first to %all {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// Accesses may say how they go along each level.
// CHECK-LABEL: func.func @protocols
func.func @protocols(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        // CHECK: %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #storage.format<{{.*}}>>
        %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #csr>
        // CHECK-NEXT: concrete_index.assign %a into %out[insert %i, append %j] : tensor<?x?xf64, #storage.format<{{.*}}>>
        concrete_index.assign %a into %out[insert %i, append %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %y : tensor<?x?xf64, #csr>
}
