"""The interpreter's settings while documents are added."""

import gc
import sys
from collections.abc import Iterator

import pytest

from atril.ingest.composure import SWITCH_SECONDS, composed


@pytest.fixture(autouse=True)
def usual_settings() -> Iterator[None]:
    before = sys.getswitchinterval()
    gc.unfreeze()
    sys.setswitchinterval(0.005)
    yield
    sys.setswitchinterval(before)
    gc.unfreeze()


def test_they_hold_until_the_last_add_ends() -> None:
    with composed():
        with composed():
            assert gc.get_freeze_count() > 0
            assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
        assert gc.get_freeze_count() > 0
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    assert gc.get_freeze_count() == 0
    assert sys.getswitchinterval() == pytest.approx(0.005)


def test_they_are_given_back_after_an_error() -> None:
    with pytest.raises(RuntimeError), composed():
        raise RuntimeError
    assert gc.get_freeze_count() == 0
    assert sys.getswitchinterval() == pytest.approx(0.005)


def test_what_a_program_has_frozen_itself_stays_frozen() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    with composed():
        assert gc.get_freeze_count() <= before
    assert gc.get_freeze_count() > 0


def test_a_program_that_switches_faster_goes_on_so() -> None:
    sys.setswitchinterval(0.0002)
    with composed():
        assert sys.getswitchinterval() == pytest.approx(0.0002, rel=0.02)
    assert sys.getswitchinterval() == pytest.approx(0.0002, rel=0.02)
