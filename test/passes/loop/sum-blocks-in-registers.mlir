// RUN: irtensor-opt %s --split-input-file -p sum-blocks-in-registers | filecheck %s

// Two rows of two: two cells, which all blocks of the row add to, and whose lanes are added up once.
// CHECK-LABEL: func.func @blocks
// CHECK:        [[ZERO:%[0-9]+]] = arith.constant -0.000000e+00 : f64
// CHECK-NEXT:   [[ZEROS:%[0-9]+]] = vector.broadcast [[ZERO]] : f64 to vector<2xf64>
// CHECK-NEXT:   [[FIRST:%[0-9]+]] = loop.cell [[ZEROS]] : vector<2xf64>
// CHECK-NEXT:   [[SECOND:%[0-9]+]] = loop.cell [[ZEROS]] : vector<2xf64>
// CHECK:        [[REACHED:%[0-9]+]] = loop.cell {{%[a-z0-9_]+}} : index
// CHECK-NEXT:   loop.for %p = %begin to %end {
// CHECK:          loop.load %a[{{%[a-z0-9_]+}}] : vector<2xf64>
// CHECK:          loop.load %x[{{%[a-z0-9_]+}}] : vector<2xf64>
// CHECK-NEXT:     arith.mulf {{%[a-z0-9_]+}}, {{%[a-z0-9_]+}} fastmath<contract> : vector<2xf64>
// CHECK:          arith.addf {{%[a-z0-9_]+}}, {{%[a-z0-9_]+}} fastmath<reassoc,contract> : vector<2xf64>
// CHECK-NEXT:     loop.set {{%[a-z0-9_]+}}, [[FIRST]] : vector<2xf64>
// CHECK:          loop.set {{%[a-z0-9_]+}}, [[SECOND]] : vector<2xf64>
// CHECK-NOT:      loop.for
// CHECK:        loop.if
// CHECK:          [[ROW:%[a-z0-9_]+]] = vector.reduction <add>, {{%[a-z0-9_]+}} fastmath<reassoc,contract> : vector<2xf64> into f64
// CHECK-NEXT:     [[SUM:%[a-z0-9_]+]] = arith.addf {{%[a-z0-9_]+}}, [[ROW]] fastmath<reassoc,contract> : f64
// CHECK-NEXT:     loop.store [[SUM]], %y[%b] : f64
func.func @blocks(%a: !loop.buffer<f64>, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %crd: !loop.buffer<index>, %b: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %c = loop.load %crd[%p] : index
    %first = arith.muli %p, %2 : index
    %column = arith.muli %c, %2 : index
    loop.for %i = %0 to %2 {
      %row = arith.addi %first, %i : index
      %start = arith.muli %row, %2 : index
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %2 {
        %pa = arith.addi %start, %j : index
        %va = loop.load %a[%pa] : f64
        %px = arith.addi %column, %j : index
        %vx = loop.load %x[%px] : f64
        %m = arith.mulf %va, %vx fastmath<contract> : f64
        %old = loop.load %y[%at] : f64
        %new = arith.addf %old, %m fastmath<reassoc,contract> : f64
        loop.store %new, %y[%at] : f64
      }
    }
  }
  func.return
}

// -----

// What is stored as 0 is absent: the lanes of %x are chosen by those of %a that are not zero, whatever its sign.
// CHECK-LABEL: func.func @absent
// CHECK:          [[BITS:%[a-z0-9_]+]] = arith.bitcast {{%[a-z0-9_]+}} : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     [[DOUBLED:%[0-9]+]] = arith.addi [[BITS]], [[BITS]] : vector<4xi32>
// CHECK:          [[OTHER:%[a-z0-9_]+]] = llvm.icmp "ne" [[DOUBLED]], {{%[a-z0-9_]+}} : vector<4xi32>
// CHECK-NEXT:     llvm.sext [[OTHER]] : vector<4xi1> to vector<4xi32>
// CHECK:          arith.andi
func.func @absent(%a: !loop.buffer<f32>, %x: !loop.buffer<f32>, %y: !loop.buffer<f32>, %b: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %zero = arith.constant 0.000000e+00 : f32
  loop.for %p = %begin to %end {
    %first = arith.muli %p, %4 : index
    loop.for %i = %0 to %1 {
      %at = arith.addi %b, %i : index
      loop.for %j = %0 to %4 {
        %pa = arith.addi %first, %j : index
        %va = loop.load %a[%pa] : f32
        %vx = loop.load %x[%j] : f32
        %is = arith.cmpf une, %va, %zero : f32
        %kept = arith.select %is, %vx, %zero : f32
        %m = arith.mulf %va, %kept fastmath<contract> : f32
        %old = loop.load %y[%at] : f32
        %new = arith.addf %old, %m fastmath<reassoc,contract> : f32
        loop.store %new, %y[%at] : f32
      }
    }
  }
  func.return
}

// -----

// Blocks that are not full add to the elements themselves meanwhile: sums of integers have no order.
// CHECK-LABEL: func.func @ragged
// CHECK:        loop.for %p =
// CHECK:          loop.if
// CHECK:            loop.load %a[{{%[a-z0-9_]+}}] : vector<2xi64>
// CHECK:          } else {
// CHECK:            loop.for %i{{[_0-9]*}} = %0 to
// CHECK-NEXT:         %at{{[_0-9]*}} = arith.addi
// CHECK-NEXT:         loop.for
// CHECK:                loop.store {{.*}}, %y
// CHECK:        vector.reduction <add>, {{%[a-z0-9_]+}} : vector<2xi64> into i64
func.func @ragged(%a: !loop.buffer<i64>, %y: !loop.buffer<i64>, %lengths: !loop.buffer<index>, %b: index, %begin: index, %end: index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  loop.for %p = %begin to %end {
    %length = loop.load %lengths[%p] : index
    %full = arith.cmpi eq, %length, %2 : index
    %first = arith.muli %p, %2 : index
    loop.if %full {
      loop.for %i = %0 to %2 {
        %at = arith.addi %b, %i : index
        loop.for %j = %0 to %2 {
          %pa = arith.addi %first, %j : index
          %va = loop.load %a[%pa] : i64
          %old = loop.load %y[%at] : i64
          %new = arith.addi %old, %va : i64
          loop.store %new, %y[%at] : i64
        }
      }
    } else {
      loop.for %i = %0 to %2 {
        %at = arith.addi %b, %i : index
        loop.for %j = %0 to %length {
          %pa = arith.addi %first, %j : index
          %va = loop.load %a[%pa] : i64
          %old = loop.load %y[%at] : i64
          %new = arith.addi %old, %va : i64
          loop.store %new, %y[%at] : i64
        }
      }
    }
  }
  func.return
}
