"""Sums of the rows of a dense matrix, in concrete index notation: a module for texts of errors."""

ROW_SUMS = """func.func @f(%B: tensor<?x?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%r) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %b into %r[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
"""
