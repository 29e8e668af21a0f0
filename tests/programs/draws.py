"""Random operators: reparametrised samples, Gumbel softmax, Bernoulli masks, noise in training; seeds,
positions, clones."""

import numpy as np
import cntk as C


def text(values):
    return ' '.join(('%.4f' % v for v in np.ravel(values)))


C.cntk_py.set_fixed_random_seed(3)
x = C.input_variable(4)
X = np.linspace(-1, 1, 12).reshape(3, 4).astype('f')
for name, f in (
    ('uniform', C.random.uniform((2, 3), low=-1, high=2, seed=5)),
    ('normal', C.random.normal((2, 2), mean=1, scale=0.5, seed=6)),
    ('gumbel', C.random.gumbel((3,), loc=0.5, scale=2, seed=7)),
    ('bernoulli', C.random.bernoulli((8,), mean=0.3, seed=8)),
    ('uniform_like', C.random.uniform_like(x, 0, 1, seed=9)),
    ('normal_like', C.random.normal_like(x, 0, 1, seed=10)),
    ('gumbel_like', C.random.gumbel_like(x, seed=11)),
    ('bernoulli_like', C.random.bernoulli_like(x, 0.7, seed=12)),
):
    a = [text(f.eval({x: X} if f.arguments else {})) for _ in range(2)]
    print(name, f.shape, a[0], a[0] == a[1])

mu, lv = (C.layers.Dense(2, init=C.normal(0.1))(x), C.layers.Dense(2, init=C.normal(0.1))(x))
z = mu + C.exp(lv / 2) * C.random.normal_like(lv, seed=3)
dec = C.layers.Dense(4)(z)
kl = -0.5 * C.reduce_sum(1 + lv - C.square(mu) - C.exp(lv))
loss = C.squared_error(dec, x) + kl
t = C.Trainer(dec, (loss, None), [C.adam(loss.parameters, 0.05, 0.9, use_mean_gradient=True)])
for i in range(6):
    t.train_minibatch({x: X})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')

print()
logits = C.parameter(5, init=0.1)
g = C.softmax((logits + C.random.gumbel(5, seed=4)) / 0.5)
l = C.reduce_sum(g * C.constant([1, 2, 3, 4, 5])) + 0 * C.reduce_sum(x)
t = C.Trainer(g, (l, None), [C.sgd([logits], 0.1)])
for i in range(4):
    t.train_minibatch({x: X})
    print('%.5f' % t.previous_minibatch_loss_average, end=' ')

print(text(logits.value))
d = C.layers.Dropout(0.4, seed=21)(x)
noise = x + 0.1 * C.random.normal_like(x, seed=2)
for f in (d, noise):
    s, o = f.forward({x: X}, [f.output], {f.output})
    print(text(list(o.values())[0]))
    print(text(f.eval({x: X})))

a, b = (d.clone('clone'), d.clone('share'))
print(
    [
        text(np.ravel(list(f.forward({f.arguments[0]: X}, [f.output], {f.output})[1].values())[0])[:6])
        for f in (a, b, d)
    ]
)
w = C.constant(np.array([1, 2, 3, 4, 0.0], 'f'))
for kw in (
    dict(num_samples=3, allow_duplicates=True, seed=5),
    dict(num_samples=3, allow_duplicates=False, seed=5),
):
    print(
        C.random_sample(w, **kw).eval().argmax(1).tolist()
        if not hasattr(C.random_sample(w, **kw).eval(), 'todense')
        else np.asarray(C.random_sample(w, **kw).eval().todense()).argmax(1).tolist(),
        text(C.random_sample_inclusion_frequency(w, **kw).eval()),
    )

q = C.sequence.input_variable(2)
r = C.random.uniform_like(q, seed=30)
v = r.eval({q: [np.ones((2, 2), 'f'), np.ones((3, 2), 'f')]})
print([text(e) for e in v])
for init in (
    C.glorot_uniform(),
    C.glorot_normal(),
    C.he_uniform(),
    C.he_normal(),
    C.xavier(),
    C.uniform(0.5),
    C.normal(0.2),
    C.truncated_normal(0.3),
    C.uniform(0.1, seed=4),
    C.he_normal(scale=2, seed=9),
    C.glorot_uniform(filter_rank=1),
    C.initializer.initializer_with_rank(C.glorot_uniform(), 1, 0),
    0.25,
):
    try:
        print(text(C.parameter((2, 3, 3), init=init).value.ravel()[:4]))
    except Exception as e:
        print(type(e).__name__)
