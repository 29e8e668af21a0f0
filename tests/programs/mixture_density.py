"""A density network: mixtures of normal distributions over sequences, log-sum-exp, sampled and evaluated;
gradients by hand."""

import numpy as np
import cntk as C


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(2)
K = 3
x = C.sequence.input_variable(1)
y = C.sequence.input_variable(1)
h = C.layers.Recurrence(C.layers.LSTM(8), name='rnn')(x)
out = C.layers.Dense(3 * K, init=C.normal(0.2))(h)
logits, mu, logs = (out[:K], out[K : 2 * K], out[2 * K :])
logs = C.clip(logs, -3.0, 3.0)
logp = C.log_softmax(logits) - 0.5 * C.square((y - mu) / C.exp(logs)) - logs - 0.5 * np.log(2 * np.pi)
nll = -C.reduce_log_sum_exp(logp, axis=0)
print(out.shape, logits.shape, logp.shape, nll.shape)
t = C.Trainer(
    None,
    (nll, None),
    [C.rmsprop(nll.parameters, C.learning_parameter_schedule_per_sample(0.002), 0.95, 1.2, 0.7, 10, 0.01)],
)
rng = np.random.RandomState(1)
for i in range(15):
    X = [np.cumsum(rng.randn(rng.randint(3, 9), 1), 0).astype('f') for _ in range(5)]
    Y = [np.vstack([a[1:], a[-1:]]) for a in X]
    t.train_minibatch({x: X, y: Y})
    print('%.4f' % t.previous_minibatch_loss_average, end=' ')

print()
v = nll.eval({x: X[:2], y: Y[:2]})
print([text(a.ravel()) for a in v])
p, m, s = [f.eval({x: X[:1]})[0] for f in (C.softmax(logits), mu, C.exp(logs))]
print(text(p[-1]), text(m[-1]), text(s[-1]))
g = nll.grad({x: X[:1], y: Y[:1]}, wrt=nll.parameters[:1], outputs=[nll.output])
print(type(g).__name__, len(g))
