"""Data sources. Arrays are there; readers of files are not yet, see docs/status.md."""
from .sources import (DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS, FULL_DATA_SWEEP, INFINITELY_REPEAT, MinibatchData, MinibatchSource, MinibatchSourceFromData,
                      StreamInformation, UserMinibatchSource)
from .readers import (Base64ImageDeserializer, CBFDeserializer, CTFDeserializer, HTKFeatureDeserializer, HTKMLFBinaryDeserializer, HTKMLFDeserializer,
                      ImageDeserializer, LatticeDeserializer, StreamConfiguration, StreamDef, StreamDefs, UserDeserializer, sequence_to_cntk_text_format)
from . import transforms
