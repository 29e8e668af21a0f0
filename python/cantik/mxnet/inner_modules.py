"""Modules of MXNet's whose names are in another one here."""

import sys
from importlib import import_module

MODULES = {
    'mxnet.io.io': 'cantik.mxnet.io',
    'mxnet.kvstore.kvstore': 'cantik.mxnet.kvstore',
    'mxnet.module.base_module': 'cantik.mxnet.module.base',
    'mxnet.module.bucketing_module': 'cantik.mxnet.module.bucketing',
    'mxnet.module.sequential_module': 'cantik.mxnet.module.sequential',
    'mxnet.ndarray.ndarray': 'cantik.mxnet.ndarray',
    'mxnet.ndarray.utils': 'cantik.mxnet.ndarray',
    'mxnet.optimizer.optimizer': 'cantik.mxnet.optimizer',
    'mxnet.rnn.io': 'cantik.mxnet.rnn',
    'mxnet.rnn.rnn': 'cantik.mxnet.rnn',
    'mxnet.rnn.rnn_cell': 'cantik.mxnet.rnn',
}


def add_inner(name: str) -> None:
    """Gives a module of ours those that stand in it in MXNet and elsewhere here. It calls this at its end."""
    module = sys.modules[name]
    for path, own in MODULES.items():
        outer, _, inner = path.replace('mxnet', 'cantik.mxnet', 1).rpartition('.')
        if outer == name and inner not in module.__dict__:
            module.__dict__[inner] = import_module(own)
