"""Latency and throughput of a model, beside ONNX Runtime where it is installed."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import cantik as C

from ._feeds import feeds_of, has_sequences, random_arrays, sequential
from ._models import LIBRARY_OPTION, MODEL
from ._program import command as command_of
from ._reports import JSON_OPTION, table, write_json

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDS = 5  # turns of each toolkit
_FEWEST = 5  # runs of a turn


class Sizes(click.ParamType):
    """Whole numbers with commas between them."""

    name = 'N,N,...'

    def convert(self, value: Any, param: Any, ctx: Any) -> list[int]:
        """The numbers of a text."""
        if isinstance(value, list):
            return value
        numbers = [word.strip() for word in value.split(',')]
        if not all(word.isdigit() and int(word) > 0 for word in numbers):
            self.fail(f"'{value}' is no list of whole numbers above 0", param, ctx)
        return [int(word) for word in numbers]


@command_of('cantik bench flowers.model --batch 1,64 --threads 1')
@MODEL
@click.option(
    '--batch', 'batches', type=Sizes(), default='1,16,64', help='Samples of a run.', show_default=True
)
@click.option(
    '--length', 'lengths', type=Sizes(), default='32', help='Steps of a sequence.', show_default=True
)
@click.option('--threads', type=click.IntRange(1), help='Threads of a run; all cores by default.')
@click.option(
    '--seconds',
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help='Time for each size and toolkit.',
)
@click.option(
    '--against',
    type=click.Choice(['auto', 'onnxruntime', 'none']),
    default='auto',
    show_default=True,
    help='auto: ONNX Runtime where it is installed and takes the model.',
)
@LIBRARY_OPTION
@JSON_OPTION
def command(
    model: str,
    batches: list[int],
    lengths: list[int],
    threads: int | None,
    seconds: float,
    against: str,
    as_json: bool,
) -> None:
    """Measures a MODEL on random data: milliseconds of a run (the median, and the first and last decile) and
    samples in a second. The toolkits run in turns, so both see the same load of the machine."""
    network = C.load_model(model)
    if threads:
        C._cantik.set_thread_limit(threads)
    rival, reason = None, None
    if against != 'none':
        sizes = batches[0], lengths[0]
        rival, reason = _rival(network, threads, sizes, is_asked=against == 'onnxruntime')
    rows = []
    for length in lengths if sequential(network) else [None]:
        for batch in batches:
            rows += _rows(network, rival, batch, length, seconds)
    if as_json:
        write_json(
            {'model': model, 'threads': threads or C._cantik.thread_limit(), 'rows': rows, 'left_out': reason}
        )
        return
    head = ['batch', 'length', 'toolkit', 'median ms', '10 %', '90 %', 'samples/s', 'ratio']
    click.echo(table(head, [list(row.values()) for row in rows]))
    if reason:
        click.echo(f'without ONNX Runtime: {reason}')


class Rival:
    """A session of ONNX Runtime."""

    def __init__(self, session: Any):
        self._session = session
        self.dtypes = [_dtype(given.type) for given in session.get_inputs()]

    def feeds(self, arrays: dict[Any, Any]) -> dict[str, np.ndarray]:
        """The arrays in the layout of the files that we write, [batch, ...] and of sequences
        [steps, batch, ...], and each in the element type of its input."""
        feeds = {}
        for given, dtype, (v, array) in zip(self._session.get_inputs(), self.dtypes, arrays.items()):
            if v.is_sparse:
                array = np.eye(v.shape[-1])[array]
            in_layout = array.swapaxes(0, 1) if has_sequences(v) else array
            feeds[given.name] = np.ascontiguousarray(in_layout, dtype)
        return feeds

    def run(self, feeds: dict[str, np.ndarray]) -> None:
        """One run. What goes wrong in it is a RuntimeError of one line."""
        try:
            self._session.run(None, feeds)
        except Exception as error:  # they share no class
            raise RuntimeError(f'ONNX Runtime failed: {_line(error)}') from error


def _dtype(name: str) -> np.dtype:
    """The element type that ONNX Runtime calls so: tensor(int64), tensor(float)."""
    spelled = name.removeprefix('tensor(').removesuffix(')')
    return np.dtype({'float': 'float32', 'double': 'float64'}.get(spelled, spelled))


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _whole_where_it_has_to_be(rival, arrays):
    """Zeros and ones where ONNX Runtime takes whole numbers: they are indices, or truths."""
    kinds = [] if rival is None else [dtype.kind for dtype in rival.dtypes]
    for (v, array), kind in zip(list(arrays.items()), kinds):
        if kind in 'iub' and not v.is_sparse:
            arrays[v] = (array > 0).astype(array.dtype)
    return arrays


def _rival(
    network: Any, threads: int | None, sizes: tuple[int, int], is_asked: bool
) -> tuple[Rival | None, str | None]:
    """ONNX Runtime with the network, which has run at these sizes, of batch and length; or None, and why
    there is none."""
    if importlib.util.find_spec('onnxruntime') is None:
        if is_asked:
            raise ImportError('--against onnxruntime needs the package onnxruntime: pip install onnxruntime')
        return None, 'it is not installed'
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or C._cantik.thread_limit()
    options.log_severity_level = 4
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'model.onnx')
            network.save(path, format=C.ModelFormat.ONNX)
            rival = Rival(onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider']))
        rival.run(rival.feeds(_whole_where_it_has_to_be(rival, random_arrays(network, *sizes))))
    except Exception as error:  # ONNX Runtime's errors share no class
        reason = _line(error)
        if is_asked:
            raise RuntimeError(f'ONNX Runtime does not take this model: {reason}') from error
        return None, reason
    return rival, None


def _rows(
    network: Any, rival: Rival | None, batch: int, length: int | None, seconds: float
) -> list[dict[str, Any]]:
    """A row for each toolkit at a size."""
    arrays = _whole_where_it_has_to_be(rival, random_arrays(network, batch, length or 1))
    feeds = feeds_of(arrays)
    calls: dict[str, Callable[[], Any]] = {'Cantik': lambda: network.eval(feeds)}
    if rival is not None:
        given = rival.feeds(arrays)
        calls['ONNX Runtime'] = lambda: rival.run(given)
    times = measured(calls, seconds)
    first = float(np.median(times['Cantik']))
    rows = []
    for name, found in times.items():
        low, middle, high = (float(t) for t in np.percentile(found, [10, 50, 90]) * 1e3)
        rows.append(
            {
                'batch': batch,
                'length': length,
                'toolkit': name,
                'median_ms': middle,
                'decile_1_ms': low,
                'decile_9_ms': high,
                'samples_per_second': batch / (middle / 1e3),
                'ratio': middle / 1e3 / first,
            }
        )
    return rows


def measured(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, list[float]]:
    """The seconds of each run of each call, in turns, after runs to get warm.

    Args:
        calls (dict): functions by name
        seconds (float): for each of them
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(3):
            call()
    for _ in range(_ROUNDS):
        for name, call in calls.items():
            begin, runs = time.perf_counter(), 0
            while runs < _FEWEST or time.perf_counter() - begin < seconds / _ROUNDS:
                start = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - start)
                runs += 1
    return times
