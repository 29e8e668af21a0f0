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
