"""UserDeserializer: data that a user's class brings a chunk at a time; the library cuts minibatches of them,
in a random order if wanted."""

from collections import namedtuple

import numpy as np

from .. import _cantik
from .._refusals import shown
from ..core import Value
from .._waiting import not_there
from ..ops.sequence import input_variable


ChunkInfo = namedtuple('ChunkInfo', 'm_id m_number_of_samples m_number_of_sequences')
SequenceInfo = namedtuple('SequenceInfo', 'm_index_in_chunk m_number_of_samples m_chunk_id m_key')


class UserDeserializer:
    """Data of the user's own, a chunk at a time: derive from it and give stream_infos, num_chunks and
    get_chunk.

    Example:
        >>> import cantik as C, numpy as np
        >>> class Halves(C.io.UserDeserializer):
        ...     def stream_infos(self):
        ...         return [C.io.StreamInformation('x', 0, 'dense', np.float32, (2,))]
        ...
        ...     def num_chunks(self):
        ...         return 2
        ...
        ...     def get_chunk(self, chunk_id):
        ...         return {'x': np.full((3, 2), chunk_id, np.float32)}
        >>> source = C.io.MinibatchSource([Halves()], randomize=False, max_sweeps=1)
        >>> [batch[source.streams.x].num_samples for batch in iter(lambda: source.next_minibatch(4), {})]
        [4, 2]
    """

    def __init__(self):
        pass

    def stream_infos(self):
        """A list of StreamInformation."""
        raise NotImplementedError('a UserDeserializer has to implement stream_infos')

    def num_chunks(self):
        """How many chunks it has."""
        raise NotImplementedError('a UserDeserializer has to implement num_chunks')

    def get_chunk(self, chunk_id):
        """One chunk.

        Args:
            chunk_id (int): which, from 0

        Returns:
            a dictionary from names of streams to an array or CSR matrix whose rows are samples, or to a list
            with an array or CSR matrix for each sequence
        """
        raise NotImplementedError('a UserDeserializer has to implement get_chunk')

    def chunk_infos(self):
        """What is known of the chunks before they are read: their numbers.

        Returns:
            a tuple of ChunkInfo
        """
        return tuple(ChunkInfo(i, 0, 0) for i in range(self.num_chunks()))

    def sequence_infos_for_chunk(self, chunk_id, descriptions):
        """Puts what is known of a chunk's sequences into a list. The chunk is read.

        Args:
            chunk_id (int): which
            descriptions (list): a SequenceInfo is added for each sequence
        """
        infos = list(self.stream_infos())
        chunk = _Chunk(self.get_chunk(chunk_id), infos, None)
        descriptions.extend(SequenceInfo(i, int(n), chunk_id, None) for i, n in enumerate(chunk.samples))

    def get_sequence_info(self, primary, description):
        """Finds the sequence that goes with one of another file. There is none: sequences of chunks have no
        keys.

        Args:
            primary (SequenceInfo): the other one
            description: stays as it is

        Returns:
            False
        """
        return False


