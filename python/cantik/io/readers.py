"""Descriptions of files, with CNTK's keys."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _cantik
from .._checks import dictionary, flag, listed, number, path, refused, text, whole
from ..internal.dictionaries import Dictionary
from ..variables import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._types import PathLike, ShapeLike

StreamDefs = Record


def _pair(value, what):
    """One value for both, or two."""
    pair = (value, value) if np.isscalar(value) else tuple(listed(value, what))
    if len(pair) != 2:
        raise refused(what, 'a number or a pair of them', value)
    return pair


def StreamDef(
    field: str | None = None,
    shape: ShapeLike | None = None,
    is_sparse: bool = False,
    transforms: Sequence[Any] | None = None,
    context: Any = None,
    scp: str | None = None,
    mlf: str | None = None,
    broadcast: bool | None = None,
    defines_mb_size: bool = False,
    max_sequence_length: int = 65535,
) -> Record:
    """What a stream of a file is: the name of its field, its shape, and how it is read.

    Args:
        field (str): its name in the file
        shape (int): of a sample
        is_sparse (bool): whether only what is not zero is written; labels of speech always are sparse
        transforms (list): of images
        context (int or tuple): frames to the left and right
        scp, mlf (str): files of speech features and labels
        broadcast (bool): whether one value serves all steps of a sequence
        defines_mb_size (bool): whether the minibatch size counts its samples
        max_sequence_length (int): not used by any format, as in CNTK
    """
    stream = {
        'stream_alias': None if field is None else text(field, 'field'),
        'is_sparse': flag(is_sparse, 'is_sparse') or mlf is not None,
    }
    if shape is not None:
        stream['dim'] = shape
    if transforms is not None:
        stream['transforms'] = listed(transforms, 'transforms')
    if context is not None:
        for frames in _pair(context, 'context'):
            whole(frames, 'context', 0)
        stream['context'] = context
    if scp is not None:
        stream['scp'] = scp
    if mlf is not None:
        stream['mlf'] = mlf
    if broadcast is not None:
        stream['broadcast'] = broadcast
    stream['defines_mb_size'] = flag(defines_mb_size, 'defines_mb_size')
    stream['max_sequence_length'] = whole(max_sequence_length, 'max_sequence_length', 0)
    return Record(**stream)


class StreamConfiguration:
    """CNTK's older description of a stream.

    Args:
        name (str): of the stream
        dim (int): numbers in a sample
        is_sparse (bool): whether only what is not zero is written
        stream_alias (str): the name of its field in the file; that of the stream by default
        defines_mb_size (bool): whether the minibatch size counts its samples

    Example:
        >>> import cantik as C
        >>> stream = C.io.StreamConfiguration('words', 1000, is_sparse=True, stream_alias='w')
        >>> stream.m_stream_name, stream.m_dim, stream.m_stream_alias
        ('words', 1000, 'w')
    """

    m_stream_name, m_dim, m_is_sparse, m_stream_alias, m_defines_mb_size = '', 0, False, '', False

    def __init__(
        self,
        name: str,
        dim: int,
        is_sparse: bool = False,
        stream_alias: str = '',
        defines_mb_size: bool = False,
    ):
        self.m_stream_name = text(name, 'name')
        self.m_dim = whole(dim, 'dim', 0)
        self.m_is_sparse = flag(is_sparse, 'is_sparse')
        self.m_stream_alias = text(stream_alias, 'stream_alias')
        self.m_defines_mb_size = flag(defines_mb_size, 'defines_mb_size')


def _described(streams):
    """Pairs of a name and what is said of the stream."""
    for name, stream in dictionary(streams, 'streams').items():
        if not isinstance(stream, dict):
            raise refused(f"the stream '{name}'", 'a StreamDef', stream)
        yield name, stream


def _dim(stream, name, what):
    """How many numbers a sample has."""
    if 'dim' not in stream:
        raise ValueError(f'{what}: the shape of the stream {name} is not given')
    return whole(stream.dim, f'the shape of the stream {name}', 1)


def _deserializer(kind, module, **arguments):
    return Dictionary(type=kind, module=module, **arguments)


def _defines_no_size(stream, name, what):
    """Warns of what CNTK does not say."""
    if stream.get('defines_mb_size'):
        warnings.warn(
            f'{what}: minibatches are counted in the longest stream; defines_mb_size of {name} is not used',
            RuntimeWarning,
            stacklevel=3,
        )


def CTFDeserializer(filename: PathLike, streams: Any, cache_index: bool = False) -> Dictionary:
    """Files in CNTK's text format, plain, in gzip or in zip; docs/reference/text_format.md says what is in
    them.

    Args:
        filename (str): the file; archive.zip@/path for one in an archive
        streams: StreamDefs with a StreamDef(field, shape) for each stream, or a list of StreamConfiguration
        cache_index (bool): the index is kept in a file beside the text, and taken from there as long as it
          fits the text

    Example:
        >>> import cantik as C
        >>> C.io.CTFDeserializer('train.ctf', C.io.StreamDefs(x=C.io.StreamDef(field='S0', shape=3)))['input']
        {'x': {'dim': 3, 'format': 'dense', 'alias': 'S0', 'definesMBSize': False}}
    """
    if not isinstance(streams, dict):
        if not (listed(streams, 'streams') and all(isinstance(s, StreamConfiguration) for s in streams)):
            raise refused('streams', 'StreamDefs, or a list of StreamConfiguration', streams)
        streams = {
            s.m_stream_name: Record(
                stream_alias=s.m_stream_alias or s.m_stream_name,
                dim=s.m_dim,
                is_sparse=s.m_is_sparse,
                defines_mb_size=s.m_defines_mb_size,
            )
            for s in streams
        }
    fields = {}
    for name, stream in _described(streams):
        if stream.get('stream_alias') is None:
            raise ValueError(f'CTFDeserializer: stream name for key {name} must be specified')
        if isinstance(stream.get('dim'), (list, tuple)):
            raise TypeError(
                f'CTFDeserializer: the shape of stream {name} is a number in a text file, not '
                f'{stream.dim!r}; an input of any shape with as many elements takes it'
            )
        fields[name] = Dictionary(
            dim=_dim(stream, name, 'CTFDeserializer'),
            format='sparse' if stream.is_sparse else 'dense',
            alias=stream.stream_alias,
            definesMBSize=bool(stream.defines_mb_size),
        )
    kept = dict(cacheIndex=True) if flag(cache_index, 'cache_index') else {}
    return _deserializer(
        'CNTKTextFormatDeserializer',
        'CNTKTextFormatReader',
        file=path(filename, 'filename'),
        input=Dictionary(fields),
        **kept,
    )


def CBFDeserializer(filename: PathLike, streams: Any = {}) -> Dictionary:
    """Files in CNTK's binary format, with all of their streams; docs/reference/binary_format.md says what is
    in them.

    Args:
        filename (str): the file
        streams: StreamDefs with a StreamDef(field) for each stream that the program calls by another name
          than the file. Shapes and storage are the file's; minibatches are counted in each sequence's longest
          stream

    Example:
        >>> import cantik as C
        >>> C.io.CBFDeserializer('train.cbf', C.io.StreamDefs(x=C.io.StreamDef(field='S0')))['type']
        'CNTKBinaryFormatDeserializer'
    """
    fields = {}
    for name, stream in _described(streams):
        alias = stream.get('stream_alias')
        fields[name] = Dictionary() if alias is None else Dictionary(alias=alias)
        _defines_no_size(stream, name, 'CBFDeserializer')
    return _deserializer(
        'CNTKBinaryFormatDeserializer',
        'CNTKBinaryReader',
        file=path(filename, 'filename'),
        input=Dictionary(fields),
    )


def _image_streams(streams, what):
    """The entries of a description for pictures and their labels."""
    if not dictionary(streams, 'streams'):
        raise ValueError(f"{what}: a stream of the field 'image' or 'label' must be specified")
    return Dictionary({name: _image_stream(name, stream, what) for name, stream in _described(streams)})


def _image_stream(name, stream, what):
    field = stream.get('stream_alias')
    if field == 'image':
        if 'transforms' not in stream:
            raise ValueError(f'{what}: the transforms of the stream {name} are not given')
        return Dictionary(transforms=list(stream.transforms) + [Dictionary(type='Transpose')])
    if field == 'label':
        return Dictionary(labelDim=_dim(stream, name, what))
    raise ValueError(f"{what}: invalid field name '{field}', allowed are 'image' and 'label'")


def _faster(reduced, crop_alone):
    """The entries of a description that say how pictures are decoded; none for CNTK's way."""
    given = dict(reduced=flag(reduced, 'reduced'), cropAlone=flag(crop_alone, 'crop_alone'))
    return {name: True for name, wanted in given.items() if wanted}


