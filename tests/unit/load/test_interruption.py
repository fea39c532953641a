"""Ctrl-C is heard wherever it strikes, and only by the main greenlet."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.signals import as_in_the_foreground

# Each program sends itself the signal at a chosen place; what it prints is what became of it.
IN_A_DESTRUCTOR = """
class Fragile:
    def __del__(self):
        strike()

def work():
    fragile = Fragile()
    del fragile  # Python drops what is raised in here
    print("went on")
"""
IN_A_GREENLET = """
def work():
    strike()
    print("went on")
"""
TWICE = """
def work():
    strike()
    gevent.sleep(0)
    strike()
    print("went on")
"""
PROGRAM = """
import os, signal
import gevent
from locustfiles.running.interruption import end_on_interrupt

def strike():
    os.kill(os.getpid(), signal.SIGINT)
{work}
end_on_interrupt(once={once})
worker = gevent.spawn(work)
try:
    gevent.sleep(60)
    print("not heard")
except KeyboardInterrupt:
    print("heard")
worker.join()
try:
    {then}
    print("ended")
except KeyboardInterrupt:
    print("cut short")
"""


def said(work: str, *, once: bool = False, then: str = "gevent.sleep(0.01)") -> list[str]:
    program = PROGRAM.format(work=work, once=once, then=then)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, preexec_fn=as_in_the_foreground
    )
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(IN_A_DESTRUCTOR, id="in a destructor, where Python drops exceptions"),
        pytest.param(IN_A_GREENLET, id="in a greenlet that has other things to do"),
    ],
)
def test_an_interrupt_is_heard_by_the_main_greenlet_and_work_goes_on(work: str) -> None:
    assert sorted(said(work)) == ["ended", "heard", "went on"]


def test_a_second_interrupt_is_not_heard_while_the_first_is_obeyed() -> None:
    assert sorted(said(TWICE)) == ["ended", "heard", "went on"]


def test_a_second_interrupt_cuts_the_end_short_where_somebody_watches() -> None:
    assert sorted(said(IN_A_GREENLET, once=True, then="strike()")) == ["cut short", "heard", "went on"]
    assert sorted(said(IN_A_GREENLET, once=False, then="strike()")) == ["ended", "heard", "went on"]


def test_an_ignored_interrupt_stays_ignored() -> None:
    program = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
from locustfiles.running.interruption import end_on_interrupt
import gevent
end_on_interrupt(once=False)
os.kill(os.getpid(), signal.SIGINT)
gevent.sleep(0.01)
print("went on")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("went on\n", "")
