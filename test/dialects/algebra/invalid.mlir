// RUN: irtensor-opt %s --split-input-file --verify-diagnostics

func.func @unknown(%a: f64) {
  // expected-error @+1 {{unknown operator 'plus'; built in are abs, acos, acosh, add, and}}
  %0 = algebra.apply plus(%a, %a) : (f64, f64) -> f64
  func.return
}

// -----

func.func @arity(%a: f64) {
  // expected-error @+1 {{'add' takes 2 operands, got 1}}
  %0 = algebra.apply add(%a) : (f64) -> f64
  func.return
}

// -----

func.func @mixed_types(%a: f64, %b: i32) {
  // expected-error @+1 {{'add' needs operands of one type, got f64, i32; insert algebra.cast}}
  %0 = algebra.apply add(%a, %b) : (f64, i32) -> f64
  func.return
}

// -----

// A comparison gives a truth value.
func.func @comparison(%a: f64) {
  // expected-error @+1 {{'lt' of f64 gives i1, not f64}}
  %0 = algebra.apply lt(%a, %a) : (f64, f64) -> f64
  func.return
}

// -----

// The absolute value of a complex number is a float.
func.func @absolute(%a: complex<f64>) {
  // expected-error @+1 {{'abs' of complex<f64> gives f64, not complex<f64>}}
  %0 = algebra.apply abs(%a) : (complex<f64>) -> complex<f64>
  func.return
}

// -----

func.func @condition(%a: f64) {
  // expected-error @+1 {{the condition of 'where' is i1, not f64}}
  %0 = algebra.apply where(%a, %a, %a) : (f64, f64, f64) -> f64
  func.return
}

// -----

func.func @alternatives(%c: i1, %a: f64, %b: f32) {
  // expected-error @+1 {{'where' needs operands of one type, got f64, f32}}
  %0 = algebra.apply where(%c, %a, %b) : (i1, f64, f32) -> f64
  func.return
}

// -----

func.func @cast_source(%a: index) {
  // expected-error @+1 {{index is not an element type; those are i1, i8,}}
  %0 = algebra.cast %a : index to f64
  func.return
}

// -----

func.func @cast_target(%a: f64) {
  // expected-error @+1 {{i7 is not an element type}}
  %0 = algebra.cast %a : f64 to i7
  func.return
}

// -----

func.func @constant_type() {
  // expected-error @+1 {{constant 1 : i32 is not of type f64}}
  %0 = "algebra.constant"() <{value = 1 : i32}> : () -> f64
  func.return
}

// -----

func.func @constant_text() {
  // expected-error @+1 {{expected a number with its type, or a pair of floats for a complex number}}
  %0 = algebra.constant "one"
  func.return
}

// -----

// expected-error @+1 {{operator @f must end in algebra.yield}}
algebra.operator @f(%a: f64) -> f64 {
  // expected-error @+1 {{is not a terminator}}
  %0 = algebra.apply neg(%a) : (f64) -> f64
}

// -----

// expected-error @+1 {{operator @f yields f64, declared i1}}
algebra.operator @f(%a: f64) -> i1 {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f yields f64, declared f64, f64}}
algebra.operator @f(%a: f64) -> (f64, f64) {
  algebra.yield %a : f64
}

// -----

// An operator is folded and inlined by its body, so the body holds nothing else.
// expected-error @+1 {{operator @f holds 'arith.addf', which is not of the algebra dialect}}
algebra.operator @f(%a: f64) -> f64 {
  %0 = arith.addf %a, %a : f64
  algebra.yield %0 : f64
}

// -----

// expected-error @+1 {{the identity of operator @f is 0 : i32, not of its argument type}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {identity = 0 : i32} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{the annihilator of operator @f is "zero", not of its argument type}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {annihilator = "zero"} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f cannot be associative or idempotent: its types differ}}
algebra.operator @f(%a: f64, %b: i32) -> f64 attributes {associative} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f cannot be associative or idempotent: its types differ}}
algebra.operator @f(%a: f64) -> f64 attributes {idempotent} {
  algebra.yield %a : f64
}

// -----

// Beside an identity an operator gives the other argument, which is of the result's type.
// expected-error @+1 {{operator @f cannot have an identity, beside which it gives the other argument: its types differ}}
algebra.operator @f(%a: i64, %b: i64) -> f64 attributes {identity = 0 : i64} {
  %0 = algebra.cast %a : i64 to f64
  algebra.yield %0 : f64
}

// -----

// expected-error @+1 {{operator @f cannot have an identity, beside which it gives the other argument: its types differ}}
algebra.operator @f(%a: f64, %b: i32) -> f64 attributes {identity = 0.0 : f64} {
  algebra.yield %a : f64
}

// -----

// Beside an annihilator it gives that, in the result's type.
// expected-error @+1 {{the annihilator of operator @f is 5.000000e+00 : f64, which is not a value of its result type i1}}
algebra.operator @f(%a: f64, %b: f64) -> i1 attributes {annihilator = 5.0 : f64} {
  %0 = algebra.apply lt(%a, %b) : (f64, f64) -> i1
  algebra.yield %0 : i1
}

// -----

// expected-error @+1 {{the annihilator of operator @f is 9223372036854775807 : i64, which is not a value of its result type f64}}
algebra.operator @f(%a: i64, %b: i64) -> f64 attributes {annihilator = 9223372036854775807 : i64} {
  %0 = algebra.cast %a : i64 to f64
  algebra.yield %0 : f64
}

