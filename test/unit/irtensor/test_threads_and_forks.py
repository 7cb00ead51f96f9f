"""First uses in several threads, forks at any moment, and operands of all kinds through one kernel at once."""

import gc
import os
import sys
import textwrap
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from forked_children import Children

import irtensor as it
from irtensor import collector_paused
from irtensor.interop.as_operand import as_operand
from irtensor.late_imports import load_for, lock

ROOT = Path(it.__file__).parent.parent
can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


# What every program here loads, and nothing of ours: first uses are what is looked at.
CHILDREN = cache(lambda: Children(["numpy", "scipy.sparse"], {**os.environ, "PYTHONPATH": str(ROOT)}))


def run(code: str, *arguments: str, folder: Path) -> str:
    """What a program prints in a process of its own, which has to end without an error."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "IRTENSOR_CACHE_DIR": str(folder / "cache")}
    start = f"""
import os, sys, warnings
os.chdir({str(folder)!r})
sys.argv[1:] = {list(arguments)}
warnings.filterwarnings("ignore", category=DeprecationWarning)
"""
    result = CHILDREN().run(start + textwrap.dedent(code), environment)
    assert (result.code, result.errors) == (0, "")
    return result.output


FIRST_USES = {
    "sparse": "it.compile('y[i] = A[i,j] * x[j]')(A=A, x=x).tolist()",
    "einsum": "it.einsum('ij,j->i', A, x).tolist()",
    "tensor": "(it.Tensor.from_scipy(A) @ x).tolist()",
    "lazy": "lazy()",
    "masked": "refused()",
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("disk", ["0", "1"])
@pytest.mark.parametrize("names", [["sparse"] * 4, ["sparse", "einsum", "tensor", "lazy", "masked"]])
def test_first_use_in_several_threads(names: list[str], disk: str, tmp_path: Path) -> None:
    code = """
        import os, sys, threading
        os.environ["IRTENSOR_DISK_CACHE"] = sys.argv[1]
        sys.setswitchinterval(1e-5)
        import numpy as np, scipy.sparse as sp, irtensor as it
        A, x, found, together = sp.eye_array(5, format="csr"), np.ones(5), [], threading.Barrier(len(sys.argv) - 2)
        def lazy():
            i, j = it.indices("i j")
            y, S = it.tensor_variable("y", 1), it.Tensor.from_scipy(A)
            y[i] = S[i, j] * it.Tensor.from_numpy(x)[j]
            return np.asarray(y.evaluate()).tolist()
        def refused():
            try:
                it.compile("y[i] = 2 * x[i]")(x=np.ma.array(x, mask=True))
            except it.UserError:
                return x.tolist()
        def work(expression):
            together.wait()
            try:
                found.append(eval(expression))
            except BaseException as error:
                found.append(repr(error))
        threads = [threading.Thread(target=work, args=(each,)) for each in sys.argv[2:]]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(*[each for each in found if each != x.tolist()])
    """
    assert run(code, disk, *[FIRST_USES[name] for name in names], folder=tmp_path) == "\n"


@pytest.mark.one_in(4)
@can_fork
@pytest.mark.parametrize("wait", [0.0, 0.01, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_child_of_a_first_compilation_compiles(wait: float, tmp_path: Path) -> None:
    code = """
        import gc, os, signal, sys, threading, time, numpy as np, irtensor as it
        def use(number):
            return it.compile(f"y[i] = a[i] + {number}", disk_cache=False)(a=np.ones(3))
        thread = threading.Thread(target=use, args=(1,))
        thread.start()
        time.sleep(float(sys.argv[1]))
        child = os.fork()
        if child == 0:
            signal.alarm(40)
            right = use(2).tolist() == [3.0] * 3 and gc.isenabled()
            os._exit(0 if right else 3)
        status = os.waitpid(child, 0)[1]
        thread.join()
        print(status, gc.isenabled())
    """
    assert run(code, str(wait), folder=tmp_path) == "0 True\n"


def child_of_a_first_use(expression: str, wait: float, folder: Path, loaded: str = "it") -> str:
    """The status of a child that does what another thread of its parent has begun to do, then what went wrong there.

    `loaded` is what the parent has looked at before.
    """
    code = """
        import os, signal, sys, threading, time, numpy as np, scipy.sparse as sp, irtensor as it
        A, x = sp.eye_array(5, format="csr"), np.ones(5)
        with open("a.mtx", "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\\n2 2 1\\n1 1 1.5\\n")
        failed = []
        def use():
            try:
                eval(sys.argv[1])
            except BaseException as error:
                failed.append(repr(error))
        eval(sys.argv[3])
        thread = threading.Thread(target=use)
        thread.start()
        time.sleep(float(sys.argv[2]))
        child = os.fork()
        if child == 0:
            signal.alarm(40)
            use()
            if failed: os.write(2, failed[0].encode())
            os._exit(len(failed))
        status = os.waitpid(child, 0)[1]
        thread.join()
        print(status, *failed)
    """
    return run(code, expression, str(wait), loaded, folder=folder)


ACTIVITIES = {
    "explain": "it.compile('y[i] = A[i,j] * x[j]').explain()",
    "ir": "it.compile('y[i] = 2 * x[i]').llvm_ir()",
    "module": "it.compile_module(it.compile('y[i] = 2 * x[i]').ir('index_notation'))(x)",
    "files": "it.write('own' + str(os.getpid()) + '.mtx', A), it.read('a.mtx')",
    "pydata": "it.as_tensor(A).to_pydata()",
    "steps": "it.einsum('ij,jk,kl->il', np.eye(5), np.eye(5), np.eye(5), optimize='optimal')",
    "page": "it.as_tensor(A)._repr_html_()",
    "ufunc": "np.sqrt(it.as_tensor(A))",
    "schedule": "it.compile('y[i] = A[i,j] * x[j]', schedule='auto')(A=A, x=x)",
    "semiring": "it.einsum('ij,j->i', A, x, semiring=it.MIN_PLUS)",
}


@can_fork
@pytest.mark.one_in(12)
@pytest.mark.parametrize("wait", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("name", ACTIVITIES)
def test_a_child_of_a_first_use_of_anything(name: str, wait: float, tmp_path: Path) -> None:
    """The child does what another thread of its parent was doing for the first time."""
    if name == "pydata":
        pytest.importorskip("sparse")
    loaded = "it.compile, it.as_tensor, it.einsum"
    assert child_of_a_first_use(ACTIVITIES[name], wait, tmp_path, loaded) == "0\n"


@can_fork
def test_a_child_of_a_thread_that_uses_llvm(tmp_path: Path) -> None:
    """LLVM's memory is given back outside of the lock under which kernels are compiled."""
    code = """
        import os, signal, threading, llvmlite.binding as llvm, numpy as np, irtensor as it
        it.compile('y[i] = 2 * x[i]')(np.ones(3))
        done = []
        def use():
            while not done:
                llvm.parse_assembly("define i32 @f() { ret i32 1 }")
        thread = threading.Thread(target=use)
        thread.start()
        for number in range(3, 8):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                it.compile(f'y[i] = {number} * x[i]', disk_cache=False)(np.ones(3))
                os._exit(0)
            print(os.waitpid(child, 0)[1])
        done.append(True)
        thread.join()
    """
    assert run(code, folder=tmp_path) == "0\n" * 5


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("statement", "format"),
    [
        ("y[i] = a[i] + 2", None),
        ("y[i] = A[i,j] * x[j]", None),
        ("C[i,j] = A[i,k] * B[k,j]", "csr"),
        ("C[i,j] = max(A[i,j], B[j,i])", "coo"),
        ("s = prod(i, x[i])", None),
        ("C[i,j] = sin(A[i,j]) * x[j]", "bcsr(2,2)"),
    ],
)
def test_nothing_is_imported_late(statement: str, format: str | None, tmp_path: Path) -> None:
    """With what is imported at once, no statement imports a module of irtensor while it is compiled and called."""
    code = """
        import sys, numpy as np, scipy.sparse as sp, irtensor as it
        from irtensor import late_imports
        A, x, marks = sp.eye_array(5, format="csr"), np.ones(5), []
        def marked(group=None):
            if group is not None:
                late_imports.load_for(group)
            marks.append({name for name in sys.modules if name.startswith("irtensor")})
        it.compile, marked("compiling")
        if "A[" in sys.argv[1]:
            marked("tensors")
        formats = {"C": sys.argv[2]} if len(sys.argv) > 2 else {}
        operands = {name: A if name in "AB" else x for name in "ABax" if f"{name}[" in sys.argv[1]}
        it.compile(sys.argv[1], formats=formats, disk_cache=False, num_threads=2)(**operands)
        marked()
        print(*sorted(marks[-1] - marks[-2]))
    """
    late = set(run(code, statement, *([] if format is None else [format]), folder=tmp_path).split())
    # What takes formats apart is loaded with the first that a statement names.
    assert late <= {"irtensor.named_formats", "irtensor.storage.convert_format", "irtensor.storage.pack_coordinates"}


