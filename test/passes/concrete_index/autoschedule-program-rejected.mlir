// RUN: not irtensor-opt %s -p 'autoschedule{program=y}' 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: not irtensor-opt %s -p 'autoschedule{program="forall i: y[i] = x[i]"}' 2>&1 | filecheck %s --check-prefix=OTHER

// What is wrong with a program is said at the definition that it is for.
// TEXT: {{.*}}:[[# @LINE + 5]]:8: error: [bad-expression] expected an assignment such as a[i] += b[i], found 'y', in 'y'
// TEXT-NEXT: %y = concrete_index.compute
// OTHER: {{.*}}:[[# @LINE + 3]]:8: error: [bad-schedule-step] autoschedule: 'forall i: y[i] = x[i]' does not compute this definition
// OTHER-NEXT: %y = concrete_index.compute
func.func @sum(%x: tensor<?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%y) : tensor<f64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign add %a into %y[] : tensor<f64>
    }
  }
  func.return %y : tensor<f64>
}
