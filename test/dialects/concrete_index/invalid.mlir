// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @rank(%A: tensor<?x?xf64>) {
  concrete_index.forall %i {
    // expected-error @+1 {{the tensor has 2 dimensions, the access has 1 indices}}
    %a = concrete_index.access %A[%i] : tensor<?x?xf64>
  }
  func.return
}

// -----

func.func @not_a_tensor(%x: f64) {
  concrete_index.forall %i {
    // expected-error @+1 {{an access names a tensor}}
    %a = concrete_index.access %x[%i] : f64
  }
  func.return
}

// -----

func.func @element(%x: tensor<?xf64>) {
  concrete_index.forall %i {
    // expected-error @+1 {{an access gives f64, not i32}}
    %a = "concrete_index.access"(%x, %i) : (tensor<?xf64>, index) -> i32
  }
  func.return
}

// -----

func.func @free_index(%x: tensor<?xf64>, %n: index) {
  // expected-error @+1 {{index 0 is not an index variable of a forall or let around the access}}
  %a = concrete_index.access %x[%n] : tensor<?xf64>
  func.return
}

// -----

func.func @read_result(%x: tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      // expected-error @+1 {{a result under construction is not read; assign with an operator combines with it}}
      %a = concrete_index.access %out[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return
}

// -----

func.func @store_operand(%x: tensor<?xf64>, %v: f64) {
  concrete_index.forall %i {
    // expected-error @+1 {{an assignment stores into a result under construction or a producer's temporary}}
    concrete_index.assign %v into %x[%i] : tensor<?xf64>
  }
  func.return
}

// -----

func.func @store_element(%v: f32) {
  %y = concrete_index.compute (%out) : tensor<f64> {
    // expected-error @+1 {{cannot store f32 in a tensor of f64}}
    "concrete_index.assign"(%v, %out) : (f32, tensor<f64>) -> ()
  }
  func.return
}

// -----

// A plain assignment means one value per component.
func.func @overwrites(%A: tensor<?x?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        // expected-error @+1 {{a plain assignment in the loop over %j, which does not index the target, stores repeatedly}}
        concrete_index.assign %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return
}

// -----

// A block of two coordinates stores twice; one that ends behind its first coordinate would not.
func.func @overwrites_in_blocks(%A: tensor<?xf64>, %w: tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %n = concrete_index.extent %A, 0 : tensor<?xf64>
    concrete_index.forall %b from %zero to %n {
      %after = arith.addi %b, %two : index
      %hi = arith.minsi %n, %after : index
      concrete_index.forall %i from %b to %hi {
        %a = concrete_index.access %A[%i] : tensor<?xf64>
        // expected-error @+1 {{a plain assignment in the loop over %i, which does not index the target, stores repeatedly}}
        concrete_index.assign %a into %out[%b] : tensor<?xf64>
      }
    }
  }
  func.return
}

// -----

func.func @producer_reads(%x: tensor<?xf64>) {
  %y = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.where produce (%t) : tensor<f64> {
      // expected-error @+1 {{only the consumer of a where reads its temporary}}
      %a = concrete_index.access %t[] : tensor<f64>
      concrete_index.assign %a into %t[] : tensor<f64>
    } consume (%u) {
      %a = concrete_index.access %u[] : tensor<f64>
      concrete_index.assign %a into %out[] : tensor<f64>
    }
  }
  func.return
}

// -----

func.func @consumer_stores(%v: f64) {
  // expected-error @+1 {{only the producer of a where stores into its temporary}}
  concrete_index.where produce (%t) : tensor<f64> {
    concrete_index.assign %v into %t[] : tensor<f64>
  } consume (%u) {
    // expected-error @+1 {{an assignment stores into a result under construction or a producer's temporary}}
    concrete_index.assign %v into %u[] : tensor<f64>
  }
  func.return
}

// -----

func.func @temporaries_differ(%v: f64) {
  // expected-error @+1 {{producer and consumer bind the temporary with the same type}}
  "concrete_index.where"() ({
  ^bb0(%t: tensor<f64>):
    concrete_index.assign %v into %t[] : tensor<f64>
  }, {
  ^bb0(%u: tensor<f32>):
  }) : () -> ()
  func.return
}

// -----

func.func @no_temporary(%v: f64) {
  // expected-error @+1 {{both regions of a where bind one temporary tensor}}
  "concrete_index.where"() ({
  ^bb0(%t: index):
  }, {
  ^bb0(%u: index):
  }) : () -> ()
  func.return
}