@can_fork
def test_a_child_turns_the_collector_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector_paused, "_pausing", [0])
    gc.disable()
    try:
        collector_paused._resume_collector()
        assert gc.isenabled() and not collector_paused._pausing
    finally:
        gc.enable()


@can_fork
def test_a_child_imports_what_another_thread_was_importing(tmp_path: Path) -> None:
    """Python itself would leave the lock of the module held in the child."""
    (tmp_path / "slow_module.py").write_text("import time; time.sleep(0.5)")
    code = """
        import _imp, os, signal, sys, threading, time, irtensor
        sys.path.insert(0, ".")
        def use():
            import slow_module
        thread = threading.Thread(target=use)
        thread.start()
        time.sleep(0.1)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            use()
            free = not _imp.lock_held() and irtensor._lock.acquire(blocking=False)
            os._exit(0 if free else 3)
        print(os.waitpid(child, 0)[1], _imp.lock_held(), irtensor._lock._is_owned())
        thread.join()
    """
    assert run(code, folder=tmp_path) == "0 False False\n"


@pytest.mark.one_in(4)
@can_fork
@pytest.mark.parametrize("wait", [0.003, 0.01, 0.03])
@pytest.mark.parametrize("formats", ["{'A': 'csr'}", "{'y': 'compressed'}"])
def test_a_child_of_the_first_reading_of_a_format(formats: str, wait: float, tmp_path: Path) -> None:
    expression = f"it.compile('y[i] = A[i,j] * x[j]', formats={formats})(A=A, x=x)"
    assert child_of_a_first_use(expression, wait, tmp_path) == "0\n"


