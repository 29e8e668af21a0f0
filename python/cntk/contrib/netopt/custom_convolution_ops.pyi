# Written by tools/generate: cantik's module under CNTK's name.
from cantik.contrib.netopt.custom_convolution_ops import *
