"""Sources of minibatches: arrays in memory, and the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import device as device_or_none, dictionary, flag, listed, refused, shown, text, whole
from .._limits import FULL_DATA_SWEEP, INFINITELY_REPEAT, MOST
from ..core import Value
from ..internal.binding_numbers import NDShape
from ..ops import input_variable
from ..tensor import ArrayMixin
from ..variables import Record
from .iteration import Sweeps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._cantik import DeviceDescriptor
    from .._types import DTypeLike, ShapeLike, VariableLike

DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS = 128
_STORAGE = {'dense': 0, 'sparse': 1}


class MinibatchData(ArrayMixin):
    """A minibatch of one stream.

    Args:
        value (Value): its data
        num_sequences (int): how many sequences (samples, where there is no sequence axis)
        num_samples (int): how many steps in all
        sweep_end (bool): whether it ends a sweep over the data
    """

    number_of_sequences = number_of_samples = 0
    sweep_end = False
    has_steps: bool | None = None  # whether sequences may have several steps; None: as these have

    def __init__(self, value: Any, num_sequences: int, num_samples: int, sweep_end: bool):
        if value is not None and not isinstance(value, (_cantik.Value, _cantik.NDArrayView)):
            raise refused('value', 'a Value', value)
        self.value, self.sweep_end = value, flag(sweep_end, 'sweep_end')
        self.number_of_sequences = whole(num_sequences, 'num_sequences', 0)
        self.number_of_samples = whole(num_samples, 'num_samples', 0)

    num_sequences = property(lambda self: self.number_of_sequences)
    num_samples = property(lambda self: self.number_of_samples)
    end_of_sweep = property(lambda self: self.sweep_end)
    shape = property(lambda self: self.value.shape)
    data = property(lambda self: self.value)
    mask = property(lambda self: self.value.mask)
    is_sparse = property(lambda self: self.value.is_sparse)

    def as_sequences(self, variable: VariableLike | None = None) -> list[Any]:
        """A list of arrays, one for each sequence."""
        return self.value.as_sequences(variable)

    def __len__(self):
        return self.number_of_sequences

    def as_string(self) -> str:
        return (
            f'MinibatchData(data={self.value}, samples={self.number_of_samples}, '
            f'seqs={self.number_of_sequences})'
        )

    __repr__ = as_string


class StreamInformation:
    """What a stream is: its name, number, storage, element type and shape."""

    m_name, m_id, m_is_binary, m_storage_format, m_element_type = '', 0, False, 0, 0
    m_sample_layout, m_defines_mb_size = NDShape(), False

    def __init__(
        self,
        name: str,
        stream_id: int,
        storage_format: Any,
        dtype: DTypeLike,
        shape: ShapeLike,
        defines_mb_size: bool = False,
    ):
        if not isinstance(storage_format, str) or storage_format not in _STORAGE:
            raise refused('storage_format', "'dense' or 'sparse'", storage_format)
        self.m_name = text(name, 'the name of a stream')
        self.m_id = whole(stream_id, 'stream_id', 0)
        self.m_is_binary = False
        self.m_storage_format = _STORAGE[storage_format]
        self.m_element_type = _cantik.as_dtype(dtype)
        sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
        self.m_sample_layout = NDShape([whole(d, 'a dimension of sample_shape') for d in reversed(sizes)])
        self.m_defines_mb_size = flag(defines_mb_size, 'defines_mb_size')

    name = property(lambda self: self.m_name)
    sample_shape = property(lambda self: self.m_sample_layout.dimensions())
    storage_format = property(lambda self: 'sparse' if self.m_storage_format else 'dense')

    def as_string(self) -> str:
        return '{}([{}])'.format(self.m_name, ' x '.join(map(str, self.sample_shape)))

    __repr__ = as_string

    def __eq__(self, other):
        return isinstance(other, StreamInformation) and (self.m_name, self.m_id) == (other.m_name, other.m_id)

    def __hash__(self):
        return hash((self.m_name, self.m_id))


class NativeRequests:
    """A minibatch by the name that CNTK's binding has for it."""

    def get_next_minibatch(self, *request: Any) -> Any:
        """The next minibatch; next_minibatch is the shorter way.

        Args:
            request: (samples), (samples, device), (sequences, samples, device) or
              (sequences, samples, workers, rank, device): at most so many samples and sequences, of which 0
              means any number; the share of one of so many workers

        Returns:
            a dictionary from streams to MinibatchData; an empty one at the end
        """
        forms = {1: (0, *request, 1, 0), 2: (0, *request[:1], 1, 0), 3: (*request[:2], 1, 0), 5: request[:4]}
        if len(request) not in forms:
            raise TypeError(
                'get_next_minibatch takes (samples), (samples, device), (sequences, samples, device) or '
                '(sequences, samples, workers, rank, device)'
            )
        sequences, samples, workers, rank = (int(n) for n in forms[len(request)])
        return self._requested(sequences or MOST, samples or MOST, workers, rank)


