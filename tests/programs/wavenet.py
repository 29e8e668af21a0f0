"""Dilated causal convolutions along sequences, gated, with residual and skip connections; the next value as
one of classes."""

import numpy as np
import cntk as C
from cntk.layers import Dense, Embedding, Delay, SequentialConvolution


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(2)
LEVELS, CHANNELS, SKIPS = (16, 8, 10)
rng = np.random.RandomState(1)
sound = C.sequence.input_variable(LEVELS)


def causal(x, dilation, out):
    """Two taps: now and `dilation` steps ago."""
    before = Delay(dilation)(x)
    return Dense(out, bias=True)(C.splice(before, x))


h = Embedding(CHANNELS)(C.sequence.past_value(sound, 0))
skips = []
for layer in range(6):
    d = 2 ** (layer % 3)
    gated = C.tanh(causal(h, d, CHANNELS)) * C.sigmoid(causal(h, d, CHANNELS))
    skips.append(Dense(SKIPS)(gated))
    h = h + Dense(CHANNELS)(gated)

total = C.relu(sum(skips[1:], skips[0]))
z = Dense(LEVELS)(C.relu(Dense(SKIPS)(total)))
conv = SequentialConvolution(3, 5, pad=True)(C.layers.Embedding(4)(sound))
print(z.shape, len(z.parameters), conv.shape)
loss = C.cross_entropy_with_softmax(z, sound)
metric = C.classification_error(z, sound, topN=3)
trainer = C.Trainer(
    z,
    (loss, metric),
    C.adam(
        z.parameters,
        C.learning_parameter_schedule(0.05),
        C.momentum_schedule(0.9),
        gradient_clipping_threshold_per_sample=5.0,
    ),
)


def waves(n):
    out = []
    for _ in range(n):
        t = np.arange(rng.randint(10, 30))
        w = np.sin(t * rng.uniform(0.2, 0.9) + rng.rand() * 6)
        out.append(np.clip(((w + 1) / 2 * LEVELS).astype(int), 0, LEVELS - 1).tolist())
    return C.Value.one_hot(out, LEVELS)


for i in range(20):
    trainer.train_minibatch({sound: waves(4)})
    if i % 3 == 2:
        print(
            '%.4f %.4f %d'
            % (
                trainer.previous_minibatch_loss_average,
                trainer.previous_minibatch_evaluation_average,
                trainer.total_number_of_samples_seen,
            )
        )

v = z.eval({sound: C.Value.one_hot([[1, 2, 3, 4, 5]], LEVELS)})
print(len(v), text(v[0][-1]))
