// RUN: irtensor-opt %s --split-input-file -p note-repetitions | filecheck %s

// Where a range begins is counted up and where it ends down; the maximum takes the value where that is ever.
// CHECK-LABEL: func.func @maximum
// CHECK:      loop.fill {{%.*}}, [[NOTED:%[a-z0-9_]+]][{{%.*}} to {{%.*}}] : i64
// CHECK:      loop.for %i = %lo to %n {
// CHECK-NOT:    loop.for
// CHECK:        arith.cmpi slt, %from, %m : index
// CHECK:        loop.if
// CHECK:          [[FIRST:%[a-z0-9_]+]] = loop.load [[NOTED]][%from] : i64
// CHECK:          loop.store {{%.*}}, [[NOTED]][%from] : i64
// CHECK:          loop.store {{%.*}}, [[NOTED]][%m] : i64
// CHECK:      loop.for [[J:%[a-z0-9_]+]] = {{%.*}} to %m {
// CHECK:        loop.load [[NOTED]]{{\[}}[[J]]] : i64
// CHECK:        arith.cmpi sgt
// CHECK:        loop.if
// CHECK:          [[OLD:%[a-z0-9_]+]] = loop.load %y{{\[}}[[J]]] : f64
// CHECK:          [[NEW:%[a-z0-9_]+]] = algebra.apply max([[OLD]], %v) : (f64, f64) -> f64
// CHECK:          loop.store [[NEW]], %y{{\[}}[[J]]] : f64
func.func @maximum(%n: index, %m: index, %v: f64, %w: f64, %x: !loop.buffer<index>, %y: !loop.buffer<f64>) {
  %lo = arith.constant 0 : index
  loop.fill %w, %y[%lo to %m] : f64
  loop.for %i = %lo to %n {
    %from = loop.load %x[%i] : index
    loop.for %j = %from to %m {
      %old = loop.load %y[%j] : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}

// -----

// A sum takes as many times the value, also from loops around that do no more.
// CHECK-LABEL: func.func @sum
// CHECK:      arith.maxsi %c
// CHECK:      arith.maxsi %n
// CHECK:      arith.cmpi slt, %lo, %m : index
// CHECK:      loop.for
// CHECK:        [[TIMES:%[a-z0-9_]+]] = algebra.cast {{%.*}} : i64 to f32
// CHECK:        algebra.apply mul(%v, [[TIMES]]) : (f32, f32) -> f32
// CHECK:        algebra.apply add({{.*}}) fastmath<reassoc> : (f32, f32) -> f32
func.func @sum(%n: index, %m: index, %c: index, %v: f32, %y: !loop.buffer<f32>) {
  %lo = arith.constant 0 : index
  loop.fill %v, %y[%lo to %m] : f32
  loop.for %i = %lo to %n {
    loop.for %k = %lo to %c {
      loop.for %j = %lo to %m {
        %old = loop.load %y[%j] : f32
        %new = algebra.apply add(%old, %v) fastmath<reassoc> : (f32, f32) -> f32
        loop.store %new, %y[%j] : f32
      }
    }
  }
  func.return
}

// -----

// How long the buffer is may be computed first: numbers are noted behind that.
// CHECK-LABEL: func.func @computed_extent
// CHECK:      %m = arith.muli %n, %n : index
// CHECK:      [[COUNT:%.*]] = arith.addi %m, {{.*}} : index
// CHECK:      loop.fill {{.*}}, [[NOTED:%.*]]{{\[}}{{.*}} to [[COUNT]]{{\]}} : i64
// CHECK:      loop.for %i = %lo to %n {
// CHECK-NOT:    loop.for
// CHECK:        loop.if
// CHECK:      loop.for {{.*}} to %m {
// CHECK:        algebra.apply max
func.func @computed_extent(%n: index, %v: f64, %y: !loop.buffer<f64>) {
  %lo = arith.constant 0 : index
  %m = arith.muli %n, %n : index
  loop.fill %v, %y[%lo to %m] : f64
  loop.for %i = %lo to %n {
    loop.for %j = %i to %m {
      %old = loop.load %y[%j] : f64
      %new = algebra.apply max(%old, %v) : (f64, f64) -> f64
      loop.store %new, %y[%j] : f64
    }
  }
  func.return
}
