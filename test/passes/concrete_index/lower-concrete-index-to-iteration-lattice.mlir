// RUN: irtensor-opt %s --split-input-file -p lower-concrete-index-to-iteration-lattice | filecheck %s
// RUN: irtensor-opt %s --split-input-file -p 'lower-concrete-index-to-iteration-lattice{purpose=assemble}' | filecheck %s --check-prefix=PURPOSE

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Loops co-iterate the fibers that their variables index; temporaries become cells; results are placed level by level.
// CHECK-LABEL: func.func @spmv
// CHECK: %y = storage.result : tensor<?xf64>
// CHECK: [[N3:%[a-z0-9_]+]] = iteration_lattice.unfurl [[N2:%[a-z0-9_]+]] : !storage.fiber<tensor<?x?xf64, {{.*}}>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>>
// CHECK: iteration_lattice.coiterate full [[N0:%[a-z0-9_]+]] to [[N1:%[a-z0-9_]+]] over [[N3]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64, {{.*}}>, 1>> {
// CHECK: ^bb0(%i: index, %A_1: !storage.fiber<tensor<?x?xf64, {{.*}}>, 1>):
// CHECK:   iteration_lattice.place [[N4:%[a-z0-9_]+]] at %i : !storage.fiber<tensor<?xf64>, 0> {
// CHECK:   ^bb0([[N8:%[a-z0-9_]+]]: !storage.fiber<tensor<?xf64>, 1>):
// CHECK:     [[N9:%[a-z0-9_]+]] = algebra.constant 0.000000e+00 : f64
// CHECK:     %t = loop.cell [[N9]] : f64
// CHECK:     [[N10:%[a-z0-9_]+]] = iteration_lattice.unfurl %A_1 : !storage.fiber<tensor<?x?xf64, {{.*}}>, 1> -> !iteration_lattice.looplet<f64>
// CHECK:     [[N11:%[a-z0-9_]+]] = iteration_lattice.unfurl [[N7:%[a-z0-9_]+]] : !storage.fiber<tensor<?xf64>, 0> -> !iteration_lattice.looplet<f64>
// CHECK:     iteration_lattice.coiterate full [[N5:%[a-z0-9_]+]] to [[N6:%[a-z0-9_]+]] over [[N10]], [[N11]] : !iteration_lattice.looplet<f64>, !iteration_lattice.looplet<f64> {
// CHECK:     ^bb0(%j: index, %A_2: f64, %x_1: f64):
// CHECK:       %p = algebra.apply mul(%A_2, %x_1) : (f64, f64) -> f64
// CHECK:       iteration_lattice.update add %p into %t : f64, !loop.cell<f64>
// CHECK:     iteration_lattice.update [[N12:%[a-z0-9_]+]] into [[N8]] : f64, !storage.fiber<tensor<?xf64>, 1>
func.func @spmv(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.where produce (%t) : tensor<f64> {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %t[] : tensor<f64>
        }
      } consume (%u) {
        %s = concrete_index.access %u[] : tensor<f64>
        concrete_index.assign %s into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

// A let co-iterates over one coordinate, the temporary starts at the identity of max, a condition is kept.
// CHECK-LABEL: func.func @diagonal
// CHECK: %y = storage.result initialize initial 0xfff0000000000000 : f64 : tensor<f64>
// CHECK: [[N3:%[a-z0-9_]+]] = iteration_lattice.unfurl [[N2:%[a-z0-9_]+]] : !storage.fiber<tensor<?x?xf64>, 0> -> !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>>
// CHECK: iteration_lattice.coiterate full [[N0:%[a-z0-9_]+]] to [[N1:%[a-z0-9_]+]] over [[N3]] : !iteration_lattice.looplet<!storage.fiber<tensor<?x?xf64>, 1>> {
// CHECK: ^bb0(%i: index, %A_1: !storage.fiber<tensor<?x?xf64>, 1>):
// CHECK:   [[N7:%[a-z0-9_]+]] = iteration_lattice.unfurl %A_1 : !storage.fiber<tensor<?x?xf64>, 1> -> !iteration_lattice.looplet<f64>
// CHECK:   iteration_lattice.coiterate unit %i to [[N6:%[a-z0-9_]+]] over [[N7]] : !iteration_lattice.looplet<f64> {
// CHECK:   ^bb0(%k: index, %A_2: f64):
// CHECK:     %c = algebra.apply gt(%A_2, %A_2) : (f64, f64) -> i1
// CHECK:     iteration_lattice.if %c {
// CHECK:       iteration_lattice.update max %A_2 into [[N4:%[a-z0-9_]+]] : f64, !storage.fiber<tensor<f64>, 0>
func.func @diagonal(%A: tensor<?x?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      concrete_index.let %k = %i {
        %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
        %c = algebra.apply gt(%a, %a) : (f64, f64) -> i1
        concrete_index.if %c {
          concrete_index.assign max %a into %out[] : tensor<f64>
        }
      }
    }
  }
  func.return %y : tensor<f64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// The purpose of the kernel is that of its result, if it is sparse.
