// RUN: irtensor-opt %s -p lower-loop-to-llvm | filecheck %s

// A merge of sparse operands gains nothing from LLVM's vectoriser.
// CHECK: llvm.func @merge
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "light"]]
func.func @merge(%n: index, %a: !loop.buffer<index>, %y: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %place = loop.cell %zero : index
  loop.while {
    %p = loop.get %place : index
    %more = arith.cmpi slt, %p, %n : index
    loop.condition %more
  } do {
    %p = loop.get %place : index
    %v = loop.load %a[%p] : index
    loop.store %v, %y[%p] : index
    %next = arith.addi %p, %v : index
    loop.set %next, %place : index
  }
  func.return
}

// A merge with a sum of floats along a dimension inside does.
// CHECK: llvm.func @merge_of_rows
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "full"]]
func.func @merge_of_rows(%n: index, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %place = loop.cell %zero : index
  loop.while {
    %p = loop.get %place : index
    %more = arith.cmpi slt, %p, %n : index
    loop.condition %more
  } do {
    %p = loop.get %place : index
    %s = loop.cell %none : f64
    loop.for %k = %zero to %n {
      %v = loop.load %a[%k] : f64
      %old = loop.get %s : f64
      %new = arith.addf %old, %v : f64
      loop.set %new, %s : f64
    }
    %sum = loop.get %s : f64
    loop.store %sum, %y[%p] : f64
    %next = arith.addi %p, %one : index
    loop.set %next, %place : index
  }
  func.return
}

// Loops whose hints forbid vectors hold vectors already.
// CHECK: llvm.func @settled
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "light"]]
func.func @settled(%n: index, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  loop.for %k = %zero to %n attributes {vectorize = 1 : i64} {
    %v = loop.load %a[%k] : f64
    loop.store %v, %y[%k] : f64
  }
  func.return
}

// Without a merge, a loop over stored entries is what the function does.
// CHECK: llvm.func @entries
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "full"]]
func.func @entries(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %pos: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %n = loop.load %pos[%zero] : index
  loop.for %k = %zero to %n {
    %v = loop.load %a[%k] : f64
    loop.store %v, %y[%k] : f64
  }
  func.return
}

// What such a loop loads again and again, LLVM moves out of it.
// CHECK: llvm.func @repeated
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "scalar"]]
func.func @repeated(%n: index, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  loop.for %k = %zero to %n attributes {vectorize = 1 : i64} {
    %v = loop.load %a[%zero] : f64
    loop.store %v, %y[%k] : f64
  }
  func.return
}

// Of a loop that inserts into a set LLVM makes no vectors, whatever else is in it.
// CHECK: llvm.func @inserts
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "light"]]
func.func @inserts(%n: index, %a: !loop.buffer<index>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %set = loop.index_set %n
  loop.for %k = %zero to %n {
    %j = loop.load %a[%k] : index
    %present = loop.insert %j into %set
    %v = loop.load %y[%j] : f64
    %w = arith.addf %v, %one : f64
    loop.store %w, %y[%j] : f64
  }
  func.return
}

// What it loads again and again is moved out of it.
// CHECK: llvm.func @inserts_and_repeats
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "scalar"]]
func.func @inserts_and_repeats(%n: index, %a: !loop.buffer<index>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %set = loop.index_set %n
  loop.for %k = %zero to %n {
    %j = loop.load %a[%k] : index
    %present = loop.insert %j into %set
    %v = loop.load %y[%zero] : f64
    loop.store %v, %y[%j] : f64
  }
  func.return
}

// Beside a merge, what calls a function that there is for vectors, in a loop over stored entries or places of a block.
// CHECK: llvm.func @calls
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "full"]]
func.func @calls(%a: !loop.buffer<f64>, %y: !loop.buffer<f64>, %pos: !loop.buffer<index>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = loop.load %pos[%zero] : index
  %place = loop.cell %zero : index
  loop.while {
    %p = loop.get %place : index
    %more = arith.cmpi slt, %p, %end : index
    loop.condition %more
  } do {
    %p = loop.get %place : index
    %n = loop.load %pos[%p] : index
    loop.for %k = %zero to %n {
      %v = loop.load %a[%k] : f64
      %e = math.exp %v fastmath<afn> : f64
      loop.store %e, %y[%k] : f64
    }
    %next = arith.addi %p, %one : index
    loop.set %next, %place : index
  }
  func.return
}

// So does a loop of vectors, which LLVM makes no others of. What is around it is made shorter, for short segments.
// CHECK: llvm.func @in_vectors
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "scalar"]]
func.func @in_vectors(%n: index, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  loop.for %k = %zero to %n attributes {unroll = 1 : i64} {
    %place = arith.muli %k, %four : index
    %v = loop.load %a[%place] : vector<4xf64>
    loop.store %v, %y[%place] : vector<4xf64>
  }
  func.return
}

// The same with a hint to leave it: it is a strip of a row.
// CHECK: llvm.func @in_settled_vectors
// CHECK-SAME: passthrough = {{\[}}["irtensor-effort", "light"]]
func.func @in_settled_vectors(%n: index, %a: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  loop.for %k = %zero to %n attributes {unroll = 1 : i64, vectorize = 1 : i64} {
    %place = arith.muli %k, %four : index
    %v = loop.load %a[%place] : vector<4xf64>
    loop.store %v, %y[%place] : vector<4xf64>
  }
  func.return
}
