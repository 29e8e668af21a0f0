#!/usr/bin/env python3
"""A network of Caffe as protobuf writes it, and what CNTK 2.7 makes of it.

    caffe_cntk.py FOLDER        # tests/golden/caffemodel

tests/python/test_crosstalkcaffe.py reads them.
"""

import json
import os
import sys

import numpy as np
from google.protobuf import text_format

import cntk as C
from cntk.contrib.crosstalkcaffe import CaffeConverter
from cntk.contrib.crosstalkcaffe.adapter.bvlccaffe import caffe_pb2

NET = '''name: "small"
layer { name: "data" type: "Input" top: "data" input_param { shape: { dim: 1 dim: 3 dim: 8 dim: 9 } } }
layer {  # a comment
  name: 'conv1', type: "Convolution"; bottom: "data" top: "conv1"
  convolution_param {
    num_output: 4 kernel_h: 3 kernel_w: 5 pad_h: 1 pad_w: 2 weight_filler { type: "xavier" }
  }
}
layer {
  name: "bn1" type: "BatchNorm" bottom: "conv1" top: "conv1"
  batch_norm_param { use_global_stats: true eps: 1e-3 }
}
layer { name: "scale1" type: "Scale" bottom: "conv1" top: "conv1" scale_param { bias_term: true } }
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer {
  name: "pool1" type: "Pooling" bottom: "conv1" top: "pool1"
  pooling_param { pool: MAX kernel_size: 2 stride: 2 }
}
layer {
  name: "conv2" type: "Convolution" bottom: "pool1" top: "conv2"
  convolution_param { num_output: 4 kernel_size: 3 pad: 1 bias_term: false }
}
layer {
  name: "lrn" type: "LRN" bottom: "conv2" top: "lrn"
  lrn_param { local_size: 3 alpha: 0.1 beta: 0.75 }
}
layer {
  name: "sum" type: "Eltwise" bottom: "pool1" bottom: "lrn" top: "sum"
  eltwise_param { operation: SUM }
}
layer { name: "cat" type: "Concat" bottom: "sum" bottom: "conv2" top: "cat" }
layer { name: "drop" type: "Dropout" bottom: "cat" top: "cat" dropout_param { dropout_ratio: 0.5 } }
layer {
  name: "pool2" type: "Pooling" bottom: "cat" top: "pool2"
  pooling_param { pool: AVE global_pooling: true }
}
layer {
  name: "fc" type: "InnerProduct" bottom: "pool2" top: "fc"
  inner_product_param { num_output: 5 }
}
layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
'''
SHAPES = {
    'conv1': [(4, 3, 3, 5), (4,)],
    'bn1': [(4,), (4,), (1,)],
    'scale1': [(4,), (4,)],
    'conv2': [(4, 4, 3, 3)],
    'fc': [(5, 8), (5,)],
}


def numbers(shape, first):
    """The same on every machine: sines."""
    return np.sin(first + np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


os.chdir(sys.argv[1])
net = text_format.Merge(NET, caffe_pb2.NetParameter())
for layer in net.layer:
    for i, shape in enumerate(SHAPES.get(layer.name, [])):
        blob = layer.blobs.add()
        blob.shape.dim.extend(shape)
        array = numbers(shape, len(layer.name) + i)
        blob.data.extend((abs(array) + 0.5 if layer.type == 'BatchNorm' else array).ravel().tolist())
with open('small.prototxt', 'w') as file:
    file.write(NET)
with open('small.caffemodel', 'wb') as file:
    file.write(net.SerializeToString())
source = {'Source': 'Caffe', 'ModelPath': 'small.prototxt', 'WeightsPath': 'small.caffemodel', 'Phase': 0}
with open('small.json', 'w') as file:
    json.dump({'SourceSolver': source, 'ModelSolver': {'CntkModelPath': 'small.model'}}, file)
CaffeConverter.from_model('small.json')
z = C.load_model('small.model')
names = ['conv1', 'bn1', 'pool1', 'lrn', 'cat', 'fc', 'prob']
found = C.combine([z.find_by_name(name) for name in names]).eval({z.arguments[0]: numbers((2, 3, 8, 9), 0)})
golden = {
    'parameters': {p.name: list(p.shape) for p in z.parameters},
    'outputs': {variable.name: value.round(6).tolist() for variable, value in found.items()},
}
with open('outputs.json', 'w') as file:
    json.dump(golden, file, sort_keys=True)
os.remove('small.model')
os.remove('small.json')