// PURPOSE-LABEL: func.func @spmv
// PURPOSE: %y = storage.result : tensor<?xf64>
// PURPOSE-LABEL: func.func @copy
// PURPOSE: %C = storage.result purpose "assemble" : tensor<
func.func @copy(%A: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign %a into %out[%i, %j] : tensor<?x?xf64, #csr>
      }
    }
  }
  func.return %C : tensor<?x?xf64, #csr>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// A range becomes that of the loop, and a window on what it goes along; tags are carried along. Every window of the
// result starts from the fill value, because none of them covers it.
// CHECK-LABEL: func.func @window
// CHECK: %y = storage.result initialize : tensor<?xf64>
// CHECK: [[N:%[a-z0-9_]+]] = storage.dim %A, 0
// CHECK: iteration_lattice.coiterate %zero to %two {
// CHECK:   %lo = arith.muli %b, %half : index
// CHECK:   %hi = arith.addi %lo, %half : index
// CHECK:   iteration_lattice.coiterate window %lo to %hi over [[A:%[a-z0-9_]+]] : !iteration_lattice.looplet<{{.*}}> {
// CHECK: } {parallel = "none", over = "b"}
func.func @window(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %n = concrete_index.extent %A, 0 : tensor<?x?xf64, #csr>
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %half = arith.divsi %n, %two : index
    concrete_index.forall %b from %zero to %two attributes {parallel = "none"} {
      %lo = arith.muli %b, %half : index
      %hi = arith.addi %lo, %half : index
      concrete_index.forall %i from %lo to %hi {
        %v = concrete_index.access %x[%i] : tensor<?xf64>
        concrete_index.assign %v into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#dcsr = #storage.format<(i, j) -> (i : compressed, j : compressed)>
// Entries are counted below rows of a tensor that nothing else reads: the loop over rows goes along its own.
// CHECK-LABEL: func.func @counted
// CHECK: [[ROWS:%[0-9]+]] = iteration_lattice.unfurl
// CHECK: iteration_lattice.coiterate {{.*}} over [[ROWS]]
// CHECK:   iteration_lattice.entry_count %A
func.func @counted(%A: tensor<?x?xf64, #dcsr>, %B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    concrete_index.forall %i {
      %n = concrete_index.entry_count %A[%i] levels 1 : tensor<?x?xf64, #dcsr>
      concrete_index.forall %j from %zero to %n {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %b into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#places = #storage.format<(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)>
// A partial block has fewer places, which the block says, whatever its name is where the tensor is read.
// CHECK-LABEL: func.func @places
// CHECK: iteration_lattice.coiterate full {{.*}} {
// CHECK: (%jo: index)
// CHECK:   [[START:%[0-9]+]] = arith.muli %jo, [[SIZE:%[0-9]+]] : index
// CHECK:   [[REST:%[0-9]+]] = arith.subi {{%[0-9]+}}, [[START]] : index
// CHECK:   [[PLACES:%[0-9]+]] = arith.minsi [[SIZE]], [[REST]] : index
// CHECK:   iteration_lattice.coiterate full {{%[0-9]+}} to [[PLACES]]
func.func @places(%A: tensor<?x?xf64, #places>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %jo {
      concrete_index.forall %ji {
        concrete_index.forall %i {
          concrete_index.let %jo_1 = %jo {
            concrete_index.let %ji_1 = %ji {
              %a = concrete_index.access %A[%i, %jo_1, %ji_1] : tensor<?x?xf64, #places>
              concrete_index.assign add %a into %out[%i] : tensor<?xf64>
            }
          }
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#blocks = #storage.format<(i) -> (i floordiv 3 : dense, i mod 3 : dense)>
// A temporary has room for all places of all blocks; what is read for them ends within the last block.
// CHECK-LABEL: func.func @room
// CHECK-DAG: [[ENTRIES:%[0-9]+]] = storage.dim %x, 0
// CHECK-DAG: [[SIZE:%[0-9]+]] = storage.dim %w, 1
// CHECK: (%jo: index)
// CHECK:   [[START:%[0-9]+]] = arith.muli %jo, [[SIZE]] : index
// CHECK:   [[REST:%[0-9]+]] = arith.subi [[ENTRIES]], [[START]] : index
// CHECK:   [[PLACES:%[0-9]+]] = arith.minsi [[SIZE]], [[REST]] : index
// CHECK:   iteration_lattice.coiterate full {{%[0-9]+}} to [[PLACES]]
func.func @room(%x: tensor<?xf64>) -> tensor<?xf64, #blocks> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #blocks> {
    %size = arith.constant 3 : index
    concrete_index.where produce (%w) : tensor<?x?xf64> {
      concrete_index.forall %jo {
        concrete_index.forall %ji {
          %start = arith.muli %jo, %size : index
          %sum = arith.addi %start, %ji : index
          concrete_index.let %j = %sum {
            %v = concrete_index.access %x[%j] : tensor<?xf64>
            concrete_index.assign %v into %w[%jo, %ji] : tensor<?x?xf64>
          }
        }
      }
    } consume (%w_1) {
      concrete_index.forall %jo_1 {
        concrete_index.forall %ji_1 {
          %v = concrete_index.access %w_1[%jo_1, %ji_1] : tensor<?x?xf64>
          concrete_index.assign %v into %out[%jo_1, %ji_1] : tensor<?xf64, #blocks>
        }
      }
    }
  }
  func.return %y : tensor<?xf64, #blocks>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// What a scalar temporary is stored once names a value: what the value is without an entry, the temporary is.
// CHECK-LABEL: func.func @names
// CHECK: (%j: index, [[B:%[A-Za-z0-9_]+]]: f64)
// CHECK-NOT: loop.cell
// CHECK: [[PRODUCT:%[A-Za-z0-9_]+]] = algebra.apply mul([[B]], [[B]])
// CHECK: [[SUM:%[A-Za-z0-9_]+]] = algebra.apply add([[PRODUCT]], [[B]])
// CHECK: iteration_lattice.update [[SUM]] into
func.func @names(%B: tensor<?x?xf64, #csr>) -> tensor<?x?xf64, #csr> {
  %A = concrete_index.compute (%out) : tensor<?x?xf64, #csr> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        concrete_index.where produce (%w) : tensor<f64> {
          concrete_index.where produce (%v) : tensor<f64> {
            %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
            concrete_index.assign %b into %v[] : tensor<f64>
          } consume (%v_1) {
            %b = concrete_index.access %v_1[] : tensor<f64>
            %p = algebra.apply mul(%b, %b) : (f64, f64) -> f64
            concrete_index.assign %p into %w[] : tensor<f64>
          }
        } consume (%w_1) {
          %p = concrete_index.access %w_1[] : tensor<f64>
          %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64, #csr>
          %s = algebra.apply add(%p, %b) : (f64, f64) -> f64
          concrete_index.assign %s into %out[%i, %j] : tensor<?x?xf64, #csr>
        }
      }
    }
  }
  func.return %A : tensor<?x?xf64, #csr>
}

// -----

#list = #storage.format<(i) -> (i : compressed)>
#table = #storage.format<(i) -> (i : map)>
// A workspace with a map says which indices its levels are over.
// CHECK-LABEL: func.func @table
// CHECK: %w = storage.workspace(%{{.*}}) : tensor<?xf64, #storage.format<(i) -> (i : map)>> {indices = ["j"]}
func.func @table(%A: tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>) -> tensor<?xf64, #list> {
  %y = concrete_index.compute (%out) : tensor<?xf64, #list> {
    concrete_index.where produce (%w) : tensor<?xf64, #table> {
      concrete_index.forall %i {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
          concrete_index.assign add %a into %w[%j] : tensor<?xf64, #table>
        }
      }
    } consume (%v) {
      concrete_index.forall %k {
        %s = concrete_index.access %v[%k] : tensor<?xf64, #table>
        concrete_index.assign %s into %out[%k] : tensor<?xf64, #list>
      }
    }
  }
  func.return %y : tensor<?xf64, #list>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Lanes of a vector that store apart from each other are independent; those of a sum are not.
