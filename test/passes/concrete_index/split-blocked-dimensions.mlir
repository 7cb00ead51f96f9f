// RUN: irtensor-opt %s --split-input-file -p split-blocked-dimensions | filecheck %s

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 4 : compressed, i mod 2 : dense, j mod 4 : dense)>
// A blocked tensor is indexed by level afterwards; others keep the whole coordinate.
// CHECK-LABEL: func.func @spmv
// CHECK-NEXT: %y = concrete_index.compute (%out) : tensor<?xf64> {
// CHECK-NEXT:   concrete_index.forall %io {
// CHECK-NEXT:     concrete_index.forall %ii {
// CHECK-NEXT:       concrete_index.forall %jo {
// CHECK-NEXT:         concrete_index.forall %ji {
// CHECK-NEXT:           %{{.*}} = arith.constant 2 : index
// CHECK-NEXT:           %{{.*}} = arith.muli %io, %{{.*}} : index
// CHECK-NEXT:           %{{.*}} = arith.addi %{{.*}}, %ii : index
// CHECK-NEXT:           concrete_index.let %i = %{{.*}} {
// CHECK-NEXT:             %{{.*}} = arith.constant 4 : index
// CHECK-NEXT:             %{{.*}} = arith.muli %jo, %{{.*}} : index
// CHECK-NEXT:             %{{.*}} = arith.addi %{{.*}}, %ji : index
// CHECK-NEXT:             concrete_index.let %j = %{{.*}} {
// CHECK-NEXT:               %a = concrete_index.access %A[%io, %jo, %ii, %ji] : tensor<?x?xf64, {{.*}}>
// CHECK-NEXT:               %b = concrete_index.access %x[%j] : tensor<?xf64>
// CHECK-NEXT:               %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT:               concrete_index.assign add %p into %out[%i] : tensor<?xf64>
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<?xf64>
func.func @spmv(%A: tensor<?x?xf64, #bcsr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// A window becomes one over the blocks in which it lies, and one over those of their places that belong to it.
// CHECK-LABEL: @window
// CHECK: [[FIRST:%.*]] = arith.divsi %lo, %{{.*}} : index
// CHECK: [[LAST:%.*]] = arith.divsi %{{.*}}, %{{.*}} : index
// CHECK: concrete_index.forall %io from [[FIRST]] to [[LAST]] {
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: concrete_index.forall %ii from %{{.*}} to %{{.*}} {
func.func @window(%x: tensor<?xf64, #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>>, %lo: index, %hi: index) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i from %lo to %hi {
      %a = concrete_index.access %x[%i] : tensor<?xf64, #storage.format<(i) -> (i floordiv 2 : compressed, i mod 2 : dense)>>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#set = #storage.format<(i) -> (i : accumulator)>
// What loops over blocks read is kept by block, and stored there from coordinates in a row.
// CHECK-LABEL: func.func @temporary
// CHECK: concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : accumulator, j : dense)>> {
// CHECK-NEXT: concrete_index.forall %k {
// CHECK-NEXT:   %a = concrete_index.access %A[%i, %k]
// CHECK-NEXT:   [[S1:%.*]] = arith.constant 4 : index
// CHECK-NEXT:   [[KO:%.*]] = arith.divsi %k, [[S1]] : index
// CHECK-NEXT:   [[S2:%.*]] = arith.constant 4 : index
// CHECK-NEXT:   [[KI:%.*]] = arith.remsi %k, [[S2]] : index
// CHECK-NEXT:   concrete_index.let %ko = [[KO]] {
// CHECK-NEXT:     concrete_index.let %ki = [[KI]] {
// CHECK-NEXT:       concrete_index.assign %a into %w[%ko, %ki]
// CHECK: } consume (%v) {
// CHECK: concrete_index.forall %jo {
// CHECK-NEXT: concrete_index.forall %ji {
// CHECK: %b = concrete_index.access %v[%jo, %ji] : tensor<?x?xf64, #storage.format<(i, j) -> (i : accumulator, j : dense)>>
// CHECK-NEXT: concrete_index.assign %b into %out[%io, %jo, %ii, %ji]
func.func @temporary(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #bcsr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #bcsr> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #set> {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
          concrete_index.assign %a into %w[%k] : tensor<?xf64, #set>
        }
      } consume (%v) {
        concrete_index.forall %j {
          %b = concrete_index.access %v[%j] : tensor<?xf64, #set>
          concrete_index.assign %b into %out[%i, %j] : tensor<?x?xf64, #bcsr>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64, #bcsr>
}

#bcsc = #storage.format<(i, j) -> (j floordiv 4 : dense, i floordiv 2 : compressed, j mod 4 : dense, i mod 2 : dense)>
#maps = #storage.format<(i, j) -> (i : map, j : map), fill = 1.0>
// Blocks go outside of all places; loops over the same blocks lead the store. The fill value stays.
// CHECK-LABEL: func.func @parts
// CHECK: concrete_index.where produce (%w) : tensor<?x?x?x?xf64, #storage.format<(i, j, k, l) -> (i : map, j : map, k : dense, l : dense), fill = 1.0>> {
// CHECK-NOT: arith.divsi
// CHECK: concrete_index.assign %a into %w[%ko, %lo, %ki, %li]
// CHECK: concrete_index.access %v[%io, %jo, %ii, %ji]
func.func @parts(%A: tensor<?x?xf64, #bcsc>) -> tensor<?x?xf64, #bcsr> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #bcsr> {
    concrete_index.where produce (%w) : tensor<?x?xf64, #maps> {
      concrete_index.forall %l {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%k, %l] : tensor<?x?xf64, #bcsc>
          concrete_index.assign %a into %w[%k, %l] : tensor<?x?xf64, #maps>
        }
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %b = concrete_index.access %v[%i, %j] : tensor<?x?xf64, #maps>
          concrete_index.assign %b into %out[%i, %j] : tensor<?x?xf64, #bcsr>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64, #bcsr>
}

#csb = #storage.format<(i) -> (i floordiv 4 : dense, i mod 4 : compressed)>
// Where a tensor lists the places in a block, so does the temporary; one that lists nothing stays as it is.
// CHECK-LABEL: func.func @listed
// CHECK: produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : accumulator, j : map)>>
// CHECK: produce (%t) : tensor<?xf64> {
func.func @listed(%A: tensor<?xf64>) -> tensor<?xf64, #csb> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #csb> {
    concrete_index.where produce (%w) : tensor<?xf64, #set> {
      concrete_index.forall %k {
        %a = concrete_index.access %A[%k] : tensor<?xf64>
        concrete_index.assign %a into %w[%k] : tensor<?xf64, #set>
      }
    } consume (%v) {
      concrete_index.where produce (%t) : tensor<?xf64> {
        concrete_index.forall %l {
          %a = concrete_index.access %A[%l] : tensor<?xf64>
          concrete_index.assign %a into %t[%l] : tensor<?xf64>
        }
      } consume (%u) {
        concrete_index.forall %j {
          %b = concrete_index.access %v[%j] : tensor<?xf64, #set>
          %c = concrete_index.access %u[%j] : tensor<?xf64>
          %s = algebra.apply add(%b, %c) : (f64, f64) -> f64
          concrete_index.assign %s into %out[%j] : tensor<?xf64, #csb>
        }
      }
    }
  }
  func.return %y : tensor<?xf64, #csb>
}

