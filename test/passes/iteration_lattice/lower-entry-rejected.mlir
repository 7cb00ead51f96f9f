// RUN: irtensor-opt %s -p lower-entry | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A fiber of unknown origin has no positions yet.
// CHECK: iteration_lattice.entry_count %f levels 1
func.func @unknown(%f: !storage.fiber<tensor<?x?xf64, #csr>, 1>) -> index {
  %n = iteration_lattice.entry_count %f levels 1 : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  func.return %n : index
}

// Nor has a value of unknown origin.
// CHECK: iteration_lattice.entry_number %x from %n past %n in
func.func @unknown_value(%A: tensor<?x?xf64, #csr>, %x: f64, %n: index) -> index {
  %r = storage.root %A : tensor<?x?xf64, #csr>
  %p = iteration_lattice.entry_number %x from %n past %n in %r levels 2 : f64, !storage.fiber<tensor<?x?xf64, #csr>, 0>
  func.return %p : index
}
