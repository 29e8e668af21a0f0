"""The model in a Python program: python in_python.py FOLDER/points/1/points.cntk"""

import sys

import numpy as np

import cantik as C

model = C.load_model(sys.argv[1])
chances = model.eval(np.array([[3, 3]], np.float32))[0]
print(f'(3, 3) is of kind {chances.argmax()}')
