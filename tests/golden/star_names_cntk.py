#!/usr/bin/env python3
"""What `from MODULE import *` brings in CNTK 2.7, for every module of its wheel but tests and files that
protobuf writes.

    star_names_cntk.py star_names_cntk.json

Each name has the module that defines it, `module NAME` where it is a module, or its type where it is a value.
tests/python/test_star_imports.py compares with this package.
"""

import json
import os
import sys
import types
from pathlib import Path

import cntk

# Names of the binding's machinery, which no program uses; and a module that only its test needs.
LEFT_OUT = ('cntk.conftest', 'cntk.cntk_py', 'crosstalk_tensorflow', 'caffe_pb2')


def modules():
    root = os.path.dirname(cntk.__file__)
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in ('__pycache__', 'libs', 'tests', 'test')]
        for file in files:
            if file.endswith('.py'):
                path = os.path.relpath(os.path.join(folder, file), os.path.dirname(root))[:-3].split(os.sep)
                name = '.'.join(path[:-1] if path[-1] == '__init__' else path)
                if not name.endswith(LEFT_OUT):
                    yield name


def described(value):
    if isinstance(value, types.ModuleType):
        return 'module ' + value.__name__
    home = getattr(value, '__module__', None)
    return home + '.' + value.__name__ if home and hasattr(value, '__name__') else type(value).__name__


if __name__ == '__main__':
    found = {}
    for name in sorted(modules()):
        brought = {}
        exec('from {} import *'.format(name), brought)
        brought.pop('__builtins__')
        found[name] = {n: described(v) for n, v in sorted(brought.items())}
    Path(sys.argv[1]).write_text(
        '{\n' + ',\n'.join(json.dumps(m) + ': ' + json.dumps(found[m]) for m in sorted(found)) + '\n}\n'
    )
