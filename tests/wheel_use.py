"""Uses an installed package: wheel_use.py FOLDER. Imports, trains, saves, loads; says which Python and NumPy
it was."""

import importlib.metadata
import os
import sys

import numpy as np

import cantik
import cntk as C
import cntk.layers

assert C is cantik and cntk.layers is cantik.layers and C.Function is cantik.Function
assert 'site-packages' in cantik.__file__, cantik.__file__
assert importlib.metadata.version('cantik') == cantik.cantik_version
folder = os.path.dirname(cantik.__file__)
assert os.path.exists(os.path.join(folder, 'py.typed')) and os.path.exists(
    os.path.join(folder, '_cantik', '__init__.pyi')
)

C.cntk_py.set_fixed_random_seed(1)
x, y = C.input_variable(2), C.input_variable(2)
z = C.layers.Sequential([C.layers.Dense(8, activation=C.tanh), C.layers.Dense(2)])(x)
criterion = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
trainer = C.Trainer(
    z,
    criterion,
    [C.adam(z.parameters, C.learning_parameter_schedule(0.05), C.momentum_schedule(0.9), unit_gain=False)],
)
data = np.random.RandomState(0).randn(64, 2).astype(np.float32)
labels = np.eye(2, dtype=np.float32)[(data.sum(axis=1) > 0).astype(int)]
losses = []
for _ in range(50):
    trainer.train_minibatch({x: data, y: labels})
    losses.append(trainer.previous_minibatch_loss_average)
assert losses[-1] < 0.25 * losses[0], losses

path = os.path.join(sys.argv[1], 'a.model')
z.save(path)
loaded = C.load_model(path)
np.testing.assert_array_equal(loaded.eval({loaded.arguments[0]: data}), z.eval({x: data}))
try:
    C.times(C.input_variable(3), C.Parameter((4, 2)))
except ValueError as error:
    assert 'wheel_use.py' in str(error), error
else:
    raise AssertionError('accepted')
print(
    f'Python {sys.version.split()[0]}, NumPy {np.__version__}: trained from {losses[0]:.3f} to '
    f'{losses[-1]:.3f}, saved, loaded'
)

# ONNX both ways.
path = os.path.join(sys.argv[1], 'a.onnx')
z.save(path, format=C.ModelFormat.ONNX)
read = C.load_model(path)
np.testing.assert_allclose(read.eval({read.arguments[0]: data}), z.eval({x: data}), rtol=1e-5, atol=1e-6)
print('wrote and read ONNX')

# The tour's network, for some minibatches of its size.
image, digit = C.input_variable((28, 28)), C.input_variable(10)
with C.layers.default_options(activation=C.relu, pad=False):
    tour = C.layers.Sequential(
        [
            C.layers.Convolution2D((5, 5), 32, reduction_rank=0, pad=True),
            C.layers.MaxPooling((3, 3), (2, 2)),
            C.layers.Convolution2D((3, 3), 48),
            C.layers.MaxPooling((3, 3), (2, 2)),
            C.layers.Convolution2D((3, 3), 64),
            C.layers.Dense(96),
            C.layers.Dropout(0.5),
            C.layers.Dense(10, activation=None),
        ]
    )(image)
trainer = C.Trainer(
    tour,
    C.cross_entropy_with_softmax(tour, digit),
    [C.adam(tour.parameters, 0.002, 0.9, use_mean_gradient=True)],
)
random = np.random.RandomState(1)
prototypes = random.rand(10, 28, 28).astype(np.float32)
losses = []
for _ in range(100):
    classes = random.randint(0, 10, 64)
    noise = random.rand(64, 28, 28).astype(np.float32)
    trainer.train_minibatch(
        {image: 0.7 * prototypes[classes] + 0.3 * noise, digit: np.eye(10, dtype=np.float32)[classes]}
    )
    losses.append(trainer.previous_minibatch_loss_average)
assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5]), losses
print(f"the tour's network: from {np.mean(losses[:5]):.3f} to {np.mean(losses[-5:]):.3f}")
