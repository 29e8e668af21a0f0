"""UserDeserializer: data that a user's class brings a chunk at a time; the library cuts minibatches of them,
in a random order if wanted."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..io.sources import StreamInformation


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

    Attributes:
        changes (bool): whether a chunk may be another one in each sweep; otherwise chunks may be kept
        read_ahead (bool): whether training loops may ask for minibatches on another thread
    """

    changes = True
    read_ahead = False

    def __init__(self):
        pass

    def stream_infos(self) -> Sequence[StreamInformation]:
        """A list of StreamInformation."""
        raise NotImplementedError('a UserDeserializer has to implement stream_infos')

    def num_chunks(self) -> int:
        """How many chunks it has."""
        raise NotImplementedError('a UserDeserializer has to implement num_chunks')

    def get_chunk(self, chunk_id: int) -> Any:
        """One chunk.

        Args:
            chunk_id (int): which, from 0

        Returns:
            a dictionary from names of streams to an array or CSR matrix whose rows are samples, to a list
            with an array or CSR matrix for each sequence, or to a Value
        """
        raise NotImplementedError('a UserDeserializer has to implement get_chunk')

    def sequence_lengths(self) -> Sequence[Any] | None:
        """How many samples each sequence has, where it is known before the chunks are read.

        Then sequences are exchanged within a window that slides over the chunks, as those of files are, other
        data join them without all chunks being read first, and `len` of the source is known. Otherwise
        windows follow one another.

        Returns:
            None, or for each chunk a list or array of the lengths of its sequences
        """
        return None

    def chunk_infos(self) -> tuple[Any, ...]:
        """What is known of the chunks before they are read: their numbers.

        Returns:
            a tuple of ChunkInfo
        """
        return tuple(ChunkInfo(i, 0, 0) for i in range(self.num_chunks()))

    def sequence_infos_for_chunk(self, chunk_id: int, descriptions: Sequence[Any]) -> None:
        """Puts what is known of a chunk's sequences into a list. The chunk is read.

        Args:
            chunk_id (int): which
            descriptions (list): a SequenceInfo is added for each sequence
        """
        samples = opened(self).samples(chunk_id)
        descriptions.extend(SequenceInfo(i, n, chunk_id, None) for i, n in enumerate(samples))

    def get_sequence_info(self, primary: Any, description: Any) -> bool:
        """Finds the sequence that goes with one of another file. There is none: sequences of chunks have no
        keys.

        Args:
            primary (SequenceInfo): the other one
            description: stays as it is

        Returns:
            False
        """
        return False


def opened(data: UserDeserializer) -> _cantik.Deserializer:
    """What the library reads of it."""
    lengths = data.sequence_lengths()
    return _cantik.user_deserializer(
        data,
        list(data.stream_infos()),
        data.num_chunks(),
        flag(data.changes, 'changes'),
        None if lengths is None else [np.asarray(chunk, np.int64) for chunk in lengths],
    )
