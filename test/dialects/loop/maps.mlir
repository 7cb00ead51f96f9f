// RUN: irtensor-opt %s | irtensor-opt | filecheck %s

// CHECK-LABEL: func.func @maps
func.func @maps(%i: index, %j: index, %pos: !loop.buffer<i64>, %crd: !loop.buffer<i64>, %slots: !loop.buffer<i64>) -> index {
  // CHECK-NEXT: %map = loop.index_map
  %map = loop.index_map
  // CHECK-NEXT: %slot, %present = loop.map_insert %i, %j into %map
  %slot, %present = loop.map_insert %i, %j into %map
  // CHECK-NEXT: %slot_1, %present_1 = loop.map_find %j, %i in %map
  %slot_1, %present_1 = loop.map_find %j, %i in %map
  // CHECK-NEXT: loop.map_list %map for %i into %pos, %crd, %slots : !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>
  loop.map_list %map for %i into %pos, %crd, %slots : !loop.buffer<i64>, !loop.buffer<i64>, !loop.buffer<i64>
  // CHECK-NEXT: %count = loop.map_count %map
  %count = loop.map_count %map
  // CHECK-NEXT: loop.map_clear %map
  loop.map_clear %map
  func.return %count : index
}

// CHECK-LABEL: func.func @maps_of_a_capacity
func.func @maps_of_a_capacity(%n: index, %memory: !loop.buffer<i64>, %full: !loop.buffer<i64>) {
  // CHECK-NEXT: %a = loop.index_map for %n
  %a = loop.index_map for %n
  // CHECK-NEXT: %b = loop.index_map for %n in %memory : !loop.buffer<i64> full %full : !loop.buffer<i64>
  %b = loop.index_map for %n in %memory : !loop.buffer<i64> full %full : !loop.buffer<i64>
  func.return
}
