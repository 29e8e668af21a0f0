# Written by tools/generate: cantik's module under CNTK's name.
from cantik.contrib.crosstalkcaffe.adapter.bvlccaffe.weights import *
