"""Which pixels belong to a square: a U of convolutions down and up again, each way up meeting its way
down."""

import numpy as np

import cntk as C
from cntk.layers import Convolution2D, ConvolutionTranspose2D, MaxPooling, default_options

SIZE = 16

C.cntk_py.set_fixed_random_seed(21)
x = C.input_variable((1, SIZE, SIZE), name='picture')
y = C.input_variable((1, SIZE, SIZE), name='mask')

with default_options(init=C.glorot_uniform(), activation=C.relu, pad=True):
    first = C.layers.Sequential([Convolution2D((3, 3), 4), Convolution2D((3, 3), 4)])(x)
    second = C.layers.Sequential([MaxPooling((2, 2), strides=2, pad=False), Convolution2D((3, 3), 8)])(first)
    third = C.layers.Sequential([MaxPooling((2, 2), strides=2, pad=False), Convolution2D((3, 3), 8)])(second)
    up = ConvolutionTranspose2D((2, 2), 8, strides=2, pad=False, output_shape=(8, 8))(third)
    up = Convolution2D((3, 3), 8)(C.splice(up, second, axis=0))
    up = ConvolutionTranspose2D((2, 2), 4, strides=2, pad=False, output_shape=(16, 16))(up)
    up = Convolution2D((3, 3), 4)(C.splice(up, first, axis=0))
z = Convolution2D((1, 1), 1, init=C.glorot_uniform(), activation=C.sigmoid, name='score')(up)
print(up.shape, z.shape, len(z.parameters))


def dice(y, z):
    """How much of both is common."""
    common = C.reduce_sum(C.element_times(y, z), axis=C.Axis.all_static_axes())
    return (
        2.0
        * (common + 1.0)
        / (
            C.reduce_sum(y, axis=C.Axis.all_static_axes())
            + C.reduce_sum(z, axis=C.Axis.all_static_axes())
            + 2.0
        )
    )


loss = C.reduce_mean(C.binary_cross_entropy(z, y), axis=C.Axis.all_static_axes()) + (1.0 - dice(y, z))
rng = np.random.RandomState(0)


def pictures(count):
    X = rng.rand(count, 1, SIZE, SIZE).astype(np.float32) * 0.5
    Y = np.zeros_like(X)
    for i in range(count):
        top, left, side = rng.randint(0, 8), rng.randint(0, 8), rng.randint(4, 9)
        Y[i, 0, top : top + side, left : left + side] = 1
    return X + 0.5 * Y, Y


learner = C.adam(
    z.parameters, C.learning_parameter_schedule(0.01, 1), C.momentum_schedule(0.9), use_mean_gradient=True
)
trainer = C.Trainer(z, (loss, dice(y, z)), learner)
for step in range(10):
    X, Y = pictures(8)
    trainer.train_minibatch({x: X, y: Y})
    print(
        '%.5f %.4f' % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
    )
X, Y = pictures(2)
found = z.eval({x: X})
print(found.shape, '%.5f %.5f' % (found.mean(), found[Y > 0].mean()))
print(C.combine([z.score]).eval({x: X[:1]})[0, 0, 4, ::4].round(4))
