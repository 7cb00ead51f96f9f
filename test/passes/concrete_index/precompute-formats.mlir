// RUN: irtensor-opt -p 'precompute{expression="b[i, j]" variables=i,j format="hashed, bitmap"}' %s | filecheck %s
// RUN: irtensor-opt -p 'precompute{expression="b[i, j]" variables=i,j format="bitmap, bitmap"}' %s | filecheck %s --check-prefix=SETS

// A set has all places that there are. Below a table, which adds slots as they are needed, there are flags.
// CHECK: concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : map, j : bitmap)>>
// SETS: concrete_index.where produce (%w) : tensor<?x?xf64, #storage.format<(i, j) -> (i : accumulator, j : accumulator)>>
func.func @sum(%b: tensor<?x?xf64>, %c: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%r) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %x = concrete_index.access %b[%i, %j] : tensor<?x?xf64>
        %z = concrete_index.access %c[%i, %j] : tensor<?x?xf64>
        %s = algebra.apply add(%x, %z) : (f64, f64) -> f64
        concrete_index.assign %s into %r[%i, %j] : tensor<?x?xf64>
      }
    }
  }
  func.return %y : tensor<?x?xf64>
}
