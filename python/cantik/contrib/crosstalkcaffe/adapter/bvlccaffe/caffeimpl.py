"""Caffe's files and kinds of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...unimodel.cntkmodel import CntkLayerType
from . import prototxt, weights

if TYPE_CHECKING:
    from ....._types import PathLike
    from .....contrib.crosstalkcaffe.adapter.bvlccaffe.prototxt import Message

__all__ = ['CAFFE_LAYER_WRAPPER', 'CaffeResolver', 'CntkLayerType', 'DATA_KINDS', 'MESSAGES']

DATA_KINDS = {'Data', 'DummyData', 'HDF5Data', 'ImageData', 'Input', 'MemoryData', 'WindowData'}

CAFFE_LAYER_WRAPPER = {
    'Accuracy': CntkLayerType.classification_error,
    'BatchNorm': CntkLayerType.batch_norm,
    'Concat': CntkLayerType.splice,
    'Convolution': CntkLayerType.convolution,
    'Dropout': CntkLayerType.dropout,
    'Eltwise_SUM': CntkLayerType.plus,
    'InnerProduct': CntkLayerType.dense,
    'LRN': CntkLayerType.lrn,
    'PSROIPooling': CntkLayerType.psroi_pooling,
    'Pooling': CntkLayerType.pooling,
    'ReLU': CntkLayerType.relu,
    'Softmax': CntkLayerType.softmax,
    'SoftmaxWithLoss': CntkLayerType.cross_entropy_with_softmax,
}
# Where a layer of Caffe has its options.
MESSAGES = {
    CntkLayerType.batch_norm: 'batch_norm_param',
    CntkLayerType.convolution: 'convolution_param',
    CntkLayerType.dense: 'inner_product_param',
    CntkLayerType.dropout: 'dropout_param',
    CntkLayerType.lrn: 'lrn_param',
    CntkLayerType.plus: 'eltwise_param',
    CntkLayerType.pooling: 'pooling_param',
    CntkLayerType.psroi_pooling: 'psroi_pooling_param',
    CntkLayerType.relu: 'relu_param',
    CntkLayerType.softmax: 'softmax_param',
    CntkLayerType.splice: 'concat_param',
}
# The words that files before 2014 have for kinds of layers.
_OLD_KINDS = {
    'ACCURACY': 'Accuracy',
    'CONCAT': 'Concat',
    'CONVOLUTION': 'Convolution',
    'DATA': 'Data',
    'DROPOUT': 'Dropout',
    'DUMMY_DATA': 'DummyData',
    'ELTWISE': 'Eltwise',
    'HDF5_DATA': 'HDF5Data',
    'IMAGE_DATA': 'ImageData',
    'INNER_PRODUCT': 'InnerProduct',
    'LRN': 'LRN',
    'MEMORY_DATA': 'MemoryData',
    'POOLING': 'Pooling',
    'RELU': 'ReLU',
    'SOFTMAX': 'Softmax',
    'SOFTMAX_LOSS': 'SoftmaxWithLoss',
    'WINDOW_DATA': 'WindowData',
}


class CaffeResolver:
    """Reads Caffe's files without Caffe."""

    @staticmethod
    def network(path: PathLike) -> Message:
        """The message of a prototxt, whose layers are all in `layer` and have today's kinds.

        Args:
            path (str): the file
        """
        with open(path, encoding='utf-8') as file:
            network = prototxt.parsed(file.read())
        layers = network.parts('layer') + network.parts('layers')
        for layer in layers:
            kind = layer.word('type')
            layer.fields['type'] = [_OLD_KINDS.get(kind, kind)]
        network.fields['layer'] = layers
        return network

    @staticmethod
    def weights(path: PathLike) -> dict[Any, Any]:
        """The arrays of a caffemodel, by names of layers.

        Args:
            path (str): the file
        """
        with open(path, 'rb') as file:
            return weights.weights_of(file.read())
