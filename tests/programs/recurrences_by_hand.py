"""Recurrences written in every way: placeholders with past_value, Recurrence over a lambda, Fold,
UnfoldFrom, RecurrenceFrom; equal results."""

import numpy as np
import cntk as C
from cntk.layers import *


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(9)
rng = np.random.RandomState(1)
D, H = (3, 4)
x = C.sequence.input_variable(D)
W = C.parameter((D, H), init=rng.randn(D, H).astype('f') * 0.5)
R = C.parameter((H, H), init=rng.randn(H, H).astype('f') * 0.5)
b = C.parameter(H, init=0.1)


def step(h, u):
    return C.tanh(C.times(u, W) + C.times(h, R) + b)


p = C.placeholder(name='p')
h1 = step(C.sequence.past_value(p), x)
h1 = h1.replace_placeholders({p: h1.output})


@C.Function
def stepf(h, u):
    return step(h, u)


try:
    h2 = Recurrence(stepf, initial_state=0)(x)
    print('Recurrence of a function without shape')
except Exception as e:
    print(type(e).__name__)

p2 = C.placeholder(shape=(H,), dynamic_axes=[C.Axis.default_batch_axis(), x.dynamic_axes[1]], name='q')
h3 = step(C.sequence.delay(p2, initial_state=0.5, time_step=1), x)
h3 = h3.replace_placeholders({p2: h3.output})
h4 = step(C.sequence.future_value(C.placeholder(name='r'), initial_state=C.constant(np.ones(H, 'f'))), x)
h4 = h4.replace_placeholders({h4.placeholders[0]: h4.output})
data = [rng.randn(n, D).astype('f') for n in (4, 2, 1)]
for h in (h1, h3, h4):
    print([text(v[-1]) for v in h.eval({x: data})])

last, first = (C.sequence.last(h1), C.sequence.first(h4))
print(np.allclose(last.eval({x: data}), [v[-1] for v in h1.eval({x: data})]), first.shape)
y = C.input_variable(H)
loss = C.squared_error(last + first, y)
t = C.Trainer(last, (loss, None), [C.sgd(loss.parameters, 0.1)])
for i in range(5):
    t.train_minibatch({x: data, y: np.ones((3, H), 'f')})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')

print()
total = Fold(C.plus)(x)
high = Fold(C.element_max)(x)
count = C.sequence.reduce_sum(C.ones_like(x)[0:1])
print(text(total.eval({x: data})), text(high.eval({x: data})), count.eval({x: data}).ravel().tolist())
run = Recurrence(C.plus)(x)
print([text(v[-1]) for v in run.eval({x: data})])
back = Recurrence(C.plus, go_backwards=True)(x)
print([text(v[0]) for v in back.eval({x: data})])
double = Sequential([Recurrence(GRU(3)), Recurrence(LSTM(2), go_backwards=True), Fold(GRU(2))])
m = double(x)
print(m.shape, text(m.eval({x: data})))
unfold = UnfoldFrom(
    lambda s: s * 0.5 + 1, until_predicate=lambda s: C.greater(s[0:1], 1.9), length_increase=2
)
start = C.constant(np.zeros(2, 'f'))
g = unfold(start, x)
print([v.shape for v in g.eval({x: data})], g.eval({x: data})[0][-1])
hc = RecurrenceFrom(LSTM(3))(C.constant(np.ones(3, 'f') * 0.1), C.constant(np.zeros(3, 'f')), x)
print([o.shape for o in hc.outputs], text(C.combine([hc.outputs[0]]).eval({x: data})[0][-1]))
pw = PastValueWindow(3, axis=-1)(x)
print([o.shape for o in pw] if isinstance(pw, tuple) else pw.outputs)