def ImageDeserializer(
    filename: PathLike, streams: Any, reduced: bool = False, crop_alone: bool = False
) -> Dictionary:
    """Pictures named in a text file, one a line: [key TAB] path TAB label.

    A path may be archive.zip@/path/in/it; `...` at its beginning is the folder of the file. JPEG and PNG are
    read; pixels go from 0 to 255, [channels, height, width], blue first. See docs/images.md.

    Args:
        filename (str): the file
        streams: StreamDefs with a StreamDef(field='image', transforms=[...]) and a
          StreamDef(field='label', shape=classes); either may be missing
        reduced (bool): JPEG files that are scaled down are decoded at a half, a quarter or an eighth of
          their size, as long as that is no smaller than what they are scaled to. Faster, and other pixels
          than CNTK's
        crop_alone (bool): of a JPEG file that is cut first, nothing below the part is decoded. The same
          pixels; damage below is not noticed

    Example:
        >>> import cantik as C
        >>> streams = C.io.StreamDefs(
        ...     features=C.io.StreamDef(field='image', transforms=[C.io.transforms.scale(32, 32, 3)]),
        ...     labels=C.io.StreamDef(field='label', shape=10),
        ... )
        >>> C.io.ImageDeserializer('train.txt', streams)['type']
        'ImageDeserializer'
    """
    return _deserializer(
        'ImageDeserializer',
        'ImageReader',
        file=path(filename, 'filename'),
        input=_image_streams(streams, 'ImageDeserializer'),
        **_faster(reduced, crop_alone),
    )


