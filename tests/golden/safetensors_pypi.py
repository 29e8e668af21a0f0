"""Writes weights.safetensors with the package safetensors of PyPI, which the tests read.

python safetensors_pypi.py           # in a place with safetensors and NumPy
python safetensors_pypi.py FILE      # prints what the package reads in a file of ours
"""

import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

if len(sys.argv) > 1:
    for name, array in load_file(sys.argv[1]).items():
        print(json.dumps([name, str(array.dtype), list(array.shape), array.astype(float).ravel().tolist()]))
else:
    tensors = {
        'hidden.W': np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
        'hidden.b': np.array([1.5, -2.0], np.float64),
        'half': np.array([[0.5], [65504.0]], np.float16),
        'small "\u00e4\U0001d11e"': np.array([-128, 127], np.int8),
        'short': np.array(-32768, np.int16),
        'int': np.array([2**31 - 1], np.int32),
        'empty': np.zeros((0, 4), np.float32),
    }
    save_file(
        tensors, pathlib.Path(__file__).with_name('weights.safetensors'), {'format': 'np', 'by': '"PyPI"'}
    )
