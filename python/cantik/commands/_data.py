"""Data in files, as `fit` and `score` take them: tables in memory, sources of minibatches of CNTK's files."""

from __future__ import annotations

import csv
import gzip
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import cantik as C

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = {'.csv': ',', '.tsv': '\t'}
ARRAYS = ('.npz',)
COLUMNAR = ('.parquet', '.arrow', '.feather')
TEXTS = ('.ctf', '.txt')
BINARIES = ('.cbf', '.bin')
_ROWS_AT_ONCE = 8192


class Stream:
    """A stream of a text file of CNTK's: NAME=SIZE, with :sparse and :sequence behind it where they hold.

    Args:
        name (str): in the file
        size (int): numbers of a sample
        is_sparse (bool): whether only what is not zero is written
        is_sequence (bool): whether each sequence has several; an input for it gets a sequence axis
    """

    def __init__(self, name: str, size: int, is_sparse: bool = False, is_sequence: bool = False):
        self.name, self.size, self.is_sparse, self.is_sequence = name, size, is_sparse, is_sequence

    @classmethod
    def of(cls, text: str) -> Stream:
        """The stream that a text describes."""
        name, _, rest = text.partition('=')
        size, *words = rest.split(':')
        if not name or not size.isdigit() or int(size) < 1 or set(words) - {'sparse', 'sequence'}:
            raise ValueError(
                f"a stream is NAME=SIZE[:sparse][:sequence], as words=943:sparse, and not '{text}'"
            )
        return cls(name, int(size), 'sparse' in words, 'sequence' in words)


def kind_of(path: str) -> str:
    """The ending that says what is in a file; that of x.csv.gz is .csv."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes[-1:] == ['.gz']:
        suffixes.pop()
    return suffixes[-1] if suffixes else ''


def is_sequential(path: str) -> bool:
    """Whether it is a file of CNTK's."""
    return kind_of(path) in (*TEXTS, *BINARIES)


def table_of(path: str) -> dict[str, np.ndarray]:
    """The columns of a table: numbers float32, all else as texts."""
    kind = kind_of(path)
    if kind in TABLES:
        return _csv(path, TABLES[kind])
    if kind in ARRAYS:
        return _npz(path)
    if kind in COLUMNAR:
        return _columnar(path, kind)
    known = ', '.join((*TABLES, *ARRAYS, *COLUMNAR, *TEXTS, *BINARIES))
    raise ValueError(f"{path}: no data are known by the ending '{kind}'\n  remedy   one of {known}")


def deserializer_of(path: str, streams: list[Stream]) -> Any:
    """What reads a file of CNTK's.

    Args:
        path (str): the file
        streams (list): of a text file; a binary one has them
    """
    if kind_of(path) in BINARIES:
        if streams:
            raise ValueError(f'{path} is binary and has its streams: --stream is for text files')
        return C.io.CBFDeserializer(path)
    if not streams:
        raise ValueError(
            f'{path}: a text file does not say how large its streams are\n'
            '  remedy   --stream NAME=SIZE[:sparse][:sequence] for each'
        )
    fields = {s.name: C.io.StreamDef(s.name, s.size, s.is_sparse) for s in streams}
    return C.io.CTFDeserializer(path, C.io.StreamDefs(**fields))


def source_of(path: str, streams: list[Stream], is_training: bool = False) -> Any:
    """A source over a file of CNTK's.

    Args:
        path (str): the file
        streams (list): of a text file
        is_training (bool): the order is random, and sweeps do not end
    """
    data = deserializer_of(path, streams)
    sweeps = C.io.INFINITELY_REPEAT if is_training else 1
    return C.io.MinibatchSource(data, randomize=is_training, max_sweeps=sweeps)


