"""fit with several outputs, and with weights of steps: the figures of each output apart, of NumPy, wrong
use."""

import numpy as np
import pytest

import cantik as C
from test_fit import D, K, N, sequences


@pytest.fixture
def X():
    return np.random.RandomState(0).randn(N, D).astype(np.float32)


@pytest.fixture
def y(X):
    return np.digitize(X[:, 0], [-0.5, 0.5])


# ---- several outputs


def two_heads(seed=0):
    """A network of two outputs that share nothing but the input, and each of them alone."""
    random, x = np.random.RandomState(seed), C.input_variable(D)
    kind = C.layers.Dense(K, init=random.randn(D, K).astype(np.float32), name='kind')(x)
    size = C.layers.Dense(1, init=random.randn(D, 1).astype(np.float32), name='size')(x)
    return C.combine([kind, size]), kind, size


PLAIN = dict(learner='sgd', rate=0.05, epochs=3, shuffle=False, progress=False)
BOTH = {'kind': 'cross_entropy', 'size': 'mse'}


@pytest.mark.parametrize('form', ['names', 'lists'])
def test_each_output_has_its_label_its_loss_and_its_metrics(X, y, form):
    model, kind, size = two_heads()
    number = X[:, 0] - X[:, 1]
    given = dict(
        loss=BOTH, metrics={'kind': ['accuracy', 'f1'], 'size': 'r2'}, loss_weights={'kind': 1, 'size': 0.5}
    )
    labels = {'size': number, 'kind': y}
    if form == 'lists':
        labels, given = [y, number], {key: list(value.values()) for key, value in given.items()}
    history = C.fit(model, X, labels, validation_data=(X[:50], _part(labels, 50)), **given, **PLAIN)
    expected = ['kind_loss', 'kind_accuracy', 'kind_f1', 'size_loss', 'size_r2']
    assert history.names()[1:6] == expected
    last = history[-1]
    assert last.val_loss == pytest.approx(last.val_kind_loss + 0.5 * last.val_size_loss, rel=1e-5)
    _, alone, other = two_heads()
    C.fit(alone, X, y, loss='cross_entropy', **PLAIN)
    C.fit(other, X, number, loss='mse', **{**PLAIN, 'rate': 0.025})
    for trained_together, apart in ((kind, alone), (size, other)):
        for name, value in apart.state_dict().items():
            np.testing.assert_allclose(trained_together.state_dict()[name], value, rtol=1e-5, atol=1e-6)
    found = C.predict(model, X[:7], batch_size=3)
    assert list(found) == ['kind', 'size']
    np.testing.assert_array_equal(found['size'], C.predict(size, X[:7]))
    score = C.score(model, X, labels, **given)
    assert score.kind_accuracy == pytest.approx(last.kind_accuracy)
    assert score.loss == pytest.approx(score.kind_loss + 0.5 * score.size_loss)


def _part(labels, count):
    if isinstance(labels, dict):
        return {name: part[:count] for name, part in labels.items()}
    return [part[:count] for part in labels]


def test_several_outputs_with_names_of_classes_a_split_and_weights_of_samples(X, y):
    model = two_heads()[0]
    words = np.array(['low', 'mid', 'top'])[y]
    labels = {'kind': words, 'size': X[:, 0]}
    history = C.fit(
        model, (X, labels), loss=BOTH, metrics={'kind': 'accuracy'}, sample_weight=np.ones(N), seed=1,
        validation_split=0.25, patience=2, monitor='val_kind_accuracy', epochs=4, progress=False,
    )  # fmt: skip
    assert history.classes == {'kind': ['low', 'mid', 'top']}
    assert 'val_size_loss' in history.names() and history.best_epoch
    found = C.score(model, X, labels, loss=BOTH, metrics={'kind': 'accuracy'}, classes=history.classes)
    assert found.kind_accuracy > 0
    same = C.fit(two_heads()[0], X, {'kind': y, 'size': X[:, 0]}, loss=BOTH, epochs=1, progress=False)
    assert same.classes == {}