def Base64ImageDeserializer(
    filename: PathLike, streams: Any, reduced: bool = False, crop_alone: bool = False
) -> Dictionary:
    """Pictures inside a text file, one a line: [key TAB] label TAB the JPEG or PNG file in Base64.

    Args:
        filename (str): the file
        streams, reduced, crop_alone: as for ImageDeserializer
    """
    return _deserializer(
        'Base64ImageDeserializer',
        'ImageReader',
        file=path(filename, 'filename'),
        input=_image_streams(streams, 'Base64ImageDeserializer'),
        **_faster(reduced, crop_alone),
    )


def ImageFolderDeserializer(
    folder: PathLike, streams: Any, reduced: bool = False, crop_alone: bool = False
) -> Dictionary:
    """Pictures in a folder that has a folder for each class. Not in CNTK.

    The number of a class is the place of its folder in the order of the names.

    Args:
        folder (str): that one
        streams: as for ImageDeserializer; the shape of the labels is the number of classes
        reduced, crop_alone: as for ImageDeserializer
    """
    return _deserializer(
        'ImageFolderDeserializer',
        'ImageReader',
        file=path(folder, 'folder'),
        input=_image_streams(streams, 'ImageFolderDeserializer'),
        **_faster(reduced, crop_alone),
    )


def _speech(streams, what, single=True):
    """Pairs of a name and what is said of a stream of speech."""
    found = dict(_described(streams))
    if not found or (single and len(found) > 1):
        raise ValueError('{} takes {} stream'.format(what, 'a single' if single else 'at least one'))
    return found.items()


def _label_files(stream, what):
    """The entry of a description that names master label files."""
    files = stream.get('mlf')
    if not files:
        raise ValueError(f'No master label files specified for {what}')
    if isinstance(files, (list, tuple)):
        return dict(mlfFileList=[path(file, 'mlf') for file in files])
    return dict(mlfFile=path(files, 'mlf'))


def HTKFeatureDeserializer(streams: Any) -> Dictionary:
    """Features of speech in HTK's archives, which script files list; docs/reference/speech_files.md says what
    is in them.

    Args:
        streams: StreamDefs with a StreamDef(scp, shape, context, broadcast) for each stream: the script
          file, the numbers of a frame, how many frames to the left and right stand beside each one, and
          whether the only frame of an utterance serves all steps of the others. defines_mb_size and
          max_sequence_length are not used, as in CNTK

    Example:
        >>> import cantik as C
        >>> d = C.io.HTKFeatureDeserializer(
        ...     C.io.StreamDefs(x=C.io.StreamDef(shape=40, context=(5, 5), scp='train.scp'))
        ... )
        >>> d['input']['x']['contextWindow']
        [5, 5]
    """
    what = 'HTKFeatureDeserializer'
    fields = {}
    for name, stream in _speech(streams, what, single=False):
        if not stream.get('scp'):
            raise ValueError(f'No scp files specified for {what}')
        _defines_no_size(stream, name, what)
        fields[name] = Dictionary(
            scpFile=path(stream.scp, 'scp'),
            dim=_dim(stream, name, what),
            contextWindow=[int(frames) for frames in _pair(stream.get('context', 0), 'context')],
            expandToUtterance=flag(stream.get('broadcast', False), 'broadcast'),
            maxSequenceLength=stream.max_sequence_length,
            definesMBSize=stream.defines_mb_size,
        )
    return _deserializer(what, 'HTKDeserializers', input=Dictionary(fields))


