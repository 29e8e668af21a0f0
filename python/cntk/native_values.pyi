# Written by tools/generate: cantik's module under CNTK's name.
from cantik.native_values import *