// CHECK-LABEL: func.func @lanes
// CHECK: } {vectorize = 4 : i64, independent, over = "j"}
// CHECK: } {vectorize = 4 : i64, over = "k"}
func.func @lanes(%A: tensor<?x?xf64, #csr>) -> (tensor<?xf64>, tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j attributes {vectorize = 4 : i64} {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%j] : tensor<?xf64>
      }
    }
  }
  %z = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k attributes {vectorize = 4 : i64} {
        %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64, #csr>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y, %z : tensor<?xf64>, tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Loops that are cut together by the entries of A go along rows of A from one of these entries to another.
// CHECK-LABEL: func.func @cut
// CHECK:     iteration_lattice.entry
// CHECK:     iteration_lattice.unfurl %{{[0-9]+}} : {{.*}}, 0>
// CHECK-DAG: iteration_lattice.unfurl by_entries %A_{{[0-9]+}} : {{.*}}, 1>
// CHECK-DAG: iteration_lattice.unfurl %{{[0-9]+}} : {{.*}} -> !iteration_lattice.looplet<f64>
func.func @cut(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>, %k: index, %n: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rows = concrete_index.extent %A, 0 : tensor<?x?xf64, #csr>
    %columns = concrete_index.extent %A, 1 : tensor<?x?xf64, #csr>
    concrete_index.forall %b from %zero to %n {
      %number = arith.muli %b, %k : index
      %is_first = arith.cmpi eq, %b, %zero : index
      %r, %c = concrete_index.entry %A[], %number levels 2 : tensor<?x?xf64, #csr>
      %row = arith.select %is_first, %zero, %r : index
      %column = arith.select %is_first, %zero, %c : index
      %behind = arith.addi %number, %k : index
      %s, %d = concrete_index.entry %A[], %behind levels 2 : tensor<?x?xf64, #csr>
      %next = arith.addi %s, %one : index
      %last = arith.minsi %rows, %next : index
      concrete_index.forall %i from %row to %last attributes {fused = "f"} {
        %at_start = arith.cmpi eq, %i, %row : index
        %at_end = arith.cmpi eq, %i, %s : index
        %lo = arith.select %at_start, %column, %zero : index
        %hi = arith.select %at_end, %d, %columns : index
        concrete_index.forall %j from %lo to %hi attributes {fused = "f"} {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          %v = concrete_index.access %x[%j] : tensor<?xf64>
          %p = algebra.apply mul(%a, %v) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
// Where another row than that of the entry begins at its coordinate, this is found by a search.
// CHECK-LABEL: func.func @other_row
// CHECK-NOT: by_entries
func.func @other_row(%A: tensor<?x?xf64, #csr>, %k: index, %n: index) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rows = concrete_index.extent %A, 0 : tensor<?x?xf64, #csr>
    %columns = concrete_index.extent %A, 1 : tensor<?x?xf64, #csr>
    concrete_index.forall %b from %zero to %n {
      %number = arith.muli %b, %k : index
      %is_first = arith.cmpi eq, %b, %zero : index
      %r, %c = concrete_index.entry %A[], %number levels 2 : tensor<?x?xf64, #csr>
      %row = arith.select %is_first, %zero, %r : index
      %column = arith.select %is_first, %zero, %c : index
      %behind = arith.addi %number, %k : index
      %s, %d = concrete_index.entry %A[], %behind levels 2 : tensor<?x?xf64, #csr>
      %next = arith.addi %s, %one : index
      %last = arith.minsi %rows, %next : index
      concrete_index.forall %i from %row to %last attributes {fused = "f"} {
        %at_start = arith.cmpi eq, %i, %b : index
        %at_end = arith.cmpi eq, %i, %s : index
        %lo = arith.select %at_start, %column, %zero : index
        %hi = arith.select %at_end, %d, %columns : index
        concrete_index.forall %j from %lo to %hi attributes {fused = "f"} {
          %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
          concrete_index.assign add %a into %out[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
