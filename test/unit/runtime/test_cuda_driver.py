"""Cards of NVIDIA, by calls of the real bindings to a driver without a card: see test/support/cuda_stub.py."""

from __future__ import annotations

import subprocess
import sys

from cuda_stub import ROOT, run_with_stub

PTX = ".visible .entry kernel_0(.param .u64 a, .param .u64 b)\\n{ ret; }"


def test_importing_irtensor_loads_no_bindings():
    code = (
        "import sys, irtensor.api.compile, irtensor.tensors.tensor; "
        "print(*[n for n in sys.modules if n.split('.')[0] == 'cuda'])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_what_a_card_is():
    ran = run_with_stub(
        """
        card = cuda_device.device(1)
        show(str(card), card.memory, card.compute_capability, card.multiprocessors, cuda_device.device_count())
        show(cuda_device.device(1) is card)
        """,
        devices=2,
        memory=123,
    )
    assert ran.shown == ["GPU 1 (Stub 1)", 123, [9, 0], 132, 2, True]
    # Nothing is made on a card that is only looked at.
    assert not ran.named("cuDevicePrimaryCtxRetain")


def test_the_primary_context_is_used_and_its_pool_keeps_memory():
    ran = run_with_stub(
        """
        card = cuda_device.device()
        address = card.allocate(1000)
        card.release(address)
        """
    )
    assert len(ran.named("cuDevicePrimaryCtxRetain", "cuInit")) == 2
    # The attribute is the threshold above which a pool gives memory back.
    assert ran.named("cuMemPoolSetAttribute") == [f"cuMemPoolSetAttribute 4 {2**64 - 1}"]
    assert ran.named("cuMemAllocAsync") == ["cuMemAllocAsync 1000 0x1"]
    assert ran.kept() == set()


def test_another_context_is_current_again_afterwards():
    ran = run_with_stub(
        """
        card = cuda_device.device()
        cuda_driver.call("cuCtxSetCurrent", 0x777)
        card.synchronize()
        show(int(cuda_driver.call("cuCtxGetCurrent")))
        """
    )
    assert ran.shown == [0x777]
    assert ran.named("cuCtxSetCurrent")[-2:] == ["cuCtxSetCurrent 0x1000", "cuCtxSetCurrent 0x777"]


def test_copies_of_both_directions():
    ran = run_with_stub(
        """
        card = cuda_device.device()
        stream = card.new_stream()
        here, back = np.arange(5.0), np.zeros(5)
        address = card.allocate(here.nbytes, stream)
        card.copy_to_device(address, here.ctypes.data, here.nbytes, stream)
        card.copy_to_host(back.ctypes.data, address, back.nbytes, stream)
        card.release(address, stream)
        card.destroy_stream(stream)
        show(back.tolist(), hex(stream))
        """
    )
    values, stream = ran.shown
    assert values == [0, 1, 2, 3, 4]
    # 1 is for a stream that does not wait for the default one.
    assert ran.named("cuStreamCreate") == ["cuStreamCreate 1"]
    assert ran.named("cuMemcpyHtoDAsync", "cuStreamSynchronize", "cuMemcpyDtoHAsync") == [
        f"cuMemcpyHtoDAsync 40 {stream}",
        f"cuStreamSynchronize {stream}",
        f"cuMemcpyDtoHAsync 40 {stream}",
        f"cuStreamSynchronize {stream}",
    ]
    assert ran.named("cuStreamDestroy") == [f"cuStreamDestroy {stream}"]
    assert ran.kept() == set()


def test_memory_of_no_bytes_has_an_element():
    assert run_with_stub("cuda_device.device().allocate(0)").named("cuMemAllocAsync") == ["cuMemAllocAsync 16 0x1"]


def test_streams_wait_for_each_other_by_events():
    ran = run_with_stub("card = cuda_device.device(); card.order(0x50, 0x60); card.order(0x50, 0x50)")
    event = ran.named("cuEventRecord")[0].split()[1]
    assert ran.named("cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy") == [
        f"cuEventRecord {event} 0x50",
        f"cuStreamWaitEvent 0x60 {event}",
        f"cuEventDestroy {event}",
    ]


def test_time_between_events():
    ran = run_with_stub(
        """
        card = cuda_device.device()
        first, second = card.record(), card.record(0x50)
        show(second.milliseconds_since(first))
        del first, second
        """
    )
    assert ran.shown == [1.5]
    assert [call.split()[2] for call in ran.named("cuEventRecord")] == ["0x1", "0x50"]
    assert len(ran.named("cuEventDestroy")) == 2


def test_kernels_are_unloaded_with_the_last_that_uses_them():
    ran = run_with_stub(
        f"""
        module = cuda_device.device().load("{PTX}")
        show(module.function("kernel_0") != 0)
        del module
        show(1)
        """
    )
    assert ran.shown == [True, 1]
    assert ran.named("cuModuleGetFunction", "cuModuleUnload") == ["cuModuleGetFunction kernel_0", "cuModuleUnload"]


# Functions of the driver, by their names with the version, and what calls them.
CALLS = {
    "cuCtxGetCurrent": "card.synchronize()",
    "cuCtxSetCurrent": "card.synchronize()",
    "cuCtxSynchronize": "card.synchronize()",
    "cuStreamSynchronize": "card.synchronize(1)",
    "cuMemAllocAsync": "card.allocate(10)",
    "cuMemcpyHtoDAsync_v2": "card.copy_to_device(1, 2, 0)",
    "cuMemcpyDtoHAsync_v2": "card.copy_to_host(1, 2, 0)",
    "cuStreamCreate": "card.new_stream()",
    "cuStreamDestroy_v2": "card.destroy_stream(0x50)",
    "cuEventCreate": "card.order(0x50, 0x60)",
    "cuEventRecord": "card.order(0x50, 0x60)",
    "cuStreamWaitEvent": "card.order(0x50, 0x60)",
    "cuEventDestroy_v2": "card.order(0x50, 0x60)",
    "cuModuleGetFunction": f"card.load('{PTX}').function('kernel_0')",
    "cuDeviceGetName": "cuda_device.device(1)",
    "cuDeviceTotalMem_v2": "cuda_device.device(1)",
    "cuDeviceGetAttribute": "cuda_device.device(1)",
    "cuDeviceGet": "cuda_device.device(1)",
    "cuDeviceGetCount": "cuda_device.device(1)",
}


def test_an_error_of_any_call_names_it():
    ran = run_with_stub(
        f"""
        import os
        card = cuda_device.device()
        for name, use in {list(CALLS.items())}:
            os.environ["CUDA_STUB_FAIL"] = name + "=1"
            show(raised(lambda: eval(use)))
        """,
        devices=2,
    )
    for name, said in zip(CALLS, ran.shown, strict=True):
        text = f"{name.removesuffix('_v2')} of the CUDA driver returned CUDA_ERROR_INVALID_VALUE: invalid argument"
        assert said.split("\n")[0] == f"InternalError: internal error: {text}"


def test_an_event_whose_record_fails_is_given_back():
    ran = run_with_stub("card = cuda_device.device(); show(raised(lambda: card.record()))", fail="cuEventRecord=1")
    assert "cuEventRecord" in ran.shown[0] and len(ran.named("cuEventDestroy")) == 1


def test_an_error_that_the_bindings_do_not_know():
    ran = run_with_stub("show(raised(cuda_device.device().synchronize))", fail="cuCtxSynchronize=12345")
    said = "an error that the installed bindings do not know: 12345 is not a valid CUresult"
    assert f"cuCtxSynchronize of the CUDA driver returned {said}" in ran.shown[0]


def test_code_that_the_driver_rejects():
    ran = run_with_stub(
        """
        try:
            cuda_device.device().load("BROKEN")
        except it.InternalError as error:
            show(error.message, error.reproducer)
        """
    )
    said = "ptxas application ptx input, line 3; error   : Unknown symbol 'f'"
    assert ran.shown == [f"the driver rejected the code of a kernel: CUDA_ERROR_INVALID_PTX: {said}", "BROKEN"]


def test_code_that_is_loaded_after_an_error_of_a_kernel():
    ran = run_with_stub("show(raised(lambda: cuda_device.device().load('')))", fail="cuModuleLoadDataEx=700")
    assert ran.shown[0].startswith("UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: ")


def test_kept_memory_is_given_back_with_what_caches_hold():
    ran = run_with_stub(
        """
        import os
        it.clear_caches()
        cuda_device.device(1).synchronize()
        show(1)
        it.clear_caches()
        if (child := os.fork()) == 0:
            it.clear_caches()
            os._exit(0)
        show(os.waitpid(child, 0)[1])
        """,
        devices=2,
    )
    assert ran.shown == [1, 0]
    # After all that still uses memory, and on the one card that is used.
    assert ran.named("cuCtxSynchronize", "cuMemPoolTrimTo") == ["cuCtxSynchronize"] * 2 + ["cuMemPoolTrimTo 0"]


def test_memory_is_not_given_back_where_that_cannot_be_done():
    """Neither in a child of a process that used the card, nor after an error of a kernel."""
    ran = run_with_stub(
        """
        import os
        card = cuda_device.device()
        address = card.allocate(8)
        if (child := os.fork()) == 0:
            card.release(address)
            os._exit(0)
        show(os.waitpid(child, 0)[1])
        """
    )
    assert ran.shown == [0] and not ran.named("cuMemFreeAsync")
    ran = run_with_stub(
        """
        card = cuda_device.device()
        address = card.allocate(8)
        show(raised(card.synchronize)[:50], raised(lambda: card.release(address)))
        """,
        fail="cuCtxSynchronize=700",
    )
    assert ran.shown == ["UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL", "nothing"]


def test_a_child_may_use_the_card_if_its_parent_has_not():
    ran = run_with_stub(
        """
        import os
        if (child := os.fork()) == 0:
            show(cuda_device.device().name)
            os._exit(0)
        show(os.waitpid(child, 0)[1])
        """
    )
    assert ran.shown == ["Stub 0", 0]
