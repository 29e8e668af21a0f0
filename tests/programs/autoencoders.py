"""Autoencoders of digits in a text file: dense, with noise, convolved, unpooled; tests while they are
trained; a variational one, by random.normal_like."""

import numpy as np
import cntk as C
from cntk.layers import Convolution2D, ConvolutionTranspose2D, Dense, MaxPooling, MaxUnpooling, Sequential

C.cntk_py.set_fixed_random_seed(11)
SIZE, KINDS = 36, 4
rng = np.random.RandomState(3)
patterns = rng.randint(0, 255, (KINDS, SIZE))
with open('pictures.ctf', 'w') as f:
    for _ in range(120):
        kind = rng.randint(KINDS)
        pixels = np.clip(patterns[kind] + rng.randint(-40, 40, SIZE), 0, 255)
        f.write('|kind %d:1 |pixels %s\n' % (kind, ' '.join(map(str, pixels))))


def pictures(sweeps):
    streams = C.io.StreamDefs(
        kind=C.io.StreamDef('kind', KINDS, is_sparse=True), pixels=C.io.StreamDef('pixels', SIZE)
    )
    return C.io.MinibatchSource(
        C.io.CTFDeserializer('pictures.ctf', streams), randomize=sweeps > 1, max_sweeps=sweeps
    )


def dense(x):
    return Sequential([Dense(16, C.relu), Dense(4, C.relu), Dense(16, C.relu), Dense(SIZE, C.sigmoid)])(x)


def noisy(x):
    return Sequential([Dense(12, C.elu), Dense(SIZE, C.sigmoid)])(x * C.random.bernoulli_like(x, 0.8, seed=4))


def convolved(x):
    code = Sequential([Convolution2D((3, 3), 4, C.relu, pad=True, strides=2), Dense(5)])
    decode = ConvolutionTranspose2D((3, 3), 1, C.sigmoid, strides=2, pad=True, output_shape=(6, 6))
    return C.reshape(decode(Dense((4, 3, 3), C.relu)(code(C.reshape(x, (1, 6, 6))))), (SIZE,))


def unpooled(x):
    picture = C.reshape(x, (1, 6, 6))
    return Dense(SIZE, C.sigmoid)(MaxUnpooling((2, 2), 2)(MaxPooling((2, 2), 2)(picture), picture))


pixels, wanted = C.input_variable(SIZE), C.input_variable(SIZE)
for network in (dense, noisy, convolved, unpooled):
    z, target = network(pixels / 255), wanted / 255
    loss = -(target * C.log(z) + (1 - target) * C.log(1 - z))
    rates = C.learning_rate_schedule([0.003], C.UnitType.sample, 128)
    learner = C.fsadagrad(z.parameters, lr=rates, momentum=C.momentum_as_time_constant_schedule(700))
    trainer = C.Trainer(z, (loss, C.classification_error(z, target)), learner, C.logging.ProgressPrinter(0))
    source = pictures(3)
    for step in range(8):
        trainer.train_minibatch(
            source.next_minibatch(32, {pixels: source.streams.pixels, wanted: source.streams.pixels})
        )
        if step % 3 == 2:  # a look in between
            test = pictures(1)
            while True:
                data = test.next_minibatch(50, {pixels: test.streams.pixels, wanted: test.streams.pixels})
                if not data:
                    break
                print('%.4f * %d' % (trainer.test_minibatch(data), data[wanted].num_samples), end=' ')
            trainer.summarize_test_progress()
    print(network.__name__, z.shape, len(z.parameters), '%.5f' % trainer.previous_minibatch_loss_average)

source = pictures(1)
data = source.next_minibatch(5)
for stream in sorted(data, key=lambda s: s.m_name):
    print(stream.m_name, stream.m_sample_layout.dimensions(), data[stream].num_sequences)
print(np.round(z.eval(data[source.streams.pixels].asarray()).ravel()[:5], 4))

x = pixels / 255
hidden = Dense(12, C.tanh)(x)
mean, spread = Dense(2)(hidden), Dense(2, init=C.glorot_uniform(0.1))(hidden)
code = mean + C.exp(0.5 * spread) * C.random.normal_like(mean, seed=21)
decode = Sequential([Dense(12, C.tanh), Dense(SIZE, C.sigmoid)])
z = decode(code)
likelihood = SIZE * C.reduce_mean(x * C.log(z) + (1 - x) * C.log(1 - z))
divergence = -0.5 * C.reduce_sum(1 + spread - C.square(mean) - C.exp(spread), axis=0)
writer = C.logging.ProgressPrinter(2, metric_is_pct=False)
loss = divergence - likelihood
learner = C.adam(
    loss.parameters, C.learning_rate_schedule(0.01, C.UnitType.minibatch), C.momentum_schedule(0.9)
)
trainer = C.Trainer(z, (loss, -likelihood), learner, writer)
source = pictures(3)
for step in range(9):
    data = source.next_minibatch(30, {pixels: source.streams.pixels})
    trainer.train_minibatch(data)
    if step % 3 == 2:
        print('tested %.5f' % trainer.test_minibatch(data))
made = decode(C.input_variable(2))
print(np.round(made.eval(np.array([[0, 0], [1, -1]], 'f'))[:, ::9], 4))
