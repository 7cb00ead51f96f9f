"""Settings: environment, keywords, errors."""

import os
from pathlib import Path

import pytest

from irtensor.errors import UserError
from irtensor.options import SETTINGS, current_kernel_key, current_options


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)


def test_defaults(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    options = current_options()
    assert options.num_threads >= 1
    assert options.cache_dir == Path("/somewhere/irtensor")
    assert (options.disk_cache, options.verify, options.strict_fp) == (True, False, False)
    assert options.gallop is False


def test_keyword_wins_over_environment(monkeypatch):
    monkeypatch.setenv("IRTENSOR_NUM_THREADS", "3")
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", "0")
    assert current_options().num_threads == 3
    assert current_options().disk_cache is False
    assert current_options(num_threads=5, disk_cache=None).num_threads == 5
    assert current_options(cache_dir="/x").cache_dir == Path("/x")


def test_code_key_tells_apart_what_changes_code():
    assert current_options(strict_fp=True).code_key() != current_options().code_key()
    assert current_options(gallop=True).code_key() != current_options().code_key()
    several = current_options(num_threads=2)
    assert current_options(num_threads=7, disk_cache=False).code_key() == several.code_key()
    assert current_options(num_threads=1).code_key() != several.code_key()


def test_kernel_key_tells_apart_numbers_of_threads(monkeypatch):
    assert current_options(num_threads=7).kernel_key() != current_options(num_threads=2).kernel_key()
    monkeypatch.setenv("IRTENSOR_NUM_THREADS", "5")
    monkeypatch.setenv("IRTENSOR_GALLOP", "1")
    assert current_kernel_key() == current_options().kernel_key()
    assert current_kernel_key() == current_options(num_threads=5, gallop=True).kernel_key()


def test_kernel_key_follows_the_environment(monkeypatch):
    """Also one that somebody else has put in the place of Python's."""
    plain = current_kernel_key()
    for value in ("1", "0", " ", "true"):
        monkeypatch.setenv("IRTENSOR_STRICT_FP", value)
        assert current_kernel_key() == current_options().kernel_key()
        assert (current_kernel_key() == plain) is (value in ("0", " "))
    monkeypatch.setattr(os, "environ", {"IRTENSOR_GALLOP": "1"})
    assert current_kernel_key() == current_options(gallop=True).kernel_key() != plain
    monkeypatch.setattr(os, "environ", {"IRTENSOR_GALLOP": "many"})
    for _ in range(2):
        with pytest.raises(UserError, match="bad-option"):
            current_kernel_key()


@pytest.mark.parametrize(("variable", "text"), [("NUM_THREADS", "0"), ("NUM_THREADS", "many"), ("VERIFY", "maybe")])
def test_bad_variable(monkeypatch, variable, text):
    monkeypatch.setenv(f"IRTENSOR_{variable}", text)
    with pytest.raises(UserError, match=rf"\[bad-option\].*IRTENSOR_{variable}"):
        current_options()


@pytest.mark.parametrize("bad", [{"num_threads": 0}, {"num_threads": True}, {"verify": 1}, {"speed": 1}])
def test_bad_keyword(bad):
    with pytest.raises(UserError, match="bad-option"):
        current_options(**bad)


def test_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", "~/kernels")
    assert current_options().cache_dir == tmp_path / "kernels"
    assert current_options(cache_dir="~").cache_dir == tmp_path
    monkeypatch.delenv("IRTENSOR_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert current_options().cache_dir == tmp_path / ".cache" / "irtensor"


def test_an_empty_home_is_none(monkeypatch):
    monkeypatch.setenv("HOME", "")
    for name in ("XDG_CACHE_HOME", "IRTENSOR_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert current_options().cache_dir is None


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert current_options().cache_dir is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a\0b", "a path has no NUL character"),
        (" ", "expected the name of a folder"),
        ("~nobody-of-that-name/x", "could not determine home directory"),
    ],
)
def test_names_that_are_no_folder(text, why, monkeypatch):
    with pytest.raises(UserError) as caught:
        current_options(cache_dir=text)
    assert str(caught.value).splitlines()[0] == f"error: [bad-option] cache_dir={text!r} is not usable: {why}"
    if "\0" not in text and text.strip():
        monkeypatch.setenv("IRTENSOR_CACHE_DIR", text)
        with pytest.raises(UserError, match=rf"IRTENSOR_CACHE_DIR='{text}' is not usable: {why}"):
            current_options()
