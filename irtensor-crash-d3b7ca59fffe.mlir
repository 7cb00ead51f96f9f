// irtensor-opt irtensor-crash-d3b7ca59fffe.mlir
// irtensor 0.1.0, xdsl 0.74.0, Python 3.11.7
func.func @free_index(%x: tensor<?xf64>, %n: index) {
  // expected-error @+1 {{index 0 is not an index variable of a forall or let around the access}}
  %a = concrete_index.access %x[%n] : tensor<?xf64>
  func.return
}
// Traceback (most recent call last):
//   File "/work/main/irtensor/tools/irtensor_opt.py", line 203, in _compile
//     outcome.errors = [] if self.args.disable_verify else verification_errors(module)
//                                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   File "/work/main/irtensor/tools/pass_runner.py", line 56, in verification_errors
//     module.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 1224, in verify
//     region.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 2529, in verify
//     block.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 1928, in verify
//     operation.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 1224, in verify
//     region.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 2529, in verify
//     block.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 1928, in verify
//     operation.verify()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/ir/core.py", line 1228, in verify
//     self.verify_()
//   File "/work/main/.venv/lib/python3.11/site-packages/xdsl/irdl/operations.py", line 2227, in verify_
//     custom_verify(self)
//   File "/work/main/irtensor/dialects/concrete_index.py", line 84, in verify_
//     if isinstance(_binder(self.tensor), ComputeOp):
//                   ^^^^^^^
// NameError: name '_binder' is not defined