def test_several_outputs_of_a_source_and_of_a_layer(X, y):
    def network(x):
        h = C.layers.Dense(8, C.tanh)(x)
        return C.combine([C.layers.Dense(K, name='kind')(h), C.layers.Dense(1, name='size')(h)])

    source = C.io.IterableSource(
        {'x': X, 'kind': y.astype(np.float32), 'size': X[:, :1]}, max_sweeps=C.io.INFINITELY_REPEAT
    )
    by_name = C.fit(network, source, loss=BOTH, epochs=2, progress=False)
    renamed = C.fit(
        network, source, {'kind': 'kind', 'size': 'size'}, loss=BOTH, validation_data=source, epochs=2,
        progress=False,
    )  # fmt: skip
    assert len(by_name) == len(renamed) == 2 and 'val_size_loss' in renamed.names()
    history = C.fit(network, X, [y, X[:, 0]], loss=list(BOTH.values()), epochs=2, progress=False)
    assert [v.name for v in history.model.outputs] == ['kind', 'size']


WRONG_OUTPUTS = {
    'labels must be a dictionary or a list for the outputs kind, size': lambda m, X, y: (m, X, y),
    'labels does not fit the outputs of the model': lambda m, X, y: (m, X, {'kind': y, 'price': y}),
    'loss does not fit the outputs': lambda m, X, y: (m, X, [y, y], dict(loss={'kind': 'mse'})),
    'metrics does not fit the outputs': lambda m, X, y: (m, X, [y, y], dict(metrics={'price': 'mae'})),
    'metrics must be a dictionary': lambda m, X, y: (m, X, [y, y], dict(metrics='accuracy')),
    'loss_weights must be': lambda m, X, y: (m, X, [y, y], dict(loss_weights={'kind': 'a', 'size': 1})),
    'loss_weights is for models of several': lambda m, X, y: (
        m.outputs[0].owner, X, y, dict(loss='cross_entropy', loss_weights=[1])),
    'class_weight is for models of one output': lambda m, X, y: (
        m, X, [y, y], dict(class_weight='balanced')),
    'inconsistent numbers of samples': lambda m, X, y: (m, X, [y, y[1:]]),
    'two outputs of the model have one name': lambda m, X, y: (
        C.combine([C.alias(m.outputs[0], 'a'), C.alias(m.outputs[1], 'a')]), X, [y, y]),
}  # fmt: skip


@pytest.mark.parametrize('message', WRONG_OUTPUTS)
def test_wrong_use_of_several_outputs_is_told(X, y, message):
    model, data, labels, *more = WRONG_OUTPUTS[message](two_heads()[0], X, y)
    options = {**dict(loss=['cross_entropy', 'mse'], epochs=1, progress=False), **(more[0] if more else {})}
    with pytest.raises((ValueError, TypeError), match=message):
        C.fit(model, data, labels, **options)


def tagger_and_sum():
    """A number for each step, and one for the sequence."""
    x = C.sequence.input_variable(2)
    step = C.layers.Dense(1, init=0.5, name='step')(x)
    total = C.sequence.reduce_sum(C.layers.Dense(1, init=0.25)(x))
    return C.combine([step, C.alias(total, name='all')])


@pytest.mark.parametrize('order', [['step', 'all'], ['all', 'step']])
@pytest.mark.parametrize('weighted', [False, True])
def test_losses_of_steps_beside_losses_of_sequences(order, weighted):
    model, X = tagger_and_sum(), sequences()
    if order[0] == 'all':
        model = C.combine(list(reversed(model.outputs)))
    labels = {'step': [item[:, 0] for item in X], 'all': [item.sum() for item in X]}
    factors = {'step': 1.0, 'all': 0.1}
    own = np.linspace(0.5, 2, len(X)).astype(np.float32) if weighted else np.ones(len(X), np.float32)
    W, V = (p for p in model.parameters if p.shape == (2, 1))
    if np.all(V.value == 0.5):
        W, V = V, W
    w, v = W.value.astype(np.float64), V.value.astype(np.float64)
    n, steps = len(X), sum(len(item) for item in X)
    # means over all steps, and over all sequences
    w_slope = sum(2 * own[i] * x.T @ (x @ w - x[:, :1]) for i, x in enumerate(X)) / steps
    v_slope = (
        0.1 * sum(2 * own[i] * x.sum(0)[:, None] * (x.sum(0) @ v - x.sum()) for i, x in enumerate(X)) / n
    )
    step_loss = np.mean(np.concatenate([(x @ w)[:, 0] - x[:, 0] for x in X]) ** 2)
    all_loss = np.mean([(x.sum(0) @ v - x.sum()) ** 2 for x in X])

    before = C.score(model, X, labels, loss='mse', loss_weights=factors)
    assert before.step_loss == pytest.approx(step_loss) and before.all_loss == pytest.approx(all_loss)
    assert before.loss == pytest.approx(step_loss + 0.1 * all_loss)
    history = C.fit(
        model, X, labels, loss='mse', loss_weights=factors, learner='sgd', rate=0.01, epochs=1,
        batch_size=10**6, sample_weight=own if weighted else None, metrics={'step': 'mae'}, progress=False,
    )  # fmt: skip
    np.testing.assert_allclose(W.value, w - 0.01 * w_slope, rtol=1e-5)
    np.testing.assert_allclose(V.value, v - 0.01 * v_slope, rtol=1e-5)
    if not weighted:
        assert history[-1].loss == pytest.approx(step_loss + 0.1 * all_loss, rel=1e-5)
    assert history[-1].step_mae > 0


