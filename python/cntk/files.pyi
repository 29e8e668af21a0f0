# Written by tools/generate: cantik's module under CNTK's name.
from cantik.files import *