// -----

// expected-error @+1 {{unknown operator 'plus'; built in are abs, acos, acosh, add, and}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {distributes_over = ["add", "plus"]} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f cannot distribute over 'neg', which does not combine two values}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {distributes_over = ["neg"]} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f cannot distribute over 'lt', which does not combine two values}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {distributes_over = ["lt"]} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f distributes over @g, which no algebra.operator declares}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {distributes_over = [@g]} {
  algebra.yield %a : f64
}

// -----

// What reduces combines two values of the type that the operator takes and gives.
// expected-error @+1 {{operator @f cannot distribute over @g, which does not combine two values of f64}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {distributes_over = [@g]} {
  algebra.yield %a : f64
}
algebra.operator @g(%a: f32, %b: f32) -> f32 {
  algebra.yield %a : f32
}

// -----

// expected-error @+1 {{operator @f cannot distribute over another: its types differ}}
algebra.operator @f(%a: i64, %b: i64) -> f64 attributes {distributes_over = ["add"]} {
  %0 = algebra.cast %a : i64 to f64
  algebra.yield %0 : f64
}

// -----

// expected-error @+1 {{expected ArrayAttr attribute}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {distributes_over = "add"} {
  algebra.yield %a : f64
}

// -----

// The result is used as what it is declared to be.
algebra.operator @f(%a: i64, %b: i64) -> f64 {
  %0 = algebra.cast %a : i64 to f64
  algebra.yield %0 : f64
}
func.func @used(%a: i64) {
  // expected-error @+1 {{operator @f is (i64, i64) -> f64, used as (i64, i64) -> i64}}
  %0 = algebra.apply @f(%a, %a) : (i64, i64) -> i64
  func.return
}

// -----

// The body sees its arguments only.
func.func @outside(%a: f64) {
  builtin.module {
    // expected-error @+1 {{value defined out of its IsolatedFromAbove parent}}
    algebra.operator @f(%b: f64) -> f64 {
      algebra.yield %a : f64
    }
  }
  func.return
}

// -----

func.func @operand_type(%a: f128) {
  // expected-error @+1 {{f128 is neither index nor an element type, which are i1, i8,}}
  %0 = algebra.apply add(%a, %a) : (f128, f128) -> f128
  func.return
}

// -----

func.func @constant_element() {
  // expected-error @+1 {{i7 is neither index nor an element type}}
  %0 = algebra.constant 1 : i7
  func.return
}

// -----

// A declared operator is applied to what it takes.
algebra.operator @f(%a: f64) -> f64 {
  algebra.yield %a : f64
}
func.func @declared(%a: f64) {
  // expected-error @+1 {{operator @f is (f64) -> f64, used as (f64, f64) -> f64}}
  %0 = algebra.apply @f(%a, %a) : (f64, f64) -> f64
  func.return
}

// -----

// expected-error @+1 {{the region of operator @f names 1 operands, the operator has 2}}
algebra.operator @f(%a: f64, %b: f64) -> f64 attributes {region = #algebra.region<(a) -> a>} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{the fill of operator @f is 0 : i32, not of its result type}}
algebra.operator @f(%a: f64) -> f64 attributes {region = #algebra.region<(a) -> a>, fill = 0 : i32} {
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{a case of operator @f is [2], but it has 2 operands}}
algebra.operator @f(%a: f64, %b: f64) -> f64 {
  algebra.yield %a : f64
} case [2] {
^bb0(%a: f64, %b: f64):
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{a case of operator @f is [1, 0]; each has its numbers in order, once}}
algebra.operator @f(%a: f64, %b: f64) -> f64 {
  algebra.yield %a : f64
} case [1, 0] {
^bb0(%a: f64, %b: f64):
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{a case of operator @f does not take what the operator takes}}
algebra.operator @f(%a: f64, %b: f64) -> f64 {
  algebra.yield %a : f64
} case [1] {
^bb0(%a: f64):
  algebra.yield %a : f64
}

// -----

// expected-error @+1 {{operator @f yields i1, declared f64}}
algebra.operator @f(%a: f64) -> f64 {
  algebra.yield %a : f64
} case [0] {
^bb0(%a: f64):
  %0 = algebra.constant true
  algebra.yield %0 : i1
}

// -----

// expected-error @+1 {{[bad-region] expected ')' in a region}}
algebra.operator @f(%a: f64) -> f64 attributes {region = #algebra.region<(a) -> (a>} {
  algebra.yield %a : f64
}

// -----

func.func @entry(%a: f64) {
  // expected-error @+1 {{only 'where' chooses between an entry and none}}
  %0 = algebra.apply neg(%a) entry : (f64) -> f64
  func.return
}

// -----

func.func @both() {
  // expected-error @+1 {{a constant is an entry or absent, not both}}
  %0 = algebra.constant absent entry 0.0 : f64
  func.return
}

// -----

func.func @parts(%a: f64) {
  // expected-error @+1 {{'complex' of f64 gives complex<f64>, not f64}}
  %0 = algebra.apply complex(%a, %a) : (f64, f64) -> f64
  func.return
}

// -----

func.func @no_element(%a: f64) {
  // expected-error @+1 {{index is not an element type}}
  %0 = algebra.cast %a written : f64 to index
  func.return
}
