"""MinibatchSource: files, read through deserializers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import device as device_or_none, dictionary, flag, listed, refused, text, whole
from .._limits import FULL_DATA_SWEEP, INFINITELY_REPEAT, MOST
from ..variables import Record
from .config import MinibatchSourceConfig
from ._formats import opened
from ._formats.images import class_names
from .chunks import UserDeserializer
from .iteration import Sweeps
from .sources import (
    DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
    MinibatchData,
    NativeRequests,
    StreamInformation,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._cantik import DeviceDescriptor


def _window(chunks, samples, randomize):
    """How many chunks and how many samples sequences change places within; of a window in samples alone no
    chunks, and neither where the order is the file's."""
    samples = whole(samples, 'randomization_window_in_samples', 0)
    if chunks is None:
        chunks = 0 if samples else DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS
    chunks = whole(chunks, 'randomization_window_in_chunks', 0)
    return (chunks, samples) if flag(randomize, 'randomize') else (0, 0)


def _end(max_samples, max_sweeps):
    """After how many samples and after how many sweeps a source ends; None where these do not end it."""
    if max_samples == FULL_DATA_SWEEP:
        return None, 1
    return tuple(None if most == INFINITELY_REPEAT else min(most, MOST) for most in (max_samples, max_sweeps))


class MinibatchSource(Sweeps, NativeRequests):
    """Minibatches of files.

    Args:
        deserializers: one, or a list of them: the sequences of several files are joined by their ids, the
          first file says which there are
        max_samples (int): it ends where the next sequence would begin at this sample or behind it;
          FULL_DATA_SWEEP for one sweep
        max_sweeps (int): it ends after so many sweeps over the data
        randomization_window_in_chunks (int): sequences change places within so many chunks of the file (of 32
          MB of text), by default 128; 0 for the file's order
        randomization_window_in_samples (int): or within so many samples
        randomization_seed (int): of the first sweep; the next has the next one
        trace_level: 0 keeps warnings about the data quiet
        multithreaded_deserializer (bool): False: nothing is read on other threads. Otherwise chunks of files
          are read ahead, and pictures several at a time. The minibatches are the same
        frame_mode (bool): every sequence is one sample; those of speech are cut into frames, others are an
          error
        truncation_length (int): sequences come in parts of so many steps, which go on in the next minibatch
        randomize (bool): whether the order is random; the same as CNTK's
        max_errors (int): so many damaged samples of a file are left out, with a warning
        minibatch_size (int): samples of a minibatch where `for` goes over the source
        balanced_shares (bool): several workers share out sequences one by one, and each reads the whole
          file. By itself a random order is shared out by chunks, as in CNTK: a worker reads its own only,
          and has none of a file with few chunks

    `for batch in source` brings a sweep, as dictionaries from names of streams to arrays; `len(source)` says
    how many minibatches that is, where it is known.

    Example:
        >>> import cantik as C, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'data.ctf')
        >>> with open(path, 'w') as f:
        ...     _ = f.write('0 |word 3:1 |tag 1 0\\n0 |word 1:1\\n1 |word 2:1 |tag 0 1\\n')
        >>> source = C.io.MinibatchSource(
        ...     C.io.CTFDeserializer(
        ...         path,
        ...         C.io.StreamDefs(
        ...             words=C.io.StreamDef('word', 5, is_sparse=True), tags=C.io.StreamDef('tag', 2)
        ...         ),
        ...     ),
        ...     randomize=False,
        ...     max_sweeps=1,
        ... )
        >>> batch = source.next_minibatch(10)
        >>> batch[source.streams.tags].as_sequences()
        [array([[1., 0.]], dtype=float32), array([[0., 1.]], dtype=float32)]
        >>> batch[source.streams.words].num_samples
        3
    """

    infinitely_repeat, full_data_sweep = INFINITELY_REPEAT, FULL_DATA_SWEEP
    default_randomization_window_in_chunks = DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS

    def __init__(
        self,
        deserializers: Any,
        max_samples: int = INFINITELY_REPEAT,
        max_sweeps: int = INFINITELY_REPEAT,
        randomization_window_in_chunks: int | None = None,
        randomization_window_in_samples: int = 0,
        randomization_seed: int = 0,
        trace_level: Any = 1,
        multithreaded_deserializer: bool | None = None,
        frame_mode: bool = False,
        truncation_length: int = 0,
        randomize: bool = True,
        max_errors: int = 0,
        minibatch_size: int = 32,
        balanced_shares: bool = False,
    ):
        self.minibatch_size = whole(minibatch_size, 'minibatch_size', 1)
        config = MinibatchSourceConfig(deserializers)
        if not config.deserializers:
            raise ValueError(
                'Could not find deserializers in the reader config.\n  remedy   give one, for example a '
                'CTFDeserializer'
            )
        config.max_samples = whole(max_samples, 'max_samples', 0)
        config.max_sweeps = whole(max_sweeps, 'max_sweeps', 0)
        config.randomization_window_in_chunks, config.randomization_window_in_samples = _window(
            randomization_window_in_chunks, randomization_window_in_samples, randomize
        )
        config.is_frame_mode_enabled = flag(frame_mode, 'frame_mode')
        config.truncation_length = whole(truncation_length, 'truncation_length', 0)
        config.check()
        self._quiet = whole(getattr(trace_level, 'value', trace_level), 'trace_level', 0, 2**31 - 1) < 1
        max_errors = whole(max_errors, 'max_errors', 0)
        threads = multithreaded_deserializer is None or flag(
            multithreaded_deserializer, 'multithreaded_deserializer'
        )
        self.read_ahead = threads and any(
            isinstance(d, UserDeserializer) and flag(d.read_ahead, 'read_ahead') for d in config.deserializers
        )
        self._source = _cantik.Source(
            [part for d in config.deserializers for part in opened(d, max_errors)],
            config.randomize,
            whole(randomization_seed, 'randomization_seed', 0),
            max(config.randomization_window_in_chunks, 1),
            config.randomization_window_in_samples,
            *_end(config.max_samples, config.max_sweeps),
            config.truncation_length,
            config.is_frame_mode_enabled,
            threads,
            flag(balanced_shares, 'balanced_shares'),
        )
        self._infos = [StreamInformation(*stream) for stream in self._source.streams()]
        self._class_names = {
            name: classes for d in config.deserializers for name, classes in class_names(d).items()
        }
        self._streams = Record(**{info.name: info for info in self._infos})
        self.tell_warnings()

    def tell_warnings(self) -> None:
        """Tells, as Python warnings, what was odd in the data that were read since the last time."""
        for said in self._source.take_warnings():
            if not self._quiet:
                warnings.warn(said, RuntimeWarning, stacklevel=3)

    def stream_infos(self) -> list[StreamInformation]:
        """A list of StreamInformation."""
        return list(self._infos)

    @property
    def streams(self) -> Record:
        """The streams as attributes: source.streams.name."""
        return self._streams

    @property
    def class_names(self) -> dict[str, list[str]]:
        """The names of the classes, in the order of their numbers, by the names of streams that have them: of
        the folders that an ImageFolderDeserializer reads."""
        return {name: list(classes) for name, classes in self._class_names.items()}

    def stream_info(self, name: str) -> StreamInformation:
        """The stream of this name."""
        if text(name, 'the name of a stream') not in self._streams:
            raise RuntimeError(
                "No stream found matching given name '{}'. The source has {}.".format(
                    name, ', '.join(self._streams)
                )
            )
        return self._streams[name]

    def __getitem__(self, name):
        return self.stream_info(name)

    def next_minibatch(
        self,
        minibatch_size_in_samples: int,
        input_map: Mapping[Any, Any] | None = None,
        device: DeviceDescriptor | None = None,
        num_data_partitions: int | None = None,
        partition_index: int | None = None,
    ) -> dict[Any, Any]:
        """The next minibatch: sequences in order, while they do not have more samples, at least one.

        A sequence counts as many samples as its longest stream has, or the stream that defines the
        minibatch's size. A stream fits every input whose samples have as many elements: 784 numbers are fed
        to an input of (1, 28, 28).

        Args:
            minibatch_size_in_samples (int): at most so many samples
            input_map (dict): from variables (or anything else) to streams
            num_data_partitions (int): of how many workers this is one
            partition_index (int): which of them

        Returns:
            a dictionary from the streams, or the keys of input_map, to MinibatchData; an empty one at the end
        """
        device_or_none(device)
        if input_map is not None:
            for stream in dictionary(input_map, 'input_map').values():
                if stream not in self._infos:
                    there = ', '.join('streams.' + info.name for info in self._infos)
                    raise refused('a value of input_map', 'a stream of this source: ' + there, stream)
        partitions = (
            1 if num_data_partitions is None else whole(num_data_partitions, 'num_data_partitions', 1)
        )
        partition = 0 if partition_index is None else whole(partition_index, 'partition_index', 0)
        samples = whole(minibatch_size_in_samples, 'minibatch_size_in_samples')
        batch = self._requested(MOST, samples, partitions, partition)
        return {key: batch[info] for key, info in input_map.items()} if input_map and batch else batch

    def _requested(self, sequences, samples, workers, rank):
        return self._batch(self._source.next(samples, sequences, workers, rank, False))

    def _batch(self, found):
        self.tell_warnings()
        if found is None:
            return {}
        values, sweep_end = found
        batch = {}
        for info, (value, sequences, samples, has_steps) in zip(self._infos, values):
            batch[info] = MinibatchData(_cantik.of_stream(value), sequences, samples, sweep_end)
            batch[info].has_steps = has_steps
        return batch

    def _next_of_sweep(self, num_samples):
        return self._batch(self._source.next(num_samples, MOST, 1, 0, True))

    def __len__(self):
        count = self._source.minibatches_of_sweep(self.minibatch_size)
        if count is None:
            raise TypeError(
                'how many minibatches a sweep has is not known before the data are read: sequences are cut '
                'into parts, the source is at its end, or a deserializer does not say how long its sequences '
                'are'
            )
        return count

    def get_checkpoint_state(self) -> dict[str, int] | dict[Any, Any]:
        """Where it stands, as a dictionary for a checkpoint."""
        return self._source.state()

    def restore_from_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Goes to where get_checkpoint_state stood: the minibatches that follow are the same."""
        self._source.restore(checkpoint)

    def restore_from_workers(
        self, states: list[dict[str, Any]], number_of_workers: int, worker_rank: int
    ) -> None:
        """Goes on where the workers of a training were, as one of another number of workers: together they
        bring what nobody has taken yet.

        Args:
            states (list): what get_checkpoint_state gave in each worker, in the order of ranks
            number_of_workers (int): how many go on
            worker_rank (int): which of them this is
        """
        self._source.restore_from_workers(
            listed(states, 'states'),
            whole(number_of_workers, 'number_of_workers', 1),
            whole(worker_rank, 'worker_rank', 0),
        )

    current_position = property(get_checkpoint_state, restore_from_checkpoint)

    def is_infinite(self) -> bool:
        """Whether it never ends."""
        return self._source.is_infinite()

    @property
    def native_source(self) -> Any:
        """What a training loop reads without Python, unless a class of the user's has a next_minibatch of its
        own."""
        own = type(self).next_minibatch is not MinibatchSource.next_minibatch
        return None if own or self.read_ahead else self._source

    def _next_of_loop(self, num_samples, number_of_workers, worker_rank, device):
        return self.next_minibatch(num_samples, None, device, number_of_workers, worker_rank)
