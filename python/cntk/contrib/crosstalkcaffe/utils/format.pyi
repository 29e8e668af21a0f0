# Written by tools/generate: cantik's module under CNTK's name.
from cantik.contrib.crosstalkcaffe.utils.format import *