class UserMinibatchSource(Sweeps, NativeRequests):
    """A source of the user's own: derive from it and give stream_infos and next_minibatch.
    docs/data_sources.md shows how.

    A class with `read_ahead = True` allows training loops to call next_minibatch on another thread, while the
    network trains.

    Example:
        >>> import cantik as C, numpy as np
        >>> class Squares(C.io.UserMinibatchSource):
        ...     def __init__(self):
        ...         self.x = C.io.StreamInformation('x', 0, 'dense', np.float32, (1,))
        ...         self.y = C.io.StreamInformation('y', 1, 'dense', np.float32, (1,))
        ...         self.at = 0
        ...         super().__init__()
        ...
        ...     def stream_infos(self):
        ...         return [self.x, self.y]
        ...
        ...     def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        ...         x = np.arange(self.at, self.at + num_samples, dtype=np.float32).reshape(-1, 1)
        ...         self.at += num_samples
        ...         return {
        ...             info: C.io.MinibatchData(C.Value(data), len(data), len(data), False)
        ...             for info, data in ((self.x, x), (self.y, x**2))
        ...         }
        >>> source = Squares()
        >>> source.next_minibatch(3)[source.streams.y].asarray()
        array([[0.],
               [1.],
               [4.]], dtype=float32)
    """

    infinitely_repeat, full_data_sweep = INFINITELY_REPEAT, FULL_DATA_SWEEP
    default_randomization_window_in_chunks = DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS
    read_ahead = False

    def __init__(self):
        self.streams = Record(**{info.name: info for info in self.stream_infos()})

    def stream_infos(self) -> Sequence[StreamInformation]:
        """A list of StreamInformation."""
        raise NotImplementedError('a UserMinibatchSource has to implement stream_infos')

    def stream_info(self, name: str) -> StreamInformation:
        """The stream of this name."""
        found = [info for info in self.stream_infos() if info.name == name]
        if not found:
            given = name if isinstance(name, str) else shown(name)
            there = ', '.join(info.name for info in self.stream_infos())
            raise ValueError(f'stream name "{given}" is not in the source; it has {there}')
        return found[0]

    def next_minibatch(
        self,
        num_samples: int,
        number_of_workers: int,
        worker_rank: int,
        device: DeviceDescriptor | None = None,
    ) -> dict[StreamInformation, MinibatchData]:
        """The next minibatch.

        Args:
            num_samples (int): at most so many, but one sequence in any case
            number_of_workers (int): how many train together; each asks for the same
            worker_rank (int): whose share of it is wanted
            device: where the data are to be

        Returns:
            a dictionary from the source's streams to MinibatchData; an empty one at the end
        """
        raise NotImplementedError('a UserMinibatchSource has to implement next_minibatch')

    def _requested(self, sequences, samples, workers, rank):
        if sequences != MOST:
            raise NotImplementedError("a number of sequences: the program's own source counts samples")
        return self.next_minibatch(samples, workers, rank)

    def get_checkpoint_state(self) -> dict[Any, Any]:
        """Where it stands, as a dictionary for a checkpoint: of numbers, texts, arrays, lists and
        dictionaries."""
        return {}

    def restore_from_checkpoint(self, state: Any) -> None:
        """Goes to where get_checkpoint_state stood."""
        if state:
            raise NotImplementedError(
                'a UserMinibatchSource that saves a state has to implement restore_from_checkpoint'
            )

    def restore_from_workers(self, states: list[Any], number_of_workers: int, worker_rank: int) -> None:
        """Goes on where the workers of a training were, as one of another number of workers. A source whose
        workers stand at different places implements it; by itself the first state is that of all.

        Args:
            states (list): what get_checkpoint_state gave in each worker, in the order of ranks
            number_of_workers (int): how many go on
            worker_rank (int): which of them this is
        """
        given = listed(states, 'states')
        if not given:
            raise refused('states', 'a list with a state of each worker', states)
        self.restore_from_checkpoint(given[0])

    def __getitem__(self, name):
        return self.stream_info(name)

    def is_infinite(self) -> bool:
        """Whether it never ends."""
        return False


