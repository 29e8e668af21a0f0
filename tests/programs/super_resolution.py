"""Super-resolution: residual blocks, a transposed convolution and shuffled channels make images twice as
large."""

import numpy as np

import cntk as C
from cntk.layers import BatchNormalization, Convolution2D, ConvolutionTranspose2D

rng = np.random.RandomState(0)
small, large = C.input_variable((3, 10, 10)), C.input_variable((3, 20, 20))


def convolution(x, channels, seed, size=3, bias=True):
    return Convolution2D((size, size), channels, pad=True, bias=bias, init=C.normal(0.1, seed=seed))(x)


def residual(x, seed):
    h = C.tanh(convolution(x, 4, seed, bias=False))
    return C.tanh(BatchNormalization(map_rank=1)(convolution(h, 4, seed + 1, bias=False)) + x)


first = C.param_relu(C.parameter((4, 1, 1), init=0.2), convolution(small, 4, 3, size=5))
h = first
for block in range(3):
    h = residual(h, 10 * block)
up = ConvolutionTranspose2D(
    (3, 3), 4, strides=2, pad=True, output_shape=(20, 20), init=C.normal(0.1, seed=50)
)
shown = convolution(C.leaky_relu(up(h + first), 0.1), 3, 60)
shown += C.depth_to_space(convolution(first, 12, 61), 2)

error = C.reduce_mean(C.square(shown - large))
roughness = C.reduce_mean(C.abs(shown[:, 1:, :] - shown[:, :-1, :]))
decibels = 10 * C.log(1 / error) / np.log(10).astype(np.float32)
learner = C.adam(
    shown.parameters,
    C.learning_rate_schedule(0.01, C.UnitType.minibatch),
    C.momentum_schedule(0.9),
    variance_momentum=C.momentum_schedule(0.999),
)
trainer = C.Trainer(shown, (error + 1e-4 * roughness, decibels), learner)
images = rng.rand(8, 3, 20, 20).astype(np.float32)
shrunk = images.reshape(8, 3, 10, 2, 10, 2).mean((3, 5))
for _ in range(10):
    trainer.train_minibatch({small: shrunk, large: images})
    print(
        '%.4f %.3f' % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
    )
print(shown.shape, len(shown.parameters), np.round(shown.eval({small: shrunk[:1]})[0, :, 5, 5], 3))
