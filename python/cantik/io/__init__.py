"""Data sources: files, arrays, and the user's own. What of CNTK's readers is not there yet is named in
docs/status.md."""

from .sources import (
    DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS as DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
    FULL_DATA_SWEEP as FULL_DATA_SWEEP,
    INFINITELY_REPEAT as INFINITELY_REPEAT,
    MinibatchData as MinibatchData,
    MinibatchSourceFromData as MinibatchSourceFromData,
    StreamInformation as StreamInformation,
    UserMinibatchSource as UserMinibatchSource,
)
from .readers import (
    Base64ImageDeserializer as Base64ImageDeserializer,
    CBFDeserializer as CBFDeserializer,
    CSVDeserializer as CSVDeserializer,
    CTFDeserializer as CTFDeserializer,
    HTKFeatureDeserializer as HTKFeatureDeserializer,
    HTKMLFBinaryDeserializer as HTKMLFBinaryDeserializer,
    HTKMLFDeserializer as HTKMLFDeserializer,
    ImageDeserializer as ImageDeserializer,
    ImageFolderDeserializer as ImageFolderDeserializer,
    LatticeDeserializer as LatticeDeserializer,
    NpyDeserializer as NpyDeserializer,
    StreamConfiguration as StreamConfiguration,
    StreamDef as StreamDef,
    StreamDefs as StreamDefs,
)
from .chunks import UserDeserializer as UserDeserializer
from .tables import (
    ArrowDeserializer as ArrowDeserializer,
    DatasetDeserializer as DatasetDeserializer,
    ParquetDeserializer as ParquetDeserializer,
)
from .minibatch_source import MinibatchSource as MinibatchSource
from .ahead import ReadAhead as ReadAhead
from .iterable import IterableSource as IterableSource
from .writers import write_cbf as write_cbf, write_ctf as write_ctf
from .text_format import sequence_to_cntk_text_format as sequence_to_cntk_text_format, _is_tensor
from .._cantik import decode_image as decode_image
from . import transforms as transforms
