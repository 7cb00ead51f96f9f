// RUN: irtensor-opt %s -p lower-entry | filecheck %s

#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>

// A fiber of unknown origin has no positions yet.
// CHECK: iteration_lattice.entry_count %f levels 1
func.func @unknown(%f: !storage.fiber<tensor<?x?xf64, #csr>, 1>) -> index {
  %n = iteration_lattice.entry_count %f levels 1 : !storage.fiber<tensor<?x?xf64, #csr>, 1>
  func.return %n : index
}
