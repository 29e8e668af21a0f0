"""Data sources: files, arrays, and the user's own. What of CNTK's readers is not there yet is named in docs/status.md."""
from .sources import (DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS, FULL_DATA_SWEEP, INFINITELY_REPEAT, MinibatchData, MinibatchSourceFromData, StreamInformation,
                      UserMinibatchSource)
from .readers import (Base64ImageDeserializer, CBFDeserializer, CTFDeserializer, HTKFeatureDeserializer, HTKMLFBinaryDeserializer, HTKMLFDeserializer,
                      ImageDeserializer, LatticeDeserializer, StreamConfiguration, StreamDef, StreamDefs)
from .chunks import UserDeserializer
from .minibatch_source import MinibatchSource
from .ahead import ReadAhead
from .iterable import IterableSource
from .text_format import sequence_to_cntk_text_format, _is_tensor
from . import transforms
