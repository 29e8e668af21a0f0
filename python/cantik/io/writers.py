"""Files written from deserializers: from one format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import path, refused, whole
from ._formats import opened

if TYPE_CHECKING:
    from .._types import PathLike


def _all(deserializers):
    given = deserializers if isinstance(deserializers, (list, tuple)) else [deserializers]
    if not given:
        raise refused('deserializers', 'one, or a list of them', deserializers)
    return [part for d in given for part in opened(d, 0)]


def write_cbf(filename: PathLike, deserializers: Any, chunk_size_in_bytes: int = 32 << 20) -> None:
    """Writes sequences as a file in CNTK's binary format. The file is there when it is complete.

    Args:
        filename (str): the file
        deserializers: one, or a list of them, whose sequences are joined by their ids: a CTFDeserializer, a
          UserDeserializer; their streams are of float32 or float64
        chunk_size_in_bytes (int): a chunk ends with the sequence that reaches so many bytes; it is read at a
          time

    Example:
        >>> import cantik as C, os, tempfile
        >>> text, binary = [os.path.join(tempfile.mkdtemp(), name) for name in ('data.ctf', 'data.cbf')]
        >>> with open(text, 'w') as f:
        ...     _ = f.write('0 |x 1 2 |y 0:1\\n0 |x 3 4 |y 2:1\\n1 |x 5 6 |y 1:1\\n')
        >>> streams = C.io.StreamDefs(x=C.io.StreamDef('x', 2), y=C.io.StreamDef('y', 3, is_sparse=True))
        >>> C.io.write_cbf(binary, C.io.CTFDeserializer(text, streams))
        >>> source = C.io.MinibatchSource(C.io.CBFDeserializer(binary), randomize=False, max_sweeps=1)
        >>> [s.tolist() for s in source.next_minibatch(10)[source.streams.x].as_sequences()]
        [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]
    """
    chunk_bytes = whole(chunk_size_in_bytes, 'chunk_size_in_bytes', 1)
    _cantik.write_cbf(path(filename, 'filename'), _all(deserializers), chunk_bytes)


def write_ctf(filename: PathLike, deserializers: Any) -> None:
    """Writes sequences as a file in CNTK's text format. The file is there when it is complete.

    Numbers are written with as few digits as they are read back exactly from.

    Args:
        filename (str): the file
        deserializers: one, or a list of them, whose sequences are joined by their ids: a CBFDeserializer, a
          UserDeserializer; their streams are of float32 or float64

    Example:
        >>> import cantik as C, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), 'data.ctf')
        >>> class Halves(C.io.UserDeserializer):
        ...     def stream_infos(self):
        ...         return [C.io.StreamInformation('x', 0, 'dense', np.float32, (2,))]
        ...
        ...     def num_chunks(self):
        ...         return 1
        ...
        ...     def get_chunk(self, chunk_id):
        ...         return {'x': np.array([[0.5, 1], [1.5, 2]], np.float32)}
        >>> import numpy as np
        >>> C.io.write_ctf(path, Halves())
        >>> print(open(path).read(), end='')
        0 |x 0.5 1
        1 |x 1.5 2
    """
    _cantik.write_ctf(path(filename, 'filename'), _all(deserializers))
