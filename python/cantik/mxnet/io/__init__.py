"""mx.io: batches of data."""

from typing import Any as _Any

from ..inner_modules import add_inner as _add_inner
from .batch import DataBatch, DataDesc, DataIter, PrefetchingIter, ResizeIter
from .memory import NDArrayIter
from .mnist import MNISTIter


def __getattr__(name) -> _Any:
    if name in (
        'CSVIter',
        'ImageRecordIter',
        'ImageRecordUInt8Iter',
        'ImageDetRecordIter',
        'LibSVMIter',
        'MXDataIter',
    ):
        raise AttributeError(
            f"mxnet.io.{name} is not there in Cantik's MXNet layer; docs/mxnet.md lists what is"
        )
    raise AttributeError(f"module 'mxnet.io' has no attribute '{name}'")


_add_inner(__name__)
