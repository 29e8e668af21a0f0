"""Models of Caffe as models of this package: `CaffeConverter.from_model` reads a network's prototxt and its
weights.

Caffe itself is not needed. The files are read here: they are data, and nothing in them is run.
"""

from . import adapter, convert, unimodel, utils, validation
from .convert import CaffeConverter
