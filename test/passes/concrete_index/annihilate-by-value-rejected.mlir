// RUN: irtensor-opt %s -p annihilate-by-value | filecheck %s

// What a list, an integer, a literal or a declared operator decides is left alone.
// CHECK-NOT: algebra.apply ne
// CHECK-NOT: algebra.apply where
#rows = #storage.format<(i, j) -> (i : dense, j : compressed)>
#blocks = #storage.format<(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)>
#dense = #storage.format<(i, j) -> (i : dense, j : dense)>

algebra.operator @both(%a : f64, %b : f64) -> f64 attributes {annihilator = 0.0 : f64} {
  %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
  algebra.yield %p : f64
}

func.func @lists(%A: tensor<?x?xf64, #rows>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #rows>
      %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

func.func @dense(%A: tensor<?x?xf64, #dense>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #dense>
      %b = concrete_index.access %B[%i, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      concrete_index.assign %p into %out[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

func.func @finite(%A: tensor<?x?xf64, #blocks>, %B: tensor<?x?xi32>) -> tensor<?x?xf64> {
  %y = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i { concrete_index.forall %j {
      %two = algebra.constant 2.0 : f64
      %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #blocks>
      %b = concrete_index.access %B[%i, %j] : tensor<?x?xi32>
      %c = algebra.cast %b : i32 to f64
      %p = algebra.apply mul(%a, %two) : (f64, f64) -> f64
      %q = algebra.apply mul(%p, %c) : (f64, f64) -> f64
      %r = algebra.apply @both(%q, %a) : (f64, f64) -> f64
      concrete_index.assign %r into %out[%i, %j] : tensor<?x?xf64>
    } }
  }
  func.return %y : tensor<?x?xf64>
}

// A workspace that records what is stored has a list of entries.
func.func @recorded(%A: tensor<?xf64, #storage.format<(i) -> (i : compressed)>>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.where produce (%w) : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>> {
      concrete_index.forall %i {
        %a = concrete_index.access %A[%i] : tensor<?xf64, #storage.format<(i) -> (i : compressed)>>
        concrete_index.assign %a into %w[%i] : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
      }
    } consume (%r) {
      concrete_index.forall %i {
        %a = concrete_index.access %r[%i] : tensor<?xf64, #storage.format<(i) -> (i : accumulator)>>
        %b = concrete_index.access %x[%i] : tensor<?xf64>
        %q = algebra.apply div(%a, %b) : (f64, f64) -> f64
        concrete_index.assign %q into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