def HTKMLFDeserializer(
    label_mapping_file: PathLike, streams: Any, phoneBoundaries: bool = False
) -> Dictionary:
    """Labels of the frames of speech, from HTK's master label files; docs/reference/speech_files.md says
    what is in them.

    Args:
        label_mapping_file (str): the names of the labels, one a line, from 0 on
        streams: StreamDefs with one StreamDef(mlf, shape): a label file or a list of them, and how many
          labels there are
        phoneBoundaries (bool): the first frame of each label is a 2 instead of a 1

    Example:
        >>> import cantik as C
        >>> streams = C.io.StreamDefs(y=C.io.StreamDef(shape=9000, mlf='train.mlf'))
        >>> C.io.HTKMLFDeserializer('state.list', streams)['input']['y']['mlfFile']
        'train.mlf'
    """
    what = 'HTKMLFDeserializer'
    phoneBoundaries = flag(phoneBoundaries, 'phoneBoundaries')
    label_mapping_file = path(label_mapping_file, 'label_mapping_file')
    fields = {
        name: Dictionary(
            labelMappingFile=label_mapping_file,
            dim=_dim(stream, name, what),
            phoneBoundaries='true' if phoneBoundaries else 'false',
            **_label_files(stream, what),
        )
        for name, stream in _speech(streams, what)
    }
    return _deserializer(what, 'HTKDeserializers', input=Dictionary(fields))


def HTKMLFBinaryDeserializer(streams: Any) -> Dictionary:
    """Labels of the frames of speech, from binary master label files; docs/reference/speech_files.md says
    what is in them.

    Args:
        streams: StreamDefs with one StreamDef(mlf, shape): a label file or a list of them, and how many
          labels there are

    Example:
        >>> import cantik as C
        >>> streams = C.io.StreamDefs(y=C.io.StreamDef(shape=9000, mlf=['a.mlf', 'b.mlf']))
        >>> C.io.HTKMLFBinaryDeserializer(streams)['input']['y']['mlfFileList']
        ['a.mlf', 'b.mlf']
    """
    what = 'HTKMLFBinaryDeserializer'
    fields = {
        name: Dictionary(dim=_dim(stream, name, what), **_label_files(stream, what))
        for name, stream in _speech(streams, what)
    }
    return _deserializer(what, 'HTKDeserializers', input=Dictionary(fields))


def LatticeDeserializer(lattice_index_file: PathLike, streams: Any) -> Dictionary:
    """Lattices of speech as they lie in their archives: each is a sequence of the numbers of 32 bits that its
    bytes are. docs/reference/speech_files.md says what is in the files.

    Args:
        lattice_index_file (str): a file that lists tables of contents, one a line
        streams: StreamDefs with one StreamDef()

    Example:
        >>> import cantik as C
        >>> d = C.io.LatticeDeserializer('lattices.txt', C.io.StreamDefs(lattice=C.io.StreamDef()))
        >>> d['input']['lattice']['latticeIndexFile']
        'lattices.txt'
    """
    lattice_index_file = path(lattice_index_file, 'lattice_index_file')
    if not lattice_index_file:
        raise RuntimeError('LatticeDeserializer: the lattice index file parameter is empty')
    fields = {
        name: Dictionary(latticeIndexFile=lattice_index_file)
        for name, _ in _speech(streams, 'LatticeDeserializer')
    }
    return _deserializer('LatticeDeserializer', 'HTKDeserializers', input=Dictionary(fields))