@can_fork
def test_a_lock_that_a_fork_waits_for():
    order: list[str] = []
    held, go_on = threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            go_on.wait()
            order.append("released")

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    threading.Timer(0.2, go_on.set).start()
    child = os.fork()
    if child == 0:
        free = lock.acquire(blocking=False)
        os._exit(0 if free and order == ["released"] else 1)
    assert os.waitpid(child, 0)[1] == 0 and order == ["released"]
    thread.join()
    # The thread that forks may have it.
    with lock:
        child = os.fork()
        if child == 0:
            lock.release()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    assert lock.acquire(blocking=False)
    lock.release()


def test_modules_that_are_half_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Empty:
        pass

    for name in ("irtensor.tensors.tensor", "scipy.sparse", "numpy.ma"):
        monkeypatch.setitem(sys.modules, name, Empty())
    np.testing.assert_array_equal(as_operand([1.0, 2.0]), [1.0, 2.0])


def test_operands_of_very_different_extents_at_once():
    """Each thread's operands have extents, formats and dtypes of their own; what is wide for one is not for another."""
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"C": "compressed, compressed"}, num_threads=1)
    narrow = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), "csr")
    coordinates = [np.arange(3)] * 2
    wide = it.Tensor.from_coo(coordinates, [1.0, 2.0, 3.0], shape=(2**40, 2**40), format="compressed, compressed")
    single = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]).astype(np.float32), "compressed, compressed")
    wrong, interval = [], sys.getswitchinterval()

    def work(operand: it.Tensor) -> None:
        for _ in range(150):
            try:
                result = kernel(A=operand, B=operand)
                if result.values.tolist() != [1.0, 4.0, 9.0] or result.shape != operand.shape:
                    wrong.append(result)
            except BaseException as error:
                wrong.append(error)

    for operand in (narrow, wide, single):
        kernel(A=operand, B=operand)
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(operand,)) for operand in (narrow, wide, single, wide)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_groups_are_loaded_once():
    load_for("tensors")
    load_for("compiling")
    assert {"irtensor.tensors.tensor", "irtensor.passes.llvm.support.lower_sets"} <= set(sys.modules)
