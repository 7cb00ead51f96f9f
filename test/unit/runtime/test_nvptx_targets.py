"""Which processor code is made for: by its name, and by the compute capability of a device."""

import pytest

import irtensor as it
from irtensor.runtime.nvptx_targets import PROCESSORS, processor_named, processor_of


@pytest.mark.parametrize("name", PROCESSORS)
def test_processors_have_names(name):
    processor = processor_named(name)
    assert processor.name == name == f"sm_{processor.number}"
    assert processor_of(processor.number // 10, processor.number % 10) == processor


@pytest.mark.parametrize(
    ("capability", "name"), [((8, 1), "sm_80"), ((10, 1), "sm_100"), ((9, 5), "sm_90"), ((13, 7), "sm_121")]
)
def test_a_newer_device_runs_code_of_the_one_before(capability, name):
    assert processor_of(*capability).name == name


@pytest.mark.parametrize(
    "name", ["sm_999", "", "sm_", "sm_9", "90", "compute_90", "sm_90b", "SM_90", "sm_-90", "sm_٩٠"]
)
def test_other_names_are_none(name):
    with pytest.raises(it.UserError) as error:
        processor_named(name)
    assert error.value.slug == "cuda-arch"


def test_old_devices_are_refused():
    with pytest.raises(it.UserError, match="processor sm_70 is too old"):
        processor_of(7, 0)
