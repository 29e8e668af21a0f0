"""Caffe's files: networks as text (prototxt), weights as protobuf (caffemodel)."""

from . import caffeadapter, caffeimpl
