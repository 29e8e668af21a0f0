"""Descriptions of files. Reading them is not there yet, see docs/status.md."""
import numpy as np

from ..cntk_py import Dictionary
from ..internal.waiting import not_there
from ..variables import Record

StreamDefs = Record


def StreamDef(field=None, shape=None, is_sparse=False, transforms=None, context=None, scp=None, mlf=None, broadcast=None, defines_mb_size=False,
              max_sequence_length=65535):
    """What a stream of a file is: the name of its field, its shape, and how it is read.

    Args:
        field (str): its name in the file
        shape (int): of a sample
        is_sparse (bool): whether only what is not zero is written
        transforms (list): of images
        context (int or tuple): frames to the left and right
        scp, mlf (str): files of speech features and labels
        broadcast (bool): whether one value serves all steps of a sequence
        defines_mb_size (bool): whether the minibatch size counts its samples
        max_sequence_length (int): longer sequences are left out
    """
    stream = {}
    if field is not None:
        stream['stream_alias'] = field
    if transforms is not None:
        stream['transforms'] = list(transforms)
    if context is not None:
        stream['context'] = (context, context) if np.isscalar(context) else tuple(context)
    if scp is not None:
        stream['scp'] = scp
    if mlf is not None:
        stream['mlf'] = mlf
    if broadcast is not None:
        stream['broadcast'] = broadcast
    if shape is not None:
        stream['dim'] = shape
        stream['is_sparse'] = is_sparse
    stream['defines_mb_size'] = bool(defines_mb_size)
    stream['max_sequence_length'] = max_sequence_length
    return Record(**stream)


class StreamConfiguration:
    """CNTK's older description of a stream."""

    def __init__(self, name, dim, is_sparse=False, stream_alias='', defines_mb_size=False):
        self.m_stream_name, self.m_dim, self.m_is_sparse = name, dim, is_sparse
        self.m_stream_alias, self.m_defines_mb_size = stream_alias or name, defines_mb_size


def _deserializer(kind, **arguments):
    return Dictionary(type=kind, **arguments)


def CTFDeserializer(filename, streams):
    """Text files in CNTK's format."""
    return _deserializer('CNTKTextFormatDeserializer', file=filename, input=streams)


def CBFDeserializer(filename, streams={}):
    """Binary files in CNTK's format."""
    return _deserializer('CNTKBinaryFormatDeserializer', file=filename, input=streams)


def ImageDeserializer(filename, streams):
    """Images named in a map file."""
    return _deserializer('ImageDeserializer', file=filename, input=streams)


def Base64ImageDeserializer(filename, streams):
    """Images inside a text file."""
    return _deserializer('Base64ImageDeserializer', file=filename, input=streams)


def HTKFeatureDeserializer(streams):
    """Speech features."""
    return _deserializer('HTKFeatureDeserializer', input=streams)


def HTKMLFDeserializer(label_mapping_file, streams, phoneBoundaries=False):
    """Labels of speech."""
    return _deserializer('HTKMLFDeserializer', labelMappingFile=label_mapping_file, input=streams, phoneBoundaries=phoneBoundaries)


def HTKMLFBinaryDeserializer(streams):
    """Labels of speech in binary form."""
    return _deserializer('HTKMLFBinaryDeserializer', input=streams)


def LatticeDeserializer(lattice_index_file, streams):
    """Lattices of speech."""
    return _deserializer('LatticeDeserializer', latticeIndexFile=lattice_index_file, input=streams)


class UserDeserializer:
    """A deserializer of the user's own. Not there yet, see docs/status.md."""

    def __init__(self):
        raise not_there('io.UserDeserializer')

    def stream_infos(self):
        """Its streams."""
        raise NotImplementedError

    def num_chunks(self):
        """How many chunks it has."""
        raise NotImplementedError

    def get_chunk(self, chunk_id):
        """One chunk."""
        raise NotImplementedError


def sequence_to_cntk_text_format(seq_idx, alias_tensor_map):
    """A sequence as lines of CNTK's text format.

    Args:
        seq_idx (int): the number of the sequence
        alias_tensor_map (dict): from names of streams to arrays [steps, ...], or lists of values

    Example:
        >>> import cantik as C, numpy as np
        >>> print(C.io.sequence_to_cntk_text_format(3, {'a': np.array([[1, 2], [3, 4]]), 'b': np.array([[5]])}))
        3	|a 1 2 |b 5
        3	|a 3 4
    """
    def numbers(step):
        if hasattr(step, 'indptr'):
            return ' '.join('{}:{:g}'.format(i, v) for i, v in zip(step.indices, step.data))
        return ' '.join('{:g}'.format(float(v)) for v in np.asarray(step).ravel())
    streams = {alias: list(data) for alias, data in alias_tensor_map.items()}
    longest = max(map(len, streams.values()), default=0)
    return '\n'.join('{}\t{}'.format(seq_idx, ' '.join('|{} {}'.format(alias, numbers(data[i])) for alias, data in sorted(streams.items()) if i < len(data)))
                     for i in range(longest))