def test_weights_beside_losses_of_steps_are_of_sequences():
    model, X = tagger_and_sum(), sequences()
    labels = {'step': [item[:, 0] for item in X], 'all': [item.sum() for item in X]}
    with pytest.raises(ValueError, match='sample_weight must have the shape'):
        C.fit(model, X, labels, loss='mse', sample_weight=[np.ones(len(x)) for x in X], progress=False)


# ---- the focal loss


def test_the_focal_loss_is_numpys(X, y):
    z = C.layers.Dense(K, init=np.random.RandomState(1).randn(D, K).astype(np.float32))(C.input_variable(D))
    scores = C.predict(z, X).astype(np.float64)
    p = (np.exp(scores) / np.exp(scores).sum(1, keepdims=True))[np.arange(N), y]
    expected = np.mean(-((1 - p) ** 2) * np.log(p))
    for labels in (y, np.eye(K)[y], np.array(list('abc'))[y]):
        assert C.score(z, X, labels, loss='focal', metrics='accuracy').loss == pytest.approx(
            expected, rel=1e-5
        )
    history = C.fit(z, X, y, loss='focal', rate=0.05, epochs=30, seed=1, progress=False)
    assert history[-1].loss < expected / 2
    with pytest.raises(ValueError, match="the loss 'focal' is for models of at least two outputs"):
        C.fit(C.layers.Dense(1), X, y, loss='focal', progress=False)
    with pytest.raises(ValueError, match='ends with softmax'):
        C.fit(C.layers.Dense(K, C.softmax), X, y, loss='focal', progress=False)


# ---- weights of steps


def test_weights_of_steps():
    X = sequences()
    dim = X[0].shape[1]
    y = [item[:, :1] * 2 for item in X]
    random = np.random.RandomState(0)
    weights = [random.rand(len(item)).astype(np.float32) for item in X]
    steps = sum(map(len, X))

    def first_step(sample_weight, class_weight=None):
        z = C.layers.Dense(1, init=0, bias=False)(C.sequence.input_variable(dim))
        C.fit(z, X, y, loss='mse', sample_weight=sample_weight, learner='sgd', rate=1.0, epochs=1,
              batch_size=steps, shuffle=False, progress=False)  # fmt: skip
        return z.parameters[0].value[:, 0]

    def expected(of_steps):
        return sum(2 * (w[:, None] * t * x).sum(0) for w, t, x in zip(of_steps, y, X)) / steps

    np.testing.assert_allclose(first_step(weights), expected(weights), rtol=1e-4)
    np.testing.assert_allclose(first_step([w[:, None] for w in weights]), expected(weights), rtol=1e-4)
    whole = random.rand(len(X)).astype(np.float32)  # one for each sequence: of all its steps
    repeated = [np.full(len(x), w) for w, x in zip(whole, X)]
    np.testing.assert_allclose(first_step(whole), expected(repeated), rtol=1e-4)
    for wrong in ([w[1:] for w in weights], weights[1:], [np.ones((len(x), 2)) for x in X]):
        with pytest.raises(ValueError, match='sample_weight'):
            first_step(wrong)


def test_weights_of_classes_of_steps():
    X = sequences()
    y = [(item[:, 0] > 0).astype(int) for item in X]
    weights = {0: 0.25, 1: 3.0}

    def trained_with(**given):
        z = C.layers.Dense(2, init=0)(C.sequence.input_variable(X[0].shape[1]))
        C.fit(z, X, y, loss='cross_entropy', progress=False, seed=1, epochs=2, **given)
        return z.parameters[0].value

    of_steps = [np.array([weights[k] for k in item], np.float32) for item in y]
    by_class = trained_with(class_weight=weights)
    np.testing.assert_array_equal(by_class, trained_with(sample_weight=of_steps))
    assert not np.array_equal(by_class, trained_with())