def _steps(item, shape):
    """How many steps an item of a list has."""
    if hasattr(item, 'indptr'):
        per_step = max(1, int(np.prod(shape)) // item.shape[1]) if item.shape[1] else 1
        return item.shape[0] // per_step
    return item.shape[0] if np.ndim(item) > len(shape) else 1


class _Chunk:
    """A chunk, with the lengths of its sequences in each stream."""

    def __init__(self, columns, infos, counted):
        self.columns, self.lengths = columns, {}
        if not isinstance(columns, dict):
            raise ValueError(
                'get_chunk returned {}, not a dictionary with the streams {}'.format(
                    shown(columns), ', '.join(info.name for info in infos)
                )
            )
        for info in infos:
            if info.name not in columns:
                there = ', '.join(map(str, columns)) or 'none'
                raise ValueError('the chunk has no stream {}; it has {}'.format(info.name, there))
            column = columns[info.name]
            if not isinstance(column, (list, tuple, np.ndarray)) and not hasattr(column, 'indptr'):
                raise ValueError(
                    'the stream {} of a chunk is an array, a CSR matrix or a list of them, not {}'.format(
                        info.name, shown(column)
                    )
                )
            one_each = not isinstance(column, (list, tuple))
            self.lengths[info.name] = (
                np.ones(column.shape[0], np.int64)
                if one_each
                else np.array([_steps(item, info.sample_shape) for item in column], np.int64)
            )
        sizes = {name: len(lengths) for name, lengths in self.lengths.items()}
        if len(set(sizes.values())) > 1:
            raise ValueError(
                'the streams of a chunk have different numbers of sequences: {}'.format(
                    ', '.join('{} of {}'.format(n, name) for name, n in sizes.items())
                )
            )
        self.size = next(iter(sizes.values()))
        self.samples = self.lengths[counted] if counted else np.maximum.reduce(list(self.lengths.values()))

    def items(self, name, places):
        """The sequences at these places: an array of samples, or a list."""
        column = self.columns[name]
        if isinstance(column, np.ndarray):
            return column[places]
        if hasattr(column, 'indptr'):
            return [column[i : i + 1] for i in places]
        return [column[i] for i in places]


class ChunkSource:
    """Minibatches of a UserDeserializer's chunks: the same methods as the library's source of files."""

    def __init__(
        self,
        deserializers,
        randomize,
        seed,
        window_chunks,
        window_samples,
        max_samples,
        max_sweeps,
        truncation_length,
        frame_mode,
    ):
        if len(deserializers) > 1:
            raise not_there('joining a UserDeserializer with other deserializers')
        if truncation_length or frame_mode or (randomize and window_samples):
            raise not_there(
                'a UserDeserializer with '
                + (
                    'truncation_length'
                    if truncation_length
                    else 'frame_mode'
                    if frame_mode
                    else 'randomization_window_in_samples'
                )
            )
        self._data = deserializers[0]
        self._infos = list(self._data.stream_infos())
        counted = [info.name for info in self._infos if info.m_defines_mb_size]
        if len(counted) > 1:
            raise RuntimeError(
                'Only a single stream is allowed to define the minibatch size, but {} found: {}.'.format(
                    len(counted), ', '.join(counted)
                )
            )
        self._counted = counted[0] if counted else None
        self._variables = {
            info.name: input_variable(
                info.sample_shape,
                _cantik.dtype(info.m_element_type),
                is_sparse=info.storage_format == 'sparse',
            )
            for info in self._infos
        }
        self._randomize, self._seed, self._window_size = randomize, seed, window_chunks if randomize else 1
        self._max_samples, self._max_sweeps = max_samples, max_sweeps
        self._sweep = self._window = self._place = self._seen = 0
        self._loaded, self._chunks, self._order = None, [], []

    def streams(self):
        """What StreamInformation is made of, for each stream."""
        return [
            (
                info.name,
                info.m_id,
                info.storage_format,
                _cantik.dtype(info.m_element_type),
                info.sample_shape,
                info.m_defines_mb_size,
            )
            for info in self._infos
        ]

    def is_infinite(self):
        """Whether it never ends."""
        return self._max_samples is None and self._max_sweeps is None

    def take_warnings(self):
        """There are none."""
        return []

    def state(self):
        """Where it stands."""
        return {'sweep': self._sweep, 'window': self._window, 'place': self._place, 'samples': self._seen}

    def restore(self, state):
        """Goes there."""
        self._sweep, self._window, self._place, self._seen = (
            int(state[key]) for key in ('sweep', 'window', 'place', 'samples')
        )
        self._forget()

    def _forget(self):
        self._loaded, self._chunks, self._order = None, [], []

    def _windows(self):
        return -(-self._data.num_chunks() // self._window_size)

    def _load(self, partitions, partition):
        """The chunks of the window, and its sequences in their order as pairs (chunk, place). A worker gets
        whole chunks."""
        here = self._sweep, self._window, partitions, partition
        if self._loaded == here:
            return
        self._forget()
        count = self._data.num_chunks()
        chunks = (
            np.random.RandomState((self._seed + self._sweep) % 2**32).permutation(count)
            if self._randomize
            else np.arange(count)
        )
        first = self._window * self._window_size
        mine = [
            int(c)
            for at, c in enumerate(chunks[first : first + self._window_size], first)
            if at % partitions == partition
        ]
        self._chunks = [_Chunk(self._data.get_chunk(c), self._infos, self._counted) for c in mine]
        order = [(k, i) for k, chunk in enumerate(self._chunks) for i in range(chunk.size)]
        if self._randomize:
            order = [
                order[i]
                for i in np.random.RandomState(
                    (self._seed + self._sweep + 7919 * (self._window + 1)) % 2**32
                ).permutation(len(order))
            ]
        self._order, self._loaded = order, here

    def next(self, samples, sequences, partitions, partition):
        """None at the end, otherwise ([(value, sequences, samples) for each stream], sweep end)."""
        if samples < 1:
            raise ValueError('GetNextMinibatch: Requested minibatch size must be > 0.')
        share = max(1, samples // partitions + (partition < samples % partitions))
        pieces, taken, sweep_end, count, idle = [], [], False, 0, 0
        while count < share and len(taken) < sequences and not self._at_end() and idle < 2:
            self._load(partitions, partition)
            if self._place >= len(self._order):
                idle += self._leave_window()
                continue
            k, i = self._order[self._place]
            n = int(self._chunks[k].samples[i])
            if taken and count + n > share:
                break
            idle = 0
            taken.append((self._chunks[k], i))
            count += n
            self._place += 1
            self._seen += n
            if self._place == len(self._order):
                sweep_end |= self._leave_window()
        if self._at_end():
            self._forget()
        if not taken:
            return None
        for chunk, i in taken:  # neighbours of one chunk together
            if not pieces or pieces[-1][0] is not chunk:
                pieces.append((chunk, []))
            pieces[-1][1].append(i)
        return [self._value(info, pieces) for info in self._infos], sweep_end

    def _leave_window(self):
        """To the next one; whether it is that of another sweep."""
        self._window, self._place = self._window + 1, 0
        if self._window < self._windows():
            return False
        self._window, self._sweep = 0, self._sweep + 1
        return True

    def _at_end(self):
        return (self._max_samples is not None and self._seen >= self._max_samples) or (
            self._max_sweeps is not None and self._sweep >= self._max_sweeps
        )

    def _value(self, info, pieces):
        parts = [chunk.items(info.name, places) for chunk, places in pieces]
        if all(isinstance(part, np.ndarray) for part in parts):
            data = np.concatenate(parts) if len(parts) > 1 else parts[0]
            data = data.reshape((len(data), 1) + tuple(info.sample_shape))
        else:
            data = [item for part in parts for item in part]
        value = Value.create(self._variables[info.name], data)
        return (
            value,
            len(data),
            sum(int(chunk.lengths[info.name][i]) for chunk, places in pieces for i in places),
        )
