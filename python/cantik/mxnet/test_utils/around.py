"""What surrounds a test: the context it runs on, the environment, repetitions, errors that are expected."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import Any

import numpy as np

from ..context import Context, current_context

_kept = []  # the context that set_default_context has named


def default_context() -> Any:
    """The context of tests: the one that set_default_context names, else the current one."""
    return _kept[0] if _kept else current_context()


def set_default_context(ctx: Any) -> Any:
    _kept[:] = [ctx]
    Context._default.value = ctx


def default_dtype() -> Any:
    return np.float32


def list_gpus() -> Any:
    """The numbers of GPUs; there are none."""
    return []


def is_op_runnable() -> Any:
    """Whether the operators of a test run on its context: on processors they do."""
    return True


def assert_exception(f: Any, exception_type: Any, *args: Any, **kwargs: Any) -> Any:
    """That f(*args, **kwargs) raises such an error."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f'Did not raise {exception_type}')


def retry(n: int) -> Any:
    """A decorator of tests that chance may fail: they fail if they do so n times."""
    if n <= 0:
        raise AssertionError('at least one try is needed')

    def decorate(test):
        @functools.wraps(test)
        def tried(*args, **kwargs):
            for left in reversed(range(n)):
                try:
                    return test(*args, **kwargs)
                except AssertionError:
                    if not left:
                        raise

        return tried

    return decorate


@contextlib.contextmanager
def environment(*args: Any) -> Any:
    """Variables of the environment inside a `with` block: a name and a value, or a dictionary. None removes
    one."""
    wanted = args[0] if len(args) == 1 else {args[0]: args[1]}
    before = {name: os.environ.get(name) for name in wanted}

    def put(values):
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = str(value)

    put(wanted)
    try:
        yield
    finally:
        put(before)


@contextlib.contextmanager
def discard_stderr() -> Any:
    """What is written to standard error inside of the block is lost."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class DummyIter:
    """An iterator that gives the first batch of another one again and again: how fast is a model, whatever
    reads its data?"""

    def __init__(self, real_iter: Any):
        self.real_iter, self.batch_size = real_iter, real_iter.batch_size
        self.provide_data, self.provide_label = real_iter.provide_data, real_iter.provide_label
        self.the_batch = next(iter(real_iter))

    def __iter__(self):
        return self

    def __next__(self):
        return self.the_batch

    next = __next__

    def reset(self) -> Any:
        """There is nothing to go back to."""
