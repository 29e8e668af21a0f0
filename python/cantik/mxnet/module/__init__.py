"""mx.mod: symbols with their parameters, trained and used."""
from typing import Any as _Any

from .base import BaseModule
from .module import Module


def __getattr__(name) -> _Any:
    if name in ('BucketingModule', 'SequentialModule', 'PythonModule', 'PythonLossModule'):
        raise AttributeError("mxnet.module.{} is not there in Cantik's MXNet layer; docs/mxnet.md lists what is".format(name))
    raise AttributeError("module 'mxnet.module' has no attribute '{}'".format(name))
