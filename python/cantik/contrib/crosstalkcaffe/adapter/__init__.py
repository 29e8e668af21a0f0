"""Readers of other toolkits' models, by the names that configurations have for the toolkits."""

from . import baseadapter, bvlccaffe
from .bvlccaffe import caffeadapter

ADAPTER_DICT = {'Caffe': caffeadapter.CaffeAdapter()}
