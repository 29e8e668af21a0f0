# Dictionaries as CNTK 2.7 writes them, as C++ string literals: python dictionary_cntk.py >
# dictionary_cntk.inc Run by a Python that has CNTK 2.7.
import os
import tempfile

import cntk as C
import numpy as np
from cntk.internal import utils


def literal(name, saved):
    path = os.path.join(tempfile.mkdtemp(), "d")
    saved.save(path)
    data = open(path, "rb").read()
    print("constexpr std::string_view %s =" % name)
    for at in range(0, len(data), 32):
        print('    "%s"' % data[at : at + 32].hex() + (";" if at + 32 >= len(data) else ""))


print("// Written by dictionary_cntk.py on CNTK %s: files in hexadecimal." % C.__version__)
numbers = np.arange(0, 64)
literal("kInt8", C._to_cntk_dict_value(numbers.astype(np.int8).reshape(16, 4)))
literal("kInt16", C._to_cntk_dict_value(numbers.astype(np.int16).reshape(16, 4)))
literal("kFloat64", C._to_cntk_dict_value(np.array([[1.5, -2], [3, 4], [1e300, 0]])))
literal(
    "kMixed",
    utils._py_dict_to_cntk_dict(
        {
            "a": 1,
            "b": 2.5,
            "big": 1 << 30,
            "c": "text \u00e4",
            "d": True,
            "e": False,
            "f": [1, "x", -7],
            "z": {"k": -3},
            "t": np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32),
        }
    ),
)
