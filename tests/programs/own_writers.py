"""Progress writers of one's own, several at once, in loops, in train, in a session; test and evaluation."""

from __future__ import print_function
import numpy as np
import cntk as C
from cntk.logging import ProgressPrinter
from cntk import cntk_py

C.cntk_py.set_fixed_random_seed(1)


class Recorder(cntk_py.ProgressWriter):
    def __init__(self, freq=None, first=0):
        import sys

        maximum = sys.maxsize
        super(Recorder, self).__init__(freq if freq is not None else 4, first, 3, 0, 2, 0)
        self.__disown__()
        self.lines = []

    def on_write_training_update(self, samples, updates, aggregate_loss, aggregate_metric):
        self.lines.append(
            (
                'train',
                samples,
                updates,
                [round(v, 3) for v in aggregate_loss],
                [round(v, 2) for v in aggregate_metric],
            )
        )

    def on_write_test_update(self, samples, updates, aggregate_metric):
        self.lines.append(('test', samples, updates, [round(v, 2) for v in aggregate_metric]))

    def on_write_training_summary(
        self, samples, updates, summaries, aggregate_loss, aggregate_metric, elapsed_milliseconds
    ):
        self.lines.append(
            (
                'sum',
                samples,
                updates,
                summaries,
                round(aggregate_loss, 2),
                round(aggregate_metric, 2),
                elapsed_milliseconds >= 0,
            )
        )

    def on_write_test_summary(self, samples, updates, summaries, aggregate_metric, elapsed_milliseconds):
        self.lines.append(('testsum', samples, updates, summaries, round(aggregate_metric, 2)))

    def write(self, key, value):
        self.lines.append(('w', key, value))

    def on_training_update_end(self):
        pass


x, y = (C.input_variable(3), C.input_variable(2))
z = C.layers.Dense(2)(x)
loss, err = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
rec, pp = (
    Recorder(),
    ProgressPrinter(freq=3, first=2, tag='T', num_epochs=2, metric_is_pct=False, test_freq=2, test_first=1),
)
t = C.Trainer(
    z,
    (loss, err),
    [C.sgd(z.parameters, C.learning_parameter_schedule([0.5, 0.1], minibatch_size=10, epoch_size=40))],
    [pp, rec],
)
rng = np.random.RandomState(0)
X = rng.randn(90, 3).astype('f')
Y = np.eye(2, dtype='f')[(X.sum(1) > 0).astype(int)]
for e in range(2):
    for i in range(9):
        t.train_minibatch({x: X[i * 10 : i * 10 + 10], y: Y[i * 10 : i * 10 + 10]})
    t.summarize_training_progress()

for i in range(5):
    t.test_minibatch({x: X[i * 10 : i * 10 + 10], y: Y[i * 10 : i * 10 + 10]})

t.summarize_test_progress()
for l in rec.lines:
    print(l)

r2 = Recorder(2)
crit = (loss, err)
z2 = C.layers.Dense(2)


@C.Function
def criterion(a: C.layers.typing.Tensor[3], b: C.layers.typing.Tensor[2]):
    o = z2(a)
    return (C.cross_entropy_with_softmax(o, b), C.classification_error(o, b))


out = criterion.train(
    (X, Y),
    parameter_learners=[C.momentum_sgd(criterion.parameters, 0.2, 0.5)],
    minibatch_size=30,
    max_epochs=2,
    callbacks=[ProgressPrinter(freq=2), r2],
)
for l in r2.lines:
    print(l)

print(len(out['updates']), [s['samples'] for s in out['epoch_summaries']])
ev = C.eval.Evaluator(err, [Recorder(1), ProgressPrinter(freq=0, tag='E')])
for i in range(3):
    print('%.3f' % ev.test_minibatch({x: X[i * 10 : i * 10 + 10], y: Y[i * 10 : i * 10 + 10]}))

ev.summarize_test_progress()