def NpyDeserializer(files: Any, one_hot: Mapping[str, int] | None = None) -> Dictionary:
    """Arrays in NumPy's files, whose first axis counts the samples; they are read as they are needed. Not in
    CNTK.

    Args:
        files: a dictionary from names of streams to paths, of a file.npy or of one array in a file.npz
          (file.npz@/name.npy); or the path of a file.npz, whose arrays are streams of their names
        one_hot (dict): from names of streams of whole numbers to how many classes there are: they become
          sparse rows with a one

    Example:
        >>> import cantik as C, numpy as np
        >>> np.savez('digits.npz', image=np.zeros((100, 28, 28), np.float32), digit=np.arange(100) % 10)
        >>> data = C.io.NpyDeserializer('digits.npz', one_hot={'digit': 10})
        >>> source = C.io.MinibatchSource(data, minibatch_size=64)
        >>> [(batch['image'].shape, batch['digit'].shape) for batch in source]
        [((64, 28, 28), (64, 10)), ((36, 28, 28), (36, 10))]
    """
    if not isinstance(files, dict):
        files = dict(_cantik.arrays_of_npz(path(files, 'files')))
    if not files:
        raise refused('files', 'a dictionary from names of streams to paths', files)
    classes = {
        text(name, 'the name of a stream'): whole(n, 'one_hot', 1)
        for name, n in dictionary(one_hot or {}, 'one_hot').items()
    }
    for name in classes:
        if name not in files:
            raise ValueError(f'one_hot: there is no stream {name}; there are {", ".join(map(str, files))}')
    fields = {
        text(name, 'the name of a stream'): Dictionary(
            file=path(file, f'the file of the stream {name}'), classes=classes.get(name, 0)
        )
        for name, file in files.items()
    }
    return _deserializer('NpyDeserializer', 'TableReader', input=Dictionary(fields))


def CSVDeserializer(
    filename: PathLike,
    streams: Any,
    one_hot: Mapping[str, Any] | None = None,
    separator: str = ',',
    header: bool = True,
    missing: float | None = None,
) -> Dictionary:
    """A text with a row a sample and a column a number, plain, in gzip or in zip. Not in CNTK.

    Args:
        filename (str): the file; archive.zip@/path for one in an archive
        streams: a dictionary from names of streams to a column or a list of columns, by their names, or by
          their numbers from 0 on where there is no header; or a list of columns, each a stream
        one_hot (dict): from names of streams to how many classes there are, or to the list of the words that
          stand for them: they become sparse rows with a one
        separator (str): between the columns
        header (bool): whether the first row has the names of the columns
        missing (float): the number that stands for an empty field; None: it is an error

    Example:
        >>> import cantik as C
        >>> with open('houses.csv', 'w') as file:
        ...     _ = file.write('area,rooms,town,price\\n90,3,Kiel,250\\n120,4,Bonn,410\\n')
        >>> data = C.io.CSVDeserializer(
        ...     'houses.csv',
        ...     {'x': ['area', 'rooms'], 'town': 'town', 'price': 'price'},
        ...     one_hot={'town': ['Bonn', 'Kiel']},
        ... )
        >>> batch = next(iter(C.io.MinibatchSource(data, randomize=False)))
        >>> batch['x'].tolist(), batch['town'].toarray().tolist(), batch['price'].tolist()
        ([[90.0, 3.0], [120.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]], [[250.0], [410.0]])
    """
    if not isinstance(streams, dict):
        streams = {str(column): column for column in listed(streams, 'streams')}
    if not streams:
        raise refused('streams', 'a dictionary from names of streams to columns', streams)
    classes = dictionary(one_hot or {}, 'one_hot')
    for name in classes:
        if name not in streams:
            raise ValueError(f'one_hot: there is no stream {name}; there are {", ".join(map(str, streams))}')
    fields = {}
    for name, given in streams.items():
        columns = [given] if isinstance(given, (str, int, np.integer)) else list(listed(given, 'a stream'))
        for column in columns:
            if isinstance(column, bool) or not isinstance(column, (str, int, np.integer)):
                raise refused('a column', 'its name, or its number', column)
        field = Dictionary(columns=[str(column) for column in columns])
        found = classes.get(name)
        if isinstance(found, (list, tuple)):
            field['labels'] = [text(word, 'a label') for word in found]
        elif found is not None:
            field['classes'] = whole(found, 'one_hot', 1)
        fields[text(name, 'the name of a stream')] = field
    if len(text(separator, 'separator').encode()) != 1:
        raise refused('separator', 'a single character', separator)
    options = {} if missing is None else dict(missing=number(missing, 'missing'))
    return _deserializer(
        'CSVDeserializer',
        'TableReader',
        file=path(filename, 'filename'),
        input=Dictionary(fields),
        separator=separator,
        header=flag(header, 'header'),
        **options,
    )