// Read along blocks of two sizes, whole coordinates serve both.
// CHECK-LABEL: func.func @two_sizes
// CHECK: produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
// CHECK: concrete_index.access %v[%j]
// CHECK: concrete_index.access %v[%i]
func.func @two_sizes(%A: tensor<?xf64>, %B: tensor<?x?xf64, #bcsr>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #set> {
      concrete_index.forall %k {
        %a = concrete_index.access %A[%k] : tensor<?xf64>
        concrete_index.assign %a into %w[%k] : tensor<?xf64, #set>
      }
    } consume (%v) {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %v[%j] : tensor<?xf64, #set>
          %b = concrete_index.access %v[%i] : tensor<?xf64, #set>
          %c = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #bcsr>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
          concrete_index.assign %q into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}

#blocks = #storage.format<(i) -> (i floordiv 3 : dense, i mod 3 : dense)>
// A range inside is computed from the coordinate that the block and the place in it are put together to.
// CHECK-LABEL: func.func @range_inside
// CHECK:      concrete_index.forall %io {
// CHECK-NEXT:   concrete_index.forall %ii {
// CHECK:          concrete_index.let %[[I:i_?[0-9]*]] = %{{[0-9]+}} {
// CHECK-NEXT:       concrete_index.where produce (%t) : tensor<f64> {
// CHECK-NEXT:         %end = arith.subi %n, %[[I]]
// CHECK-NEXT:         concrete_index.forall %d from %zero to %end {
func.func @range_inside(%x: tensor<?xf64>, %z: tensor<?xf64, #blocks>, %zero: index, %n: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        %end = arith.subi %n, %i : index
        concrete_index.forall %d from %zero to %end {
          %a = concrete_index.access %x[%d] : tensor<?xf64>
          concrete_index.assign add %a into %t[] : tensor<f64>
        }
      } consume (%u) {
        %b = concrete_index.access %z[%i] : tensor<?xf64, #blocks>
        %c = concrete_index.access %u[] : tensor<f64>
        %s = algebra.apply add(%b, %c) : (f64, f64) -> f64
        concrete_index.assign %s into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#blocked = #storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>
// The range of a loop inside is computed from a coordinate that is put together before.
// CHECK-LABEL: @counted
// CHECK:      concrete_index.forall %io {
// CHECK-NEXT:   concrete_index.forall %ii {
// CHECK-NEXT:     %{{.*}} = arith.constant 2 : index
// CHECK-NEXT:     [[FIRST:%.*]] = arith.muli %io, %{{.*}} : index
// CHECK-NEXT:     [[I:%.*]] = arith.addi [[FIRST]], %ii : index
// CHECK-NEXT:     concrete_index.let %i = [[I]] {
// CHECK-NEXT:       %n = concrete_index.entry_count %A[%i] levels 1
// CHECK-NEXT:       concrete_index.forall %j from %zero to %n {
// CHECK-NEXT:         %a = concrete_index.access %A[%i, %j]
// CHECK-NEXT:         concrete_index.assign add %a into %out[%io, %ii]
func.func @counted(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64, #blocked> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #blocked> {
    %zero = arith.constant 0 : index
    concrete_index.forall %i {
      %n = concrete_index.entry_count %A[%i] levels 1 : tensor<?x?xf64, #csr>
      concrete_index.forall %j from %zero to %n {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64, #blocked>
      }
    }
  }
  func.return %y : tensor<?xf64, #blocked>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
// Places of a row of blocks are numbered by those of its blocks, which have as many places in this row as columns.
// CHECK-LABEL: @places_in_a_row
// CHECK:      concrete_index.forall %io {
// CHECK-NEXT:   concrete_index.forall %ii {
// CHECK:          [[BLOCKS:%.*]] = concrete_index.entry_count %A[%io] levels 1
// CHECK:          %all = arith.muli [[BLOCKS]], %{{.*}} : index
// CHECK:          [[BLOCK:%.*]] = arith.divsi %k, [[THREE:%.*]] : index
// CHECK:          [[NUMBER:%.*]] = concrete_index.entry %A[%io], [[BLOCK]] levels 1
// CHECK:          [[PLACE:%.*]] = arith.remsi %k, {{%.*}} : index
// CHECK:          [[START:%.*]] = arith.muli [[NUMBER]], {{%.*}} : index
// CHECK:          [[COLUMN:%.*]] = arith.addi [[START]], [[PLACE]] : index
// CHECK:          [[EXTENT:%.*]] = concrete_index.extent %A, 1
// CHECK:          %first = arith.minsi [[COLUMN]], [[EXTENT]] : index
func.func @places_in_a_row(%A: tensor<?x?xf64, #bcsr>, %k: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %all = concrete_index.entry_count %A[%i] dimensions 1 : tensor<?x?xf64, #bcsr>
      %first = concrete_index.entry %A[%i], %k dimensions 1 : tensor<?x?xf64, #bcsr>
      concrete_index.forall %j from %first to %all {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#bcsr = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
// In lexicographic order: rows of blocks, the row of places in one, blocks, and the place in one. A row of blocks has
// as many places as blocks times six, and each row in it a half of these.
// CHECK-LABEL: @places
// CHECK:      [[SIX:%.*]] = arith.constant 6 : index
// CHECK:      [[ANY:%.*]] = arith.divsi %k, [[SIX]] : index
// CHECK:      [[ROW:%.*]], %{{.*}} = concrete_index.entry %A[], [[ANY]] levels 2
// CHECK:      concrete_index.entry_count %A[] before [[ROW]], %{{.*}} levels 2
// CHECK:      [[NEXT:%.*]] = arith.addi [[ROW]], %{{.*}} : index
// CHECK:      concrete_index.entry_count %A[] before [[NEXT]], %{{.*}} levels 2
// CHECK:      %{{.*}}, [[COLUMN:%.*]] = concrete_index.entry %A[], %{{.*}} levels 2
func.func @places(%A: tensor<?x?xf64, #bcsr>, %k: index, %n: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %row, %column = concrete_index.entry %A[], %k dimensions 2 : tensor<?x?xf64, #bcsr>
    concrete_index.forall %i from %row to %n {
      concrete_index.forall %j from %column to %n {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #bcsr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
#pieces = #storage.format<(i, j) -> (i : dense, j floordiv 3 : compressed, j mod 3 : dense)>
#flagged = #storage.format<(i, j) -> (i : dense, j : bitmap)>
#set = #storage.format<(i) -> (i : accumulator)>
// A result that tells entries apart needs to know which places of a block have one.
// CHECK-LABEL: func.func @flagged_places
// CHECK: concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : accumulator, j : bitmap)>> {
func.func @flagged_places(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64, #pieces>) -> tensor<?x?xf64, #flagged> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64, #flagged> {
    concrete_index.forall %i {
      concrete_index.where produce (%w) : tensor<?xf64, #set> {
        concrete_index.forall %k {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #rows>
          concrete_index.assign %a into %w[%k] : tensor<?xf64, #set>
        }
      } consume (%v) {
        concrete_index.forall %j {
          %a = concrete_index.access %v[%j] : tensor<?xf64, #set>
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #pieces>
          %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
          concrete_index.assign %c into %out[%i, %j] : tensor<?x?xf64, #flagged>
        }
      }
    }
  }
  func.return %y : tensor<?x?xf64, #flagged>
}
