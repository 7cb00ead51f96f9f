"""What a call is refused with, to the letter."""

from collections.abc import Callable

import pytest

import irtensor as it


def check_error(call: Callable[[], object], slug: str, text: str) -> None:
    """Fails unless `call` raises a UserError of this slug and text."""
    with pytest.raises(it.UserError) as caught:
        call()
    assert caught.value.slug == slug
    assert str(caught.value) == text
