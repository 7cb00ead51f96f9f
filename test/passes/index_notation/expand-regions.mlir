// RUN: irtensor-opt %s --split-input-file -p expand-regions | filecheck %s

#sv = #storage.format<(i) -> (i : compressed)>

// Outside of the region there is no entry, and what stands for it annihilates as absent entries do.
algebra.operator @mask(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a, b) -> a and not b>} {
  algebra.yield %a : f64
}

// CHECK-LABEL: func.func @masked
// CHECK:      %0 = index_notation.access %a[%i]
// CHECK-NEXT: %1 = algebra.apply stored(%0) : (f64) -> i1
// CHECK-NEXT: %2 = index_notation.access %b[%i]
// CHECK-NEXT: %3 = algebra.apply stored(%2) : (f64) -> i1
// CHECK-NEXT: %4 = algebra.apply not(%3) : (i1) -> i1
// CHECK-NEXT: %5 = algebra.apply and(%1, %4) : (i1, i1) -> i1
// CHECK-NEXT: %6 = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: %z = algebra.apply where(%5, %x, %6) entry : (i1, f64, f64) -> f64
// CHECK-NEXT: index_notation.yield %z : f64
func.func @masked(%a: tensor<?xf64, #sv>, %b: tensor<?xf64, #sv>) -> tensor<?xf64, #sv> {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %y = index_notation.access %b[%i] : tensor<?xf64, #sv>
    %z = algebra.apply @mask(%x, %y) : (f64, f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #sv>
}

// A dense operand is stored everywhere, so that nothing is left of the region.
// CHECK-LABEL: func.func @dense_mask
// CHECK-NOT:  stored
// CHECK:      %0 = algebra.constant absent 0.000000e+00 : f64
// CHECK-NEXT: %z = algebra.apply first(%0, %x) : (f64, f64) -> f64
func.func @dense_mask(%a: tensor<?xf64, #sv>, %b: tensor<?xf64>) -> tensor<?xf64, #sv> {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %y = index_notation.access %b[%i] : tensor<?xf64>
    %z = algebra.apply @mask(%x, %y) : (f64, f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #sv>
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>

// Where nothing is stored it gives what its body gives for fill values, which is no entry.
algebra.operator @missing(%a: f64) -> f64 attributes {region = #algebra.region<(a) -> not a>, fill = 7.0 : f64} {
  %one = algebra.constant 1.0 : f64
  algebra.yield %one : f64
}

// CHECK-LABEL: func.func @nowhere_stored
// CHECK:      %1 = algebra.apply stored(%0) : (f64) -> i1
// CHECK:      algebra.constant absent 1.000000e+00 : f64
// CHECK:      algebra.constant absent 7.000000e+00 : f64
// CHECK:      algebra.apply where(%1, %{{.*}}, %{{.*}}) : (i1, f64, f64) -> f64
func.func @nowhere_stored(%a: tensor<?xf64, #sv>) -> tensor<?xf64, #sv> {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %z = algebra.apply @missing(%x) : (f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #sv>
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>

// A case has another body for the operands that are stored.
algebra.operator @halves(%a: f64, %b: f64) -> f64 {
  %s = algebra.apply add(%a, %b) : (f64, f64) -> f64
  algebra.yield %s : f64
} case [0] {
^bb0(%a: f64, %b: f64):
  %n = algebra.apply neg(%a) : (f64) -> f64
  algebra.yield %n : f64
}

// CHECK-LABEL: func.func @by_case
// CHECK:      %s = algebra.apply add(%x, %y)
// CHECK:      %n = algebra.apply neg(%x)
// CHECK:      algebra.apply where(%{{.*}}, %n, %s) : (i1, f64, f64) -> f64
func.func @by_case(%a: tensor<?xf64, #sv>, %b: tensor<?xf64, #sv>) -> tensor<?xf64, #sv> {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %y = index_notation.access %b[%i] : tensor<?xf64, #sv>
    %z = algebra.apply @halves(%x, %y) : (f64, f64) -> f64
    index_notation.yield %z : f64
  }
  func.return %c : tensor<?xf64, #sv>
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>
#bv = #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>

// Of what is computed, the operators say when it is an entry: a product where both factors are, a sum where one is. It is
// asked of blocks as of lists: an operand may be converted, and annihilate-by-value compares with the fill value.
// CHECK-LABEL: func.func @computed
// CHECK:      [[A:%.*]] = algebra.apply stored
// CHECK:      [[B:%.*]] = algebra.apply stored
// CHECK:      algebra.apply and([[A]], [[B]]) : (i1, i1) -> i1
func.func @computed(%a: tensor<?xf64, #sv>, %b: tensor<?xf64, #bv>) -> tensor<?xi1, #sv> {
  %c = index_notation.assign (%i) : tensor<?xi1, #sv> {
    %x = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %y = index_notation.access %b[%i] : tensor<?xf64, #bv>
    %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
    %s = algebra.apply stored(%p) : (f64) -> i1
    index_notation.yield %s : i1
  }
  func.return %c : tensor<?xi1, #sv>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A sum is an entry where one of the values is that it adds up.
// CHECK-LABEL: func.func @sums
// CHECK:      index_notation.reduce or (%{{.*}}) : i1 {
// CHECK:      algebra.apply stored
func.func @sums(%a: tensor<?x?xf64, #csr>) -> tensor<?xi1> {
  %c = index_notation.assign (%i) : tensor<?xi1> {
    %t = index_notation.reduce add (%j) : f64 {
      %x = index_notation.access %a[%i, %j] : tensor<?x?xf64, #csr>
      index_notation.yield %x : f64
    }
    %s = algebra.apply stored(%t) : (f64) -> i1
    index_notation.yield %s : i1
  }
  func.return %c : tensor<?xi1>
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>

// A factor that is 0 because of what is stored is absent there.
// CHECK-LABEL: func.func @chosen
// CHECK:      [[STORED:%.*]] = algebra.apply stored
// CHECK:      [[CHOICE:%.*]] = algebra.apply where([[STORED]],
// CHECK:      [[ELSE:%.*]] = algebra.apply not(
// CHECK:      [[ENTRY:%.*]] = algebra.apply where([[ELSE]], [[CHOICE]], {{.*}}) entry
// CHECK:      algebra.apply mul([[ENTRY]],
func.func @chosen(%a: tensor<?xf64, #sv>, %x: tensor<?xf64>) -> tensor<?xf64, #sv> {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %e = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %s = algebra.apply stored(%e) : (f64) -> i1
    %zero = algebra.constant 0.0 : f64
    %y = index_notation.access %x[%i] : tensor<?xf64>
    %w = algebra.apply where(%s, %zero, %y) : (i1, f64, f64) -> f64
    %p = algebra.apply mul(%w, %y) : (f64, f64) -> f64
    index_notation.yield %p : f64
  }
  func.return %c : tensor<?xf64, #sv>
}

// -----

#sv = #storage.format<(i) -> (i : compressed)>

// So is one that is assigned to a sparse tensor; a dense one has no entries.
// CHECK-LABEL: func.func @assigned
// CHECK:      [[ENTRY:%.*]] = algebra.apply where({{.*}}) entry
// CHECK-NEXT: index_notation.yield [[ENTRY]]
// CHECK:      [[CHOICE:%.*]] = algebra.apply where({{.*}}) : (i1, f64, f64) -> f64
// CHECK-NEXT: index_notation.yield [[CHOICE]]
func.func @assigned(%a: tensor<?xf64, #sv>, %x: tensor<?xf64>) -> (tensor<?xf64, #sv>, tensor<?xf64>) {
  %c = index_notation.assign (%i) : tensor<?xf64, #sv> {
    %e = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %s = algebra.apply stored(%e) : (f64) -> i1
    %zero = algebra.constant 0.0 : f64
    %y = index_notation.access %x[%i] : tensor<?xf64>
    %w = algebra.apply where(%s, %zero, %y) : (i1, f64, f64) -> f64
    index_notation.yield %w : f64
  }
  %d = index_notation.assign (%i) : tensor<?xf64> {
    %e = index_notation.access %a[%i] : tensor<?xf64, #sv>
    %s = algebra.apply stored(%e) : (f64) -> i1
    %zero = algebra.constant 0.0 : f64
    %y = index_notation.access %x[%i] : tensor<?xf64>
    %w = algebra.apply where(%s, %zero, %y) : (i1, f64, f64) -> f64
    index_notation.yield %w : f64
  }
  func.return %c, %d : tensor<?xf64, #sv>, tensor<?xf64>
}
