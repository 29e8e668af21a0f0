"""Which signatures are of one hand: two branches of one network, a contrastive loss with a margin, pairs
that come from a minibatch source over arrays; the distance that separates best is found on other
pairs."""

import numpy as np

import cntk as C

SIZE, MARGIN = 10, 1.0

C.cntk_py.set_fixed_random_seed(2)
rng = np.random.RandomState(8)
hands = rng.rand(6, 1, SIZE, SIZE)


def pairs(count):
    which = rng.randint(6, size=(count, 2))
    which[::2, 1] = which[::2, 0]
    noise = rng.rand(2, count, 1, SIZE, SIZE) * 0.6
    a, b = (hands[which[:, k]] + noise[k] for k in range(2))
    return a.astype(np.float32), b.astype(np.float32), (which[:, :1] == which[:, 1:]).astype(np.float32)


branch = C.layers.Sequential(
    [
        C.layers.Convolution2D((3, 3), 6, activation=C.relu, init=C.glorot_uniform(), strides=2),
        C.layers.BatchNormalization(map_rank=1, normalization_time_constant=50),
        C.layers.Dense(8, init=C.glorot_uniform()),
    ],
    name='branch',
)
a, b = C.input_variable((1, SIZE, SIZE), name='a'), C.input_variable((1, SIZE, SIZE), name='b')
same = C.input_variable(1, name='same')
of_a, of_b = branch(a), branch(b)
distance = C.sqrt(C.reduce_sum(C.square(of_a - of_b), axis=0) + 1e-6)
loss = same * C.square(distance) + (1.0 - same) * C.square(C.relu(MARGIN - distance))
wrong = C.not_equal(C.less(distance, 0.5 * MARGIN), same)
print(len(loss.parameters), distance.shape, len(branch.parameters))

data = pairs(96)
source = C.io.MinibatchSourceFromData(dict(a=data[0], b=data[1], same=data[2]), max_samples=96 * 3)
learner = C.adagrad(loss.parameters, C.learning_parameter_schedule_per_sample(0.05))
progress = C.logging.ProgressPrinter(tag='train', num_epochs=3)
trainer = C.Trainer(distance, (loss, wrong), [learner], [progress])
while True:
    minibatch = source.next_minibatch(16)
    if not minibatch:
        break
    trainer.train_minibatch(
        {a: minibatch[source.streams.a], b: minibatch[source.streams.b], same: minibatch[source.streams.same]}
    )
    if any(s.end_of_sweep for s in minibatch.values()):
        trainer.summarize_training_progress()
print('%.5f' % trainer.previous_minibatch_loss_average)
A, B, S = pairs(40)
found = distance.eval({a: A, b: B})
print(found[:6].ravel().round(4), '%.4f' % found[S > 0].mean(), '%.4f' % found[S == 0].mean())
thresholds = np.linspace(0.1, 1.5, 8)
print([int(((found < t) == (S > 0)).sum()) for t in thresholds])