// -----

func.func @forall_arguments() {
  // expected-error @+1 {{a forall binds one index variable of type index}}
  "concrete_index.forall"() ({
  ^bb0(%i: index, %j: index):
  }) : () -> ()
  func.return
}

// -----

func.func @let_arguments() {
  concrete_index.forall %i {
    // expected-error @+1 {{a let binds one index variable of type index}}
    "concrete_index.let"(%i) ({
    ^bb0(%k: i64):
    }) : (index) -> ()
  }
  func.return
}

// -----

func.func @compute_arguments() {
  // expected-error @+1 {{a compute region binds its results under construction}}
  %y = "concrete_index.compute"() ({
  ^bb0(%out: tensor<?xf32>):
  }) : () -> tensor<?xf64>
  func.return
}

// -----

func.func @condition(%c: f64) {
  // expected-error @+1 {{operand 'condition'}}
  "concrete_index.if"(%c) ({
  }) : (f64) -> ()
  func.return
}

// -----

// What combines an old component with a new one takes two of them and gives another.
func.func @combine(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      // expected-error @+1 {{'le' of f64 gives i1, not f64}}
      concrete_index.assign le %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @half_a_range(%x: tensor<?xf64>, %n: index) {
  // expected-error @+1 {{a range has a first coordinate and one past the last}}
  "concrete_index.forall"(%n) ({
  ^bb0(%i: index):
  }) : (index) -> ()
  func.return
}

// -----

func.func @no_such_dimension(%x: tensor<?xf64>) {
  // expected-error @+1 {{dimension 1 does not exist; the tensor has rank 1}}
  %n = concrete_index.extent %x, 1 : tensor<?xf64>
  func.return
}

// -----

func.func @extent_of_scalar(%x: f64) {
  // expected-error @+1 {{an extent is that of a tensor}}
  %n = concrete_index.extent %x, 0 : f64
  func.return
}

// -----

func.func @too_many_levels(%x: tensor<?x?xf64>, %i: index) {
  // expected-error @+1 {{2 levels are counted, 1 are below the given indices}}
  %n = concrete_index.entry_count %x[%i] levels 2 : tensor<?x?xf64>
  func.return
}

// -----

func.func @before_two_levels(%x: tensor<?x?xf64>, %i: index) {
  // expected-error @+1 {{entries are counted before a coordinate of each of the levels}}
  %n = concrete_index.entry_count %x[] before %i levels 2 : tensor<?x?xf64>
  func.return
}

// -----

#flags = #storage.format<(i, j) -> (i : dense, j : bitmap)>
func.func @flags_are_not_counted(%x: tensor<?x?xf64, #flags>, %i: index) {
  // expected-error @+1 {{entries of level 1 (j : bitmap) have no numbers}}
  %n = concrete_index.entry_count %x[%i] levels 1 : tensor<?x?xf64, #flags>
  func.return
}

// -----

func.func @too_few_coordinates(%x: tensor<?x?xf64>, %k: index) {
  // expected-error @+1 {{an entry of 2 levels has as many coordinates}}
  %n = "concrete_index.entry"(%x, %k) <{levels = 2 : index}> : (tensor<?x?xf64>, index) -> index
  func.return
}

// -----

func.func @no_such_kind(%n: index) {
  // expected-error @+1 {{unknown kind 'most'; kinds are exact and multiple}}
  %m = concrete_index.bound %n most 16
  func.return
}

// -----

func.func @bound_by_nothing(%n: index) {
  // expected-error @+1 {{an extent is bounded by a positive number, not 0}}
  %m = concrete_index.bound %n exact 0
  func.return
}

// -----

func.func @assembly(%x: tensor<?xf64>) -> tensor<?xf64> {
  // expected-error @+1 {{unknown assembly 'sort'; there are append and insert}}
  %y = concrete_index.compute (%out) : tensor<?xf64> assemble "sort" {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @some_protocols(%A: tensor<?x?xf64>) {
  concrete_index.forall %i {
    concrete_index.forall %j {
      // expected-error @+1 {{1 of 2 indices have a protocol: all or none have one}}
      %a = concrete_index.access %A[%i, locate %j] : tensor<?x?xf64>
    }
  }
  func.return
}

// -----

func.func @protocol_of_a_write(%x: tensor<?xf64>) {
  concrete_index.forall %i {
    // expected-error @+1 {{'append' is not a protocol of this access; protocols are step and locate}}
    %a = concrete_index.access %x[append %i] : tensor<?xf64>
  }
  func.return
}

// -----

func.func @protocol_of_a_read(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      // expected-error @+1 {{'step' is not a protocol of this access; protocols are append and insert}}
      concrete_index.assign %a into %out[step %i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}

// -----

func.func @extents(%x: tensor<4xf64>, %y: tensor<5xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%out) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<4xf64>
      // expected-error @+1 {{[extent-mismatch] dimension 0 of %y has extent 5, but dimension 0 of %x, over which %i ranges as well, 4}}
      %b = concrete_index.access %y[%i] : tensor<5xf64>
      %c = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign add %c into %out[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @a_row_is_no_entry(%x: tensor<?x?xf64, #csr>, %i: index) {
  // expected-error @+1 {{an entry has an index for each of 2 levels, not 1}}
  %n = concrete_index.entry_number %x[%i] from %i past %i levels 1 : tensor<?x?xf64, #csr>
  func.return
}

// -----

#flags = #storage.format<(i, j) -> (i : dense, j : bitmap)>
func.func @flags_have_no_numbers(%x: tensor<?x?xf64, #flags>, %i: index) {
  // expected-error @+1 {{entries of level 1 (j : bitmap) have no numbers}}
  %n = concrete_index.entry_number %x[%i, %i] from %i past %i levels 1 : tensor<?x?xf64, #flags>
  func.return
}

// -----

#twice = #storage.format<(i, j) -> (i : dense, j : compressed(nonunique))>
func.func @several_numbers(%x: tensor<?x?xf64, #twice>, %i: index) {
  // expected-error @+1 {{the last level stores each coordinate once, so that there is one number for it}}
  %n = concrete_index.entry_number %x[%i, %i] from %i past %i levels 1 : tensor<?x?xf64, #twice>
  func.return
}

// -----

#rows = #storage.format<(i, j) -> (i : compressed, j : compressed)>
func.func @between_entries(%x: tensor<?x?xf64, #rows>, %i: index) {
  // expected-error @+1 {{an entry is looked for between coordinates of a level that stores every one}}
  %r, %c = concrete_index.entry %x[], %i between %i, %i levels 2 : tensor<?x?xf64, #rows>
  func.return
}

// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @levels_are_dimensions(%x: tensor<?x?xf64, #csr>, %i: index) {
  // expected-error @+1 {{entries are counted by dimension where a tensor is stored in blocks; here by level}}
  %n = concrete_index.entry_count %x[%i] dimensions 1 : tensor<?x?xf64, #csr>
  func.return
}

// -----

#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
func.func @too_many_dimensions(%x: tensor<?x?xf64, #blocks>, %i: index) {
  // expected-error @+1 {{2 dimensions are counted, 1 are below the given indices}}
  %n = concrete_index.entry_count %x[%i] dimensions 2 : tensor<?x?xf64, #blocks>
  func.return
}

// -----

#places = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : compressed, j mod 3 : compressed)>
func.func @not_every_place(%x: tensor<?x?xf64, #places>) {
  // expected-error @+1 {{the format does not have every element of a block, so that entries have no numbers}}
  %n = concrete_index.entry_count %x[] dimensions 2 : tensor<?x?xf64, #places>
  func.return
}

// -----

#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : bitmap, i mod 2 : dense, j mod 3 : dense)>
func.func @blocks_have_no_numbers(%x: tensor<?x?xf64, #blocks>, %i: index) {
  // expected-error @+1 {{entries of level 1 (j floordiv 3 : bitmap) have no numbers}}
  %n = concrete_index.entry_count %x[%i] dimensions 1 : tensor<?x?xf64, #blocks>
  func.return
}

// -----

#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)>
func.func @between_places(%x: tensor<?x?xf64, #blocks>, %i: index) {
  // expected-error @+1 {{an entry is looked for between coordinates of a level, not of a dimension}}
  %r, %c = concrete_index.entry %x[], %i between %i, %i dimensions 2 : tensor<?x?xf64, #blocks>
  func.return
}


// -----

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @more_levels_than_there_are(%x: tensor<?x?xf64, #csr>, %i: index) {
  // expected-error @+1 {{99999999999999999999 levels are counted, the tensor has 2}}
  %r = concrete_index.entry %x[], %i levels 99999999999999999999 : tensor<?x?xf64, #csr>
  func.return
}