def features_and_labels(path: str, labels: str | None, features: list[str] | None) -> tuple[Any, Any]:
    """The two parts of a table, and the names of the columns in the order in which the network sees them."""
    table = table_of(path)
    names = list(table)
    if labels is None:
        raise ValueError(f'{path}: say which column has the labels\n  remedy   one of {", ".join(names)}')
    for name in [labels, *(features or [])]:
        if name not in table:
            raise ValueError(f"{path} has no column '{name}'; it has {', '.join(names)}")
    kept = features or [name for name in names if name != labels]
    if not kept:
        raise ValueError(f'{path} has no column beside the labels')
    for name in kept:
        if table[name].dtype.kind not in 'fiub':
            raise ValueError(
                f"{path}: the column '{name}' has texts, and networks take numbers\n"
                '  remedy   --features A,B,... names the columns to take'
            )
    return {name: table[name] for name in kept}, table[labels]


def _csv(path, separator):
    """Texts are read here, numbers by the library's own reader."""
    names, first = _head(path, separator)
    texts = [name for name, field in zip(names, first) if not _is_number(field)]
    numbers = [name for name in names if name not in texts]
    columns = {}
    if numbers:
        data = C.io.CSVDeserializer(path, {'x': numbers}, separator=separator)
        source = C.io.MinibatchSource(data, randomize=False, max_sweeps=1)
        rows = np.concatenate([batch['x'] for batch in source.batches(_ROWS_AT_ONCE)])
        columns = dict(zip(numbers, rows.T))
    if texts:
        columns.update(_text_columns(path, separator, names, texts))
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError(f'{path}: its columns have different lengths')
    return {name: columns[name] for name in names}


def _opened(path):
    is_packed = path.lower().endswith('.gz')
    return gzip.open(path, 'rt', encoding='utf-8-sig') if is_packed else open(path, encoding='utf-8-sig')


def _rows(path, separator):
    try:
        with _opened(path) as file:
            yield from csv.reader(file, delimiter=separator)
    except (csv.Error, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise ValueError(f'{path} is no text with columns: {error}') from error


def _head(path, separator):
    rows = _rows(path, separator)
    names, first = next(rows, []), next(rows, None)
    if first is None:
        raise ValueError(f'{path} has no rows below its header')
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{path}: two columns are called '{repeated[0]}'")
    if len(first) != len(names):
        raise ValueError(f'{path}: the header has {len(names)} columns, and line 2 has {len(first)}')
    return names, first


def _is_number(field):
    try:
        float(field)
    except ValueError:
        return False
    return True


def _text_columns(path, separator, names, wanted):
    places = [(name, names.index(name)) for name in wanted]
    columns = {name: [] for name in wanted}
    for number, row in enumerate(_rows(path, separator), 1):
        if number == 1 or not row:
            continue
        if len(row) != len(names):
            raise ValueError(f'{path}: the header has {len(names)} columns, and row {number} has {len(row)}')
        for name, place in places:
            columns[name].append(row[place])
    return {name: np.array(column) for name, column in columns.items()}


def _npz(path):
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except (
        ValueError,
        EOFError,
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
        AttributeError,
        TypeError,
    ) as error:
        raise ValueError(f'{path} is no file of arrays: {error}') from error
    for name, array in found.items():
        if array.ndim == 0:
            raise ValueError(
                f"{path}: the array '{name}' is a single number; its first axis counts the samples"
            )
    if not found:
        raise ValueError(f'{path} has no arrays')
    return found


def _columnar(path, kind):
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f'{kind} files need the package pyarrow: pip install pyarrow') from error
    import pyarrow.feather
    import pyarrow.parquet

    try:
        if kind == '.parquet':
            table = pyarrow.parquet.read_table(path)
        else:
            table = pyarrow.feather.read_table(path)
    except pyarrow.ArrowException as error:
        raise ValueError(f'{path}: {error}') from error
    return {name: np.asarray(table[name]) for name in table.column_names}


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that say what is what in a file of data."""
    for option in (
        click.option(
            '--stream',
            'streams',
            multiple=True,
            metavar='NAME=SIZE[:sparse][:sequence]',
            help="A stream of a text file of CNTK's; once for each.",
        ),
        click.option(
            '--features', metavar='A,B,...', help='The columns of a table that go in; all others by default.'
        ),
        click.option('--labels', metavar='NAME', help='The column, array or stream with the labels.'),
    ):
        function = option(function)
    return function


def names_in(text: str | None) -> list[str] | None:
    """The names of a list with commas."""
    return [name.strip() for name in text.split(',')] if text else None
