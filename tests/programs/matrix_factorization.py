"""Ratings as products of factors of users and of things, both given sparse in a text file; biases; L2 in
the learner."""

import numpy as np
import cntk as C
from cntk.io import MinibatchSource, CTFDeserializer, StreamDef, StreamDefs, INFINITELY_REPEAT


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(5)
USERS, THINGS, K = (30, 25, 4)
rng = np.random.RandomState(3)
P, Q = (rng.randn(USERS, K), rng.randn(THINGS, K))
with open('ratings.ctf', 'w') as f:
    for i in range(400):
        u, t = (rng.randint(USERS), rng.randint(THINGS))
        f.write('%d |user %d:1 |thing %d:1 |rating %.4f |# comment\n' % (i, u, t, P[u].dot(Q[t]) / 2))

source = MinibatchSource(
    CTFDeserializer(
        'ratings.ctf',
        StreamDefs(
            users=StreamDef(field='user', shape=USERS, is_sparse=True),
            things=StreamDef(field='thing', shape=THINGS, is_sparse=True),
            ratings=StreamDef(field='rating', shape=1),
        ),
    ),
    randomize=True,
    randomization_window_in_chunks=C.io.DEFAULT_RANDOMIZATION_WINDOW_IN_CHUNKS,
    max_sweeps=6,
)
print(source.streams)
user, thing = (C.input_variable(USERS, is_sparse=True), C.input_variable(THINGS, is_sparse=True))
rating = C.input_variable(1)
U = C.parameter((USERS, K), init=C.normal(0.3), name='U')
V = C.parameter((THINGS, K), init=C.normal(0.3), name='V')
bu, bt, b = (C.parameter((USERS, 1), init=0), C.parameter((THINGS, 1), init=0), C.parameter(1, init=0))
z = C.reduce_sum(C.times(user, U) * C.times(thing, V), axis=0) + C.times(user, bu) + C.times(thing, bt) + b
loss = C.squared_error(z, rating)
rmse = C.sqrt(C.reduce_mean(C.square(z - rating)))
learner = C.adagrad(z.parameters, C.learning_parameter_schedule(0.5), need_ave_multiplier=True)
learner2 = C.sgd(z.parameters, C.learning_parameter_schedule_per_sample(0.02))
printer = C.logging.ProgressPrinter(freq=10, first=1, tag='MF', metric_is_pct=False)
trainer = C.Trainer(z, (loss, rmse), [learner2], [printer])
input_map = {user: source.streams.users, thing: source.streams.things, rating: source.streams.ratings}
n = 0
while True:
    mb = source.next_minibatch(32, input_map=input_map)
    if not mb:
        break
    trainer.train_minibatch(mb)
    n += mb[user].num_samples
    if mb[user].end_of_sweep:
        trainer.summarize_training_progress()

print(n, trainer.total_number_of_samples_seen)
print(text(U.value[:2]), text(b.value))
print(text(z.eval({user: C.Value.one_hot([3, 4], USERS), thing: C.Value.one_hot([5, 6], THINGS)}).ravel()))
