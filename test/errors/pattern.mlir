// RUN: not irtensor-opt %s 2>&1 | filecheck %s

#pattern = #storage.format<(i) -> (i : compressed), leaf = pattern>
func.func @f(%A: tensor<?xf64, #pattern>) -> tensor<?xf64> {
  %y = index_notation.assign [%i : range] { } : tensor<?xf64>
}

// CHECK: a pattern has no values of type f64
