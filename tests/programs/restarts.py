"""Sessions that are stopped and go on: checkpoints, validation, tests; a source of one's own with its
position; the same by hand."""

from __future__ import print_function
import os
import glob
import numpy as np
import cntk as C
from cntk.train.training_session import *
from cntk.io import (
    UserMinibatchSource,
    StreamInformation,
    MinibatchData,
    MinibatchSource,
    CTFDeserializer,
    StreamDefs,
    StreamDef,
)
from cntk.logging import *
import logging

C.cntk_py.set_fixed_random_seed(12)
C.logging.set_trace_level(C.logging.TraceLevel.Warning)
print(C.logging.get_trace_level())
rng = np.random.RandomState(5)
W = rng.randn(4, 3)


def write(name, n):
    with open(name, 'w') as f:
        for i in range(n):
            v = rng.randn(4).round(3)
            k = int(np.argmax(v.dot(W)))
            f.write('%d |x %s |y %d:1\n' % (i, ' '.join(map(str, v)), k))


write('train.ctf', 200)
write('val.ctf', 40)
write('test.ctf', 50)


def source(name, sweeps=C.io.INFINITELY_REPEAT, randomize=True, **kw):
    return MinibatchSource(
        CTFDeserializer(name, StreamDefs(x=StreamDef('x', 4), y=StreamDef('y', 3, is_sparse=True))),
        randomize=randomize,
        max_sweeps=sweeps,
        **kw,
    )


def net():
    C.cntk_py.reset_random_seed(2)
    x, y = (C.input_variable(4), C.input_variable(3, is_sparse=True))
    z = C.layers.Sequential(
        [
            C.layers.Dense(6, C.tanh, init=C.glorot_uniform(seed=1)),
            C.layers.Dense(3, init=C.glorot_uniform(seed=2)),
        ]
    )(x)
    return (x, y, z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))


def session(max_samples, restore, name='ck/model'):
    x, y, z, ce, pe = net()
    pp = ProgressPrinter(freq=5, tag='Training', num_epochs=3)
    learner = C.momentum_sgd(
        z.parameters,
        C.learning_parameter_schedule_per_sample([0.05] * 2 + [0.01], epoch_size=200),
        C.momentum_schedule_per_sample(0.98),
    )
    t = C.Trainer(z, (ce, pe), [learner], [pp])
    src, val, tst = (source('train.ctf'), source('val.ctf', randomize=False), source('test.ctf', 1, False))
    m = lambda s: {x: s.streams.x, y: s.streams.y}
    log = []
    sess = C.training_session(
        trainer=t,
        mb_source=src,
        mb_size=C.minibatch_size_schedule([16, 32], 200),
        model_inputs_to_streams=m(src),
        max_samples=max_samples,
        progress_frequency=100,
        checkpoint_config=CheckpointConfig(filename=name, frequency=100, restore=restore, preserve_all=True),
        cv_config=CrossValidationConfig(
            minibatch_source=val,
            frequency=200,
            minibatch_size=20,
            max_samples=40,
            callback=lambda i, e, n, m: log.append((i, round(e, 5), n, m)) or True,
            model_inputs_to_streams=m(val),
        ),
        test_config=TestConfig(tst, minibatch_size=16, model_inputs_to_streams=m(tst)),
    )
    sess.train(C.cpu())
    print(log, t.total_number_of_samples_seen, src.current_position)
    return (z, t)


z1, t1 = session(300, False)
print(sorted((os.path.basename(f) for f in glob.glob('ck/*'))))
z2, t2 = session(500, True)
z3, t3 = session(500, False, 'other/model')
print(
    np.abs(z2.parameters[0].value - z3.parameters[0].value).max() < 1e-06,
    ['%.5f' % np.abs(p.value).sum() for p in z2.parameters],
)
print(sorted((os.path.basename(f) for f in glob.glob('ck/*'))))


class Mine(UserMinibatchSource):
    """Rows of a table, in turns, with its position in checkpoints."""

    def __init__(self, table, labels, sweeps):
        self.f, self.l, self.pos, self.sweeps = (table, labels, 0, sweeps)
        self.fsi = StreamInformation('features', 0, 'dense', np.float32, (4,))
        self.lsi = StreamInformation('labels', 1, 'dense', np.float32, (3,))
        super(Mine, self).__init__()

    def stream_infos(self):
        return [self.fsi, self.lsi]

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        n = len(self.f)
        if self.pos >= n * self.sweeps:
            return {}
        ix = [(self.pos + i) % n for i in range(min(num_samples, n * self.sweeps - self.pos))]
        self.pos += len(ix)
        end = self.pos % n == 0
        return {
            self.fsi: MinibatchData(C.Value(batch=np.array([self.f[i] for i in ix])), len(ix), len(ix), end),
            self.lsi: MinibatchData(C.Value(batch=self.l[ix]), len(ix), len(ix), end),
        }

    def get_checkpoint_state(self):
        return {'pos': self.pos}

    def restore_from_checkpoint(self, state):
        self.pos = state['pos']


X = rng.randn(30, 4).astype('f')
Y = np.eye(3, dtype='f')[X.dot(W).argmax(1)]
for restore in (False, True):
    x, y, z, ce, pe = net()
    y = C.input_variable(3)
    ce, pe = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    t = C.Trainer(z, (ce, pe), [C.adagrad(z.parameters, 0.1, True)], ProgressPrinter(0))
    s = Mine(X, Y, 3)
    print(
        s.is_infinite(),
        [i.m_name for i in s.stream_infos()],
    )
    C.training_session(
        trainer=t,
        mb_source=s,
        mb_size=8,
        model_inputs_to_streams={x: s.fsi, y: s.lsi},
        max_samples=40 if not restore else 100,
        checkpoint_config=CheckpointConfig('mine/m', frequency=20, restore=restore),
    ).train()
    print(s.pos, t.total_number_of_samples_seen, '%.5f' % np.abs(z.parameters[1].value).sum())
x, y, z, ce, pe = net()
t = C.Trainer(z, (ce, pe), C.rmsprop(z.parameters, 0.01, 0.9, 1.2, 0.8, 10.0, 0.1))
src = source('train.ctf')
im = {x: src.streams['x'], y: src.streams['y']}
for i in range(5):
    t.train_minibatch(src.next_minibatch(24, im))
t.save_checkpoint('hand.dnn', external_state={'src': src.get_checkpoint_state()})
a = [
    float('%.5f' % (t.train_minibatch(src.next_minibatch(24, im)) and t.previous_minibatch_loss_average))
    for _ in range(4)
]
st = t.restore_from_checkpoint('hand.dnn')
src2 = source('train.ctf')
src2.restore_from_checkpoint(st['src'])
im2 = {x: src2.streams['x'], y: src2.streams['y']}
b = [
    float('%.5f' % (t.train_minibatch(src2.next_minibatch(24, im2)) and t.previous_minibatch_loss_average))
    for _ in range(4)
]
print(a, a == b, sorted(st), sorted(st['src'].keys()))