def _is_data(item):
    return isinstance(item, np.ndarray) or hasattr(item, 'indptr')


class MinibatchSourceFromData(UserMinibatchSource):
    """Arrays in memory, in their order, again and again.

    Args:
        data_streams (dict): from names of streams to arrays or CSR matrices [samples, ...], or to pairs of a
          list of sequences and its type
        max_samples (int): where it ends; of sequences it counts the steps, in the stream that has most

    Example:
        >>> import cantik as C, numpy as np
        >>> source = C.io.MinibatchSourceFromData(dict(x=np.arange(6, dtype=np.float32).reshape(3, 2)))
        >>> source.next_minibatch(2)[source.streams.x].asarray()
        array([[0., 1.],
               [2., 3.]], dtype=float32)
    """

    def __init__(self, data_streams: Mapping[Any, Any], max_samples: int = INFINITELY_REPEAT):
        if not data_streams:
            raise ValueError(
                'at least one stream must be specified, in the form name=data or name=(data, type)'
            )
        self._data, self._types, self._variables = {}, {}, {}
        sizes = set()
        for name, data in dictionary(data_streams, 'data_streams').items():
            text(name, 'the name of a stream')
            kind = None
            if isinstance(data, tuple):
                if len(data) != 2 or not isinstance(data[1], dict):
                    raise TypeError(
                        f"the stream '{name}' is data, or a pair of data and a type such as "
                        "Sequence[Tensor[3]]"
                    )
                data, kind = data
            if isinstance(data, _cantik.Value):
                if data.masked_count():
                    raise TypeError(
                        f"the stream '{name}' has sequences of several lengths: give a list of them and "
                        'their type'
                    )
                data = data.asarray()
            if isinstance(data, list):
                if not all(_is_data(item) for item in data):
                    raise TypeError(
                        'data must be a numpy.array or scipy.sparse.csr_matrix, or a list of those'
                    )
                if kind is None:
                    raise TypeError(
                        f'a list of sequences needs its type: {name}=(list, Sequence[Tensor[shape]])'
                    )
                sizes.add(len(data))
            elif _is_data(data):
                if not data.ndim or data.dtype.kind not in 'biuf':
                    raise ValueError(
                        f"the stream '{name}' is an array of numbers with an axis for the samples, not of "
                        f'{data.dtype} with the shape {data.shape}'
                    )
                if data.dtype not in (np.float32, np.float64, np.float16):
                    data = data.astype(np.float32)
                sizes.add(data.shape[0])
            else:
                raise TypeError('data must be a numpy.array or scipy.sparse.csr_matrix, or a list of those')
            self._data[name], self._types[name] = data, kind
        if len(sizes) != 1:
            raise TypeError('all data items must have the same first dimension')
        self._size = sizes.pop()
        if self._size == 0:
            raise ValueError('data is empty')
        self._max_samples, self._cursor, self._total = whole(max_samples, 'max_samples'), 0, 0
        self._infos = [self._info(i, name) for i, name in enumerate(self._data)]
        for info in self._infos:
            kind = self._types[info.name]
            axes = (
                {}
                if kind is None or 'dynamic_axes' not in kind
                else {'dynamic_axes': list(kind['dynamic_axes'])}
            )
            self._variables[info.name] = input_variable(
                info.sample_shape,
                _cantik.dtype(info.m_element_type),
                is_sparse=bool(info.m_storage_format),
                **axes,
            )
        super().__init__()

    def _info(self, number, name):
        data, kind = self._data[name], self._types[name]
        first = data[0] if isinstance(data, list) else data
        dtype = first.dtype.type if first.dtype in (np.float32, np.float64, np.float16) else np.float32
        is_open = kind is None or -2 in (
            kind['shape'] if isinstance(kind['shape'], tuple) else (kind['shape'],)
        )  # tensor
        shape = first.shape[1:] if is_open else kind['shape']
        return StreamInformation(
            name, number, 'sparse' if hasattr(first, 'indptr') else 'dense', dtype, shape
        )

    def stream_infos(self) -> list[StreamInformation]:
        return self._infos

    def next_minibatch(
        self,
        num_samples: int,
        number_of_workers: int = 1,
        worker_rank: int = 0,
        device: DeviceDescriptor | None = None,
    ) -> dict[Any, Any]:
        """The next samples as a dictionary from streams to MinibatchData; each worker gets its share."""
        num_samples = max(0, whole(num_samples, 'num_samples'))
        number_of_workers = whole(number_of_workers, 'number_of_workers', 1)
        worker_rank = whole(worker_rank, 'worker_rank', 0)
        device_or_none(device)
        if self._total >= self._max_samples:
            return {}
        begin = self._cursor
        count, taken = self._fitting(begin, num_samples)
        if num_samples and not count:
            return {}
        end = begin + count
        self._total += taken
        self._cursor = 0 if end >= self._size else end
        sweep_end = end >= self._size or self._total >= self._max_samples
        own = slice(begin + worker_rank, end, number_of_workers)
        batch = {}
        for info in self._infos:
            data = self._data[info.name][own]
            value = Value.create(self._variables[info.name], data)
            sequences = data.shape[0] if hasattr(data, 'shape') else len(data)
            samples = sum(s.shape[0] for s in data) if isinstance(data, list) else sequences
            batch[info] = MinibatchData(value, sequences, samples, sweep_end)
            batch[info].has_steps = isinstance(self._data[info.name], list)
        return batch

    @property
    def _repeats(self):
        """Whether it goes on for ever; is_infinite() says False in CNTK, and a test takes one sweep."""
        return self._max_samples >= FULL_DATA_SWEEP

    def _fitting(self, begin, num_samples):
        """How many items from `begin` on make a minibatch, and how many samples these are: of sequences the
        steps, in the stream that has most. It has one item at least, though longer, unless the source ends
        before."""
        left, lists = self._max_samples - self._total, [d for d in self._data.values() if isinstance(d, list)]
        if not lists:
            count = min(num_samples, left, self._size - begin)
            return count, count
        steps, count, taken = [0] * len(lists), 0, 0
        while num_samples and begin + count < self._size:
            steps = [n + data[begin + count].shape[0] for n, data in zip(steps, lists)]
            samples = max(*steps, count + 1)
            if samples > left or (count and samples > num_samples):
                break
            count, taken = count + 1, samples
        return count, taken

    def get_checkpoint_state(self) -> dict[str, int]:
        return {'cursor': self._cursor, 'total_num_samples': self._total}

    def restore_from_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        if not isinstance(checkpoint, dict) or not {'cursor', 'total_num_samples'} <= checkpoint.keys():
            raise refused('checkpoint', 'what get_checkpoint_state gave', checkpoint)
        self._cursor, self._total = int(checkpoint['cursor']), int(checkpoint['total_num_samples'])
