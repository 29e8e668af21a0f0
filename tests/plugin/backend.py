"""A backend that was built outside of the tree: backend.py LIBRARY"""

import sys

import numpy as np

import cantik as C

device = C.device.load_backend(sys.argv[1])[0]
x = C.input_variable((1, 6, 6), needs_gradient=True)
network = C.layers.Sequential(
    [C.layers.Convolution2D((3, 3), 4, activation=C.tanh), C.layers.MaxPooling((2, 2), 2), C.layers.Dense(3)]
)(x)
data = np.random.RandomState(0).randn(5, 1, 6, 6).astype(np.float32)
for ask in (network.eval, network.grad):
    there, here = ask({x: data}, device=device), ask({x: data}, device=C.cpu())
    np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-5)
