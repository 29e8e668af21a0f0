"""cantik.fit: figures against loops in NumPy, forms of data and labels, and what it says of wrong ones."""

import io
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics as theirs

import cantik as C

N, D, K = 60, 4, 3


@pytest.fixture
def X():
    return np.random.RandomState(0).randn(N, D).astype(np.float32)


@pytest.fixture
def y(X):
    return np.argmax(X[:, :K], axis=1)


def dense(outputs, **options):
    """A layer whose first parameters are known."""
    return C.layers.Dense(outputs, init=0.1, **options)


# ---- the same minibatches give the same parameters as a loop in NumPy


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def step_sgd(state, w, g, t):
    return w - 0.05 * g


def step_momentum_sgd(state, w, g, t):
    state['v'] = 0.9 * state.get('v', 0) + g
    return w - 0.05 * state['v']


def step_nesterov(state, w, g, t):
    state['v'] = 0.9 * state.get('v', 0) + g
    return w - 0.05 * (g + 0.9 * state['v'])


def step_adam(state, w, g, t, decay=0.0):
    state['m'] = 0.9 * state.get('m', 0) + 0.1 * g
    state['s'] = 0.999 * state.get('s', 0) + 0.001 * g * g
    m, s = state['m'] / (1 - 0.9**t), state['s'] / (1 - 0.999**t)
    return w * (1 - 0.05 * decay) - 0.05 * m / (np.sqrt(s) + 1e-8)


def step_adamw(state, w, g, t):
    return step_adam(state, w, g, t, decay=0.01)


def step_rmsprop(state, w, g, t):
    state['s'] = 0.99 * state.get('s', 0) + 0.01 * g * g
    return w - 0.05 * g / (np.sqrt(state['s']) + 1e-8)


def step_adagrad(state, w, g, t):
    state['s'] = state.get('s', 0) + g * g
    return w - 0.05 * g / (np.sqrt(state['s']) + 1e-10)


def loop(X, target, gradient, step, epochs, batch_size, weights=None):
    """Minibatches in the order of the data, mean gradients."""
    k = target.shape[1]
    w, b, states, t = np.full((X.shape[1], k), 0.1), np.zeros(k), ({}, {}), 0
    for _ in range(epochs):
        for begin in range(0, len(X), batch_size):
            part = slice(begin, begin + batch_size)
            error = gradient(X[part] @ w + b, target[part])
            if weights is not None:
                error = error * weights[part, None]
            n, t = len(error), t + 1
            w, b = (
                step(states[0], w, X[part].T @ error / n, t),
                step(states[1], b, error.sum(axis=0) / n, t),
            )
    return w, b


@pytest.mark.parametrize(
    'learner', ['sgd', 'momentum_sgd', 'nesterov', 'adam', 'adamw', 'rmsprop', 'adagrad']
)
def test_learners_are_those_of_other_toolkits(X, y, learner):
    step = globals()['step_' + learner]
    w, b = loop(X, np.eye(K)[y], lambda z, t: softmax(z) - t, step, 3, 25)
    z = C.fit(
        dense(K),
        X,
        y,
        loss='cross_entropy',
        learner=learner,
        rate=0.05,
        epochs=3,
        batch_size=25,
        shuffle=False,
    ).model
    np.testing.assert_allclose(z.W.value, w, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(z.b.value, b, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize(
    ('loss', 'gradient'),
    [
        ('mse', lambda z, t: 2 * (z - t) / z.shape[1]),
        ('mae', lambda z, t: np.sign(z - t) / z.shape[1]),
        ('huber', lambda z, t: np.clip(z - t, -1, 1) / z.shape[1]),
        ('binary_cross_entropy', lambda z, t: (1 / (1 + np.exp(-z)) - t) / z.shape[1]),
        (lambda z, t: C.squared_error(z, t), lambda z, t: 2 * (z - t)),
    ],
)
def test_losses_are_means_over_the_elements_of_a_sample(X, loss, gradient):
    target = (X[:, :2] > 0).astype(np.float64) if loss == 'binary_cross_entropy' else 3.0 * X[:, :2]
    w, b = loop(X, target, gradient, step_sgd, 2, 16)
    z = C.fit(
        dense(2), X, target, loss=loss, learner='sgd', rate=0.05, epochs=2, batch_size=16, shuffle=False
    ).model
    np.testing.assert_allclose(z.W.value, w, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(z.b.value, b, rtol=2e-5, atol=2e-6)


def test_weights_multiply_the_losses(X, y):
    weights = np.linspace(0, 2, N)
    by_class = {0: 1.0, 1: 3.0, 2: 0.5}
    both = weights * np.array([by_class[k] for k in y])
    w, _ = loop(X, np.eye(K)[y], lambda z, t: softmax(z) - t, step_sgd, 2, 25, both)
    options = dict(loss='cross_entropy', learner='sgd', rate=0.05, epochs=2, batch_size=25, shuffle=False)
    z = C.fit(dense(K), X, y, sample_weight=weights, class_weight=by_class, **options).model
    np.testing.assert_allclose(z.W.value, w, rtol=2e-5, atol=2e-6)
    balanced = N / (K * np.bincount(y))
    w, _ = loop(X, np.eye(K)[y], lambda z, t: softmax(z) - t, step_sgd, 2, 25, balanced[y])
    z = C.fit(dense(K), X, y, class_weight='balanced', **options).model
    np.testing.assert_allclose(z.W.value, w, rtol=2e-5, atol=2e-6)


class Seen(C.ops.functions.UserFunction):
    """Passes its operand on, and keeps it."""

    def __init__(self, operand, name='seen'):
        super().__init__([operand], name=name)
        self.rows = []

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        self.rows.append(np.array(argument))
        return None, argument

    def backward(self, state, root_gradients):
        return root_gradients


def test_shuffled_training_follows_the_order_of_the_epochs(X, y):
    x = C.input_variable(D)
    seen = Seen(x)
    z = C.layers.Dense(K, init=0.1)(C.user_function(seen))
    C.fit(z, X, y, loss='cross_entropy', learner='sgd', rate=0.05, epochs=2, batch_size=25, seed=7)
    rows = [int(np.flatnonzero((X == row).all(axis=1))[0]) for part in seen.rows for row in part]
    epochs = rows[:N], rows[N:]
    assert all(sorted(epoch) == list(range(N)) and epoch != list(range(N)) for epoch in epochs)
    assert epochs[0] != epochs[1]
    w, b, states, t = np.full((D, K), 0.1), np.zeros(K), ({}, {}), 0
    for epoch in epochs:
        for begin in range(0, N, 25):
            part = epoch[begin : begin + 25]
            error = softmax(X[part] @ w + b) - np.eye(K)[y[part]]
            t += 1
            w = step_sgd(states[0], w, X[part].T @ error / len(part), t)
            b = step_sgd(states[1], b, error.mean(axis=0), t)
    np.testing.assert_allclose(z.W.value, w, rtol=2e-5, atol=2e-6)


# ---- forms of data and labels


class Frame:
    """What a data frame can do, and nothing else."""

    def __init__(self, table):
        self._table, self.columns = table, list(table)

    def __getitem__(self, name):
        return self._table[name]


def trained(data, labels=None, model=None, **options):
    options = {'loss': 'cross_entropy', 'learner': 'sgd', 'epochs': 1, 'shuffle': False, **options}
    return C.fit(model or dense(K), data, labels, **options)


def test_forms_of_data_give_the_same_training(X, y):
    expected = trained((X, y)).model.W.value
    named = C.input_variable(D, name='points')
    columns = {f'c{i}': X[:, i] for i in range(D)}
    forms = [
        trained(X, y),
        trained(X.astype(np.float64), y.tolist()),
        trained(X.tolist(), y),
        trained(list(X), y),
        trained({'points': X}, y, model=dense(K)(named)),
        trained({named: X}, y, model=dense(K)(named)),
        trained({'points': X, 'kind': y}, 'kind', model=dense(K)(named)),
        trained(columns, y),
        trained({'x': X}, y),
        trained({'x': X, 'kind': y}, 'kind'),
        trained({**columns, 'kind': y}, 'kind'),
        trained(Frame({**columns, 'kind': y}), 'kind'),
        trained(Frame(columns), y),
        trained(X, y, model=lambda x: dense(K)(x)),
    ]
    for history in forms:
        np.testing.assert_allclose(history.model.W.value, expected, rtol=1e-6)


def test_sparse_rows(X, y):
    X = np.where(X > 0.5, X, 0)
    expected = trained(X, y, shuffle=True, seed=3).model.W.value
    found = trained(sparse.csr_matrix(X), y, shuffle=True, seed=3).model
    np.testing.assert_allclose(found.W.value, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(C.predict(found, X), C.predict(found, sparse.csr_matrix(X)), rtol=1e-6)


def test_forms_of_labels_give_the_same_training(X, y):
    expected = trained(X, y).model.W.value
    names = np.array(['ant', 'bee', 'cat'])
    for labels in (
        y.astype(np.float32),
        y[:, None],
        y.tolist(),
        np.eye(K)[y],
        names[y],
        names[y].astype(object),
    ):
        np.testing.assert_allclose(trained(X, labels).model.W.value, expected, rtol=1e-6)
    history = trained(X, names[y].tolist())
    assert history.classes == ['ant', 'bee', 'cat'] and trained(X, y).classes == []


def test_two_classes_with_one_output(X):
    y = X[:, 0] > 0
    options = dict(loss='binary_cross_entropy', rate=0.1, epochs=20, metrics=['accuracy', 'auc'])
    for labels in (y, y.astype(int), np.where(y, 'yes', 'no'), y.astype(np.float32)[:, None]):
        history = trained(X, labels, model=dense(1), **options)
        assert history[-1].accuracy > 0.9 and history[-1].auc > 0.95


def test_numbers_of_shape_n(X):
    history = trained(
        X, X.sum(axis=1), model=dense(1), loss='mse', metrics=['r2', 'mae'], rate=0.1, epochs=30
    )
    assert history[-1].r2 > 0.99


def test_samples_of_one_number(X):
    history = trained(X[:, 0], X[:, 0] * 2 + 1, model=dense(1), loss='mse', rate=0.1, epochs=40)
    assert history[-1].loss < 1e-3 and C.predict(history.model, X[:, 0]).shape == (N, 1)


def sequences():
    random = np.random.RandomState(2)
    return [random.randn(length, 2).astype(np.float32) for length in random.randint(1, 6, 40)]


def test_sequences_with_one_label():
    X = sequences()
    y = [int(item[:, 0].sum() > 0) for item in X]
    model = C.layers.Sequential([C.layers.Fold(C.layers.LSTM(8)), C.layers.Dense(2)])
    history = C.fit(model, X, y, loss='cross_entropy', metrics='accuracy', rate=0.02, epochs=25, seed=1)
    assert history[-1].accuracy > 0.9
    assert C.predict(history.model, X).shape == (40, 2)


def test_sequences_with_a_label_a_step():
    X = sequences()
    y = [(item[:, 0] > 0).astype(int) for item in X]
    model = C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(8)), C.layers.Dense(2)])
    history = C.fit(
        model, X, y, loss='cross_entropy', metrics=['accuracy', 'f1'], rate=0.02, epochs=25, seed=1
    )
    assert history[-1].accuracy > 0.9
    outputs = C.predict(history.model, X)
    assert [len(item) for item in outputs] == [len(item) for item in X]
    share = np.mean(np.concatenate([o.argmax(axis=1) == k for o, k in zip(outputs, y)]))
    assert history[-1].accuracy == pytest.approx(share)


def test_several_inputs(X, y):
    a, b = C.input_variable(2, name='a'), C.input_variable(2, name='b')
    z = dense(K)(C.splice(a, b))
    parts = X[:, :2], X[:, 2:]
    expected = trained(X, y).model.W.value
    for data in (dict(zip('ab', parts)), {a: parts[0], b: parts[1]}, list(parts)):
        z = dense(K)(C.splice(a, b))
        np.testing.assert_allclose(trained(data, y, model=z).model.W.value, expected, rtol=1e-6)


def test_sources(X, y):
    expected = trained(X, y, epochs=2).model.W.value
    for labels in (y, np.eye(K, dtype=np.float32)[y]):
        source = C.io.IterableSource({'x': X, 'label': labels}, max_sweeps=2)
        history = trained(source, epochs=2, validation_data=C.io.IterableSource({'x': X, 'label': labels}))
        np.testing.assert_allclose(history.model.W.value, expected, rtol=1e-6)
        assert len(history) == 2 and history[0].val_loss > history[1].val_loss
    source = C.io.IterableSource({'label': y, 'points': X}, max_sweeps=C.io.INFINITELY_REPEAT)
    model = dense(K)(C.input_variable(D, name='points'))
    np.testing.assert_allclose(
        trained(source, 'label', model=model, epochs=2).model.W.value, expected, rtol=1e-6
    )


def test_metrics_of_sources(X, y):
    options = dict(epochs=3, metrics=['accuracy', 'f1'], rate=0.3)
    expected = trained(X, y, validation_data=(X, y), **options)
    for labels in (y, np.eye(K, dtype=np.float32)[y]):
        source = C.io.IterableSource({'x': X, 'label': labels}, max_sweeps=3)
        history = trained(source, validation_data=C.io.IterableSource({'x': X, 'label': labels}), **options)
        for name in ('accuracy', 'f1', 'val_accuracy', 'val_f1', 'val_loss'):
            np.testing.assert_allclose(history[name], expected[name], rtol=1e-5)
    source = C.io.IterableSource({'x': X, 'label': y}, one_hot={'label': K}, max_sweeps=3)
    np.testing.assert_allclose(trained(source, **options)['f1'], expected['f1'], rtol=1e-5)


def test_a_source_of_sequences():
    X = sequences()
    y = [(item[:, :1] > 0).astype(np.float32) for item in X]
    model = C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(8)), C.layers.Dense(2)])
    model = model(C.sequence.input_variable(2, name='x'))
    source = C.io.IterableSource({'x': X, 'y': y}, sequences=['x', 'y'], max_sweeps=25)
    history = C.fit(model, source, loss='cross_entropy', metrics='accuracy', rate=0.02, epochs=25)
    assert history[-1].accuracy > 0.9


def ctf_source(folder, X, y, **options):
    file = folder / f'points{len(list(folder.iterdir()))}.ctf'  # those that are open stay as they are
    lines = (f'|x {" ".join(map(str, row))} |y {k}:1' for row, k in zip(X, y))
    file.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    streams = C.io.StreamDefs(x=C.io.StreamDef('x', D), y=C.io.StreamDef('y', K, is_sparse=True))
    return C.io.MinibatchSource(C.io.CTFDeserializer(str(file), streams), randomize=False, **options)


def test_files(X, y, tmp_path):
    options = dict(epochs=3, metrics=['accuracy', 'f1'], rate=0.3, batch_size=20)
    expected = trained(X, y, validation_data=(X, np.eye(K)[y]), **options)
    once = ctf_source(tmp_path, X, y, max_sweeps=1)
    for training in (ctf_source(tmp_path, X, y), ctf_source(tmp_path, X, y, max_sweeps=3)):
        for validation in (once, (X, y), (X, np.eye(K)[y])):
            history = trained(training, validation_data=validation, **options)
            for name in ('loss', 'accuracy', 'f1', 'val_loss', 'val_f1'):
                np.testing.assert_allclose(history[name], expected[name], rtol=1e-4)
            training = ctf_source(tmp_path, X, y)


def test_probabilities_as_labels(X, y):
    soft = softmax(X[:, :K].astype(np.float64))
    w, _ = loop(X, soft, lambda z, t: softmax(z) - t, step_sgd, 2, 25)
    options = dict(rate=0.05, epochs=2, batch_size=25)
    np.testing.assert_allclose(trained(X, soft, **options).model.W.value, w, rtol=2e-5, atol=2e-6)
    with pytest.raises(ValueError, match='as the training data are numbers'):
        trained(X, y, validation_data=(X, soft))


def test_a_validation_source_that_is_over_is_an_error(X, y):
    over = C.io.IterableSource({'x': X, 'label': y})
    assert over.next_minibatch(N)
    with pytest.raises(ValueError, match='source of validation_data has no samples'):
        trained(X, y, validation_data=over)


def test_float64(X, y):
    x = C.input_variable(D, np.float64)
    z = C.times(x, C.parameter((D, K), init=0.1, dtype=np.float64))
    for labels in (y, np.eye(K)[y]):
        history = C.fit(
            z.clone('clone'),
            X,
            labels,
            loss='cross_entropy',
            metrics='accuracy',
            sample_weight=np.ones(N),
            epochs=2,
        )
        assert history.model.parameters[0].dtype == np.float64 and history[1].loss < history[0].loss


def test_weighted_training_has_metrics(X, y):
    history = trained(
        X, y, metrics='accuracy', class_weight='balanced', validation_split=0.2, rate=0.5, epochs=20
    )
    assert history[-1].accuracy > 0.8


def test_a_source_that_ends_too_early_is_an_error(X, y):
    with pytest.raises(ValueError, match='came to its end before epoch 2'):
        trained(C.io.IterableSource({'x': X, 'label': y}), epochs=3)


# ---- what it gives back


def test_history(X, y):
    history = trained(X, y, metrics=['accuracy', 'f1'], validation_split=0.25, epochs=3, rate=0.5)
    assert len(history) == 3 and [r.epoch for r in history] == [1, 2, 3]
    assert list(history[0]) == [
        'epoch', 'loss', 'accuracy', 'f1', 'val_loss', 'val_accuracy', 'val_f1', 'rate', 'seconds',
    ]  # fmt: skip
    assert history['rate'] == [0.5] * 3 and all(s > 0 for s in history['seconds'])
    assert history['loss'][0] > history['loss'][-1]
    assert repr(history).splitlines()[0].split() == list(history[0])
    page = history._repr_html_()
    assert page.startswith('<svg') and page.count('<tr>') == 4
    with pytest.raises(KeyError, match="no 'mse'"):
        history['mse']


def test_measures_are_those_of_score(X, y):
    history = trained(
        X[:40], y[:40], metrics=['accuracy', 'f1'], validation_data=(X[40:], y[40:]), epochs=2, rate=0.3
    )
    for part, prefix in ((slice(40), ''), (slice(40, None), 'val_')):
        scores = C.score(history.model, X[part], y[part], loss='cross_entropy', metrics=['accuracy', 'f1'])
        assert scores.accuracy == history[-1][prefix + 'accuracy'] and scores.f1 == history[-1][prefix + 'f1']
    assert scores.loss == pytest.approx(history[-1].val_loss)


def test_the_loss_of_an_epoch_is_the_mean_as_trained(X, y):
    history = trained(X, y, learner='sgd', rate=1e-12, epochs=1, batch_size=7)
    assert history[0].loss == pytest.approx(C.score(dense(K), X, y, loss='cross_entropy').loss, rel=1e-5)


def test_the_split_is_drawn_or_the_end(X, y):
    seen = []

    def keep(labels, outputs):
        seen.append(labels)
        return 0.0

    options = dict(validation_split=0.2, metrics=keep, training_metrics=False, learner='sgd')
    trained(X, y, **options)
    np.testing.assert_array_equal(seen[-1], y[-12:])
    history = trained(X, y, shuffle=True, seed=1, **options)
    assert len(seen[-1]) == 12 and not np.array_equal(seen[-1], y[-12:])
    assert 'keep' not in history[0] and 'val_keep' in history[0]


def test_callbacks_end_the_training(X, y):
    records = []

    def stop_at_2(record):
        records.append(record)
        return record.epoch < 2

    assert len(trained(X, y, epochs=9, callbacks=stop_at_2)) == 2 and len(records) == 2
    assert len(trained(X, y, epochs=3, callbacks=[lambda record: None, records.append])) == 3
    assert len(trained(X, y, epochs=3, callbacks=[lambda record: 0, records.append])) == 3


def test_early_stopping_restores_the_best_parameters(X, y):
    states, model = [], dense(K)(C.input_variable(D))
    rates = {1: 0.5, 2: 0.5, 3: 0.5}

    history = trained(
        X[:40], y[:40], model=model, epochs=20, patience=3, validation_data=(X[40:], y[40:]),
        rate=lambda epoch: rates.get(epoch, 300.0),
        callbacks=lambda record: states.append(model.state_dict()),
    )  # fmt: skip
    best = int(np.argmin(history['val_loss'])) + 1
    assert history.best_epoch == best and len(history) == best + 3
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(value, states[best - 1][name])
    assert history['rate'][0] == 0.5 and history['rate'][-1] == 300.0


def test_a_callback_may_end_at_the_best_epoch(X, y):
    history = trained(X, y, epochs=9, rate=0.3, patience=2, callbacks=lambda record: record.epoch < 3)
    assert history.best_epoch == len(history) == 3
    assert history['loss'] == sorted(history['loss'], reverse=True)


def test_monitor_a_metric_that_grows(X, y):
    history = trained(X, y, epochs=50, rate=0.5, metrics='accuracy', patience=2, monitor='accuracy')
    assert history.best_epoch == int(np.argmax(history['accuracy'])) + 1
    assert len(history) == min(history.best_epoch + 2, 50)


def test_seed_repeats_a_training(X, y):
    def run(seed):
        C.set_seed(seed)
        model = C.layers.Sequential([C.layers.Dense(8, C.relu), C.layers.Dropout(0.5), C.layers.Dense(K)])
        return C.fit(model, X, y, loss='cross_entropy', epochs=2).model.state_dict()

    first, second, third = run(1), run(1), run(2)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert any(not np.array_equal(first[name], third[name]) for name in first)


def test_nothing_is_printed_where_there_is_no_terminal(X, y, monkeypatch, capfd):
    trained(X, y)
    assert capfd.readouterr() == ('', '')

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for progress in (True, False):
        monkeypatch.setattr(sys, 'stderr', Terminal())
        trained(X, y, progress=progress)
        assert bool(sys.stderr.getvalue()) == progress


def test_own_learners(X, y):
    expected = trained(X, y).model.W.value
    z = dense(K)(C.input_variable(D))
    made = trained(X, y, model=z, learner=C.sgd(z.parameters, 0.01, use_mean_gradient=True))
    np.testing.assert_allclose(made.model.W.value, expected, rtol=1e-6)
    made = trained(X, y, learner=lambda p: C.sgd(p, 1.0, use_mean_gradient=True), rate=0.01)
    np.testing.assert_allclose(made.model.W.value, expected, rtol=1e-6)
    assert made[0].rate == pytest.approx(0.01)


# ---- metrics


def test_metrics_by_hand():
    labels = np.array([0, 0, 1, 1, 1])
    outputs = np.array([[2, 1], [0, 1], [0, 3], [1, 0], [0, 1.0]], np.float32)  # predicts 0 1 1 0 1
    z = C.input_variable(2)
    found = C.score(
        C.alias(z),
        outputs,
        labels,
        loss='cross_entropy',
        metrics=['accuracy', 'precision', 'recall', 'f1', 'auc'],
    )
    assert (
        found.accuracy == 0.6
        and found.precision == pytest.approx(2 / 3)
        and found.recall == pytest.approx(2 / 3)
    )
    assert found.f1 == pytest.approx(2 / 3)
    scores = outputs[:, 1] - outputs[:, 0]
    pairs = [(a > b) + (a == b) / 2 for a in scores[2:] for b in scores[:2]]
    assert found.auc == pytest.approx(np.mean(pairs))


def test_metrics_of_numbers_by_hand():
    z, labels = C.input_variable(1), np.array([1.0, 2.0, 4.0])
    found = C.score(
        C.alias(z), np.array([[1.0], [3.0], [4.0]]), labels, loss='mse', metrics=['mse', 'mae', 'r2']
    )
    assert found.mse == pytest.approx(1 / 3) and found.mae == pytest.approx(1 / 3)
    assert found.r2 == pytest.approx(1 - 1 / np.sum((labels - labels.mean()) ** 2))


def test_top_5():
    outputs = np.arange(7.0)[None].repeat(3, axis=0)
    found = C.score(
        C.alias(C.input_variable(7)), outputs, [0, 2, 6], loss='cross_entropy', metrics='top_5_accuracy'
    )
    assert found.top_5_accuracy == pytest.approx(2 / 3)


def test_metrics_against_scikit_learn():
    random = np.random.RandomState(1)
    for k in (2, 4):
        outputs, labels = random.randn(200, k).astype(np.float32).round(1), random.randint(0, k, 200)
        names = ['accuracy', 'precision', 'recall', 'f1'] + ['auc'] * (k == 2)
        found = C.score(C.alias(C.input_variable(k)), outputs, labels, loss='cross_entropy', metrics=names)
        said, average = outputs.argmax(axis=1), 'binary' if k == 2 else 'macro'
        assert found.accuracy == pytest.approx(theirs.accuracy_score(labels, said))
        assert found.precision == pytest.approx(theirs.precision_score(labels, said, average=average))
        assert found.recall == pytest.approx(theirs.recall_score(labels, said, average=average))
        assert found.f1 == pytest.approx(theirs.f1_score(labels, said, average=average))
        if k == 2:
            assert found.auc == pytest.approx(
                theirs.roc_auc_score(labels, np.diff(outputs.astype(np.float64))[:, 0])
            )
    outputs, labels = random.randn(50, 2), random.randn(50, 2)
    found = C.score(C.alias(C.input_variable(2)), outputs, labels, loss='mse', metrics='r2')
    assert found.r2 == pytest.approx(theirs.r2_score(labels, outputs), rel=1e-5)


# ---- predictions and states


def test_predict_is_in_order(X):
    z = dense(K)(C.input_variable(D))
    expected = X @ np.full((D, K), 0.1)
    for size in (1, 7, 60, 1000):
        np.testing.assert_allclose(C.predict(z, X, batch_size=size), expected, rtol=1e-5, atol=1e-6)
    layer = dense(K)
    np.testing.assert_allclose(C.predict(layer, X), expected, rtol=1e-5, atol=1e-6)


def test_a_trained_layer_keeps_its_parameters(X, y):
    layer = dense(K)
    history = C.fit(layer, X, y, loss='cross_entropy', epochs=2)
    np.testing.assert_array_equal(C.predict(layer, X), C.predict(history.model, X))


def network():
    layers = [C.layers.Dense(5, name='hidden'), C.layers.BatchNormalization(), C.layers.Dense(5, C.relu)]
    return C.layers.Sequential([*layers, C.layers.Dense(K)])(C.input_variable(D))


def test_state_dict_goes_round(X, y):
    z, other = network(), network()
    C.fit(z, X, y, loss='cross_entropy', epochs=2)
    state = z.state_dict()
    assert list(state)[:2] == ['hidden.W', 'hidden.b'] and 'Dense_2.W' in state
    assert len(state) == len(z.parameters) + 3 and 'BatchNormalization.aggregate_mean' in state
    other.load_state_dict(state)
    np.testing.assert_array_equal(C.predict(z, X), C.predict(other, X))
    state['hidden.W'][:] = 0  # a copy
    assert z.state_dict()['hidden.W'].any()


def test_wrong_states_change_nothing():
    z = network()
    before = z.state_dict()
    wrong = [
        ({**before, 'more': np.ones(1)}, 'unknown  more'),
        ({name: value for name, value in before.items() if name != 'Dense.b'}, 'missing  Dense.b'),
        ({**before, 'Dense_2.W': np.ones((2, 2))}, 'another shape'),
        ({**before, 'Dense_2.W': 'text'}, 'array of numbers'),
        ([1], 'dictionary'),
    ]
    for state, message in wrong:
        with pytest.raises(ValueError, match=message):
            z.load_state_dict(state)
    for name, value in z.state_dict().items():
        np.testing.assert_array_equal(value, before[name])


# ---- wrong use


def word(labels, outputs):
    return 'good'


WRONG = {
    'there is no loss': lambda X, y: trained(X, y, loss='crossentropy'),
    'loss must be a name': lambda X, y: trained(X, y, loss=3),
    'must have a value for each sample': lambda X, y: trained(
        X, y, loss=lambda z, t: C.reduce_sum(z, C.Axis.all_axes())
    ),
    'the result of loss must be a Function': lambda X, y: trained(X, y, loss=lambda z, t: 1.0),
    'ends with softmax': lambda X, y: trained(X, y, model=C.layers.Dense(K, C.softmax)),
    'ends with sigmoid': lambda X, y: trained(
        X, y > 0, model=C.layers.Dense(1, C.sigmoid), loss='binary_cross_entropy'
    ),
    'at least two outputs': lambda X, y: trained(X, y, model=dense(1)),
    'there is no metric': lambda X, y: trained(X, y, metrics='acc'),
    'labels that are numbers': lambda X, y: trained(X, y, metrics='r2'),
    'labels that are classes': lambda X, y: trained(X, X, model=dense(D), loss='mse', metrics='f1'),
    "the metric 'word' must be a number": lambda X, y: trained(X, y, metrics=word),
    'data has no columns': lambda X, y: trained({}, y),
    'parameters list': lambda X, y: trained(X[:, :K], y, model=C.alias(C.input_variable(K))),
    'one of the metrics must be a name or a function': lambda X, y: trained(X, y, metrics=[3]),
    'there is no learner': lambda X, y: trained(X, y, learner='sdg'),
    'learner must be': lambda X, y: trained(X, y, learner=lambda p: 3),
    'rate must be a number': lambda X, y: trained(X, y, rate='fast'),
    'rate must be above 0': lambda X, y: trained(X, y, rate=-1.0),
    'epochs must be at least 1': lambda X, y: trained(X, y, epochs=0),
    'batch_size must be at least 1': lambda X, y: trained(X, y, batch_size=0),
    'callbacks list can only contain': lambda X, y: trained(X, y, callbacks=[3]),
    'has no labels': lambda X, y: trained(X),
    'names no column|no table': lambda X, y: trained(X, 'kind'),
    "has no column 'kind'": lambda X, y: trained({'x': X}, 'kind'),
    'inconsistent numbers of samples': lambda X, y: trained(X, y[:-1]),
    'has no samples': lambda X, y: trained(X[:0], y[:0]),
    'classes from 0 to 2': lambda X, y: trained(X, y + 1),
    'whole numbers, names or one-hot': lambda X, y: trained(X, y + 0.5),
    'has 4 classes, the model 3': lambda X, y: trained(X, [f'c{i % 4}' for i in range(N)]),
    'a row of 3 numbers': lambda X, y: trained(X, np.eye(5)[y]),
    "which is none of the model's": lambda X, y: trained(
        X, np.array(['a', 'b', 'c'])[y], validation_data=(X, ['d'] * N)
    ),
    'does not fit the input': lambda X, y: trained(X, y, model=dense(K)(C.input_variable(7))),
    'does not fit the model': lambda X, y: trained(X, X, model=dense(2), loss='mse'),
    'has no numbers': lambda X, y: trained(np.array([['a', 'b']] * N), y),
    "column 'name' has no numbers": lambda X, y: trained({'name': ['a'] * N, 'x': X[:, 0]}, y),
    'Complex data not supported': lambda X, y: trained(X * 1j, y),
    'different shapes': lambda X, y: trained([np.ones((2, 2)), np.ones((2, 3))] * (N // 2), y),
    '2 inputs, but data is': lambda X, y: trained(
        X, y, model=C.splice(C.input_variable(2), C.input_variable(2))
    ),
    'model must be': lambda X, y: trained(X, y, model=3),
    'mutually exclusive': lambda X, y: trained(X, y, validation_split=0.1, validation_data=(X, y)),
    'validation_split must be between': lambda X, y: trained(X, y, validation_split=1.5),
    'leaves no sample': lambda X, y: trained(X[:1], y[:1], validation_split=0.5),
    'monitor must be one of loss': lambda X, y: trained(X, y, patience=2, monitor='val_loss'),
    'monitor is for patience': lambda X, y: trained(X, y, monitor='loss'),
    'patience must be at least 1': lambda X, y: trained(X, y, patience=0),
    'sample_weight must have the shape': lambda X, y: trained(X, y, sample_weight=np.ones((N, 2))),
    'weights of samples must be finite': lambda X, y: trained(X, y, sample_weight=-np.ones(N)),
    'which is no class': lambda X, y: trained(X, y, class_weight={7: 1.0}),
    "must be 'balanced'": lambda X, y: trained(X, y, class_weight='even'),
    'for labels that are classes': lambda X, y: trained(
        X, X, model=dense(D), loss='mse', class_weight='balanced'
    ),
    'seed must be at least 0': lambda X, y: trained(X, y, seed=-1),
    'are for arrays': lambda X, y: trained(C.io.IterableSource({'x': X, 'y': y}), validation_split=0.5),
    'labels of a source': lambda X, y: trained(C.io.IterableSource({'x': X, 'y': y}), 'z'),
    'streams of the source': lambda X, y: trained(C.io.IterableSource({'x': X, 'y': y, 'w': y})),
}


@pytest.mark.parametrize('message', WRONG)
def test_wrong_use_is_told(X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        WRONG[message](X, y)


def test_r2_of_what_is_no_number_is_none():
    z = C.layers.Dense(1)(C.input_variable(4))
    X = np.ones((3, 4), np.float32)
    assert np.isnan(C.score(z, X, [1, np.nan, 2], loss='mse', metrics='r2')['r2'])


METRICS_OF_LABELS = ['accuracy', 'precision', 'recall', 'f1', 'auc']


def theirs_of_labels(labels, scores):
    """scikit-learn's figures, of each label alone where there are several."""
    said, average = scores > 0, 'macro' if labels.ndim == 2 else 'binary'
    options = dict(average=average, zero_division=0)
    return [
        theirs.accuracy_score(labels, said),
        theirs.precision_score(labels, said, **options),
        theirs.recall_score(labels, said, **options),
        theirs.f1_score(labels, said, **options),
        theirs.roc_auc_score(labels, scores, average='macro'),
    ]


@pytest.mark.parametrize('labels', [2, 3, 4])
def test_metrics_of_several_labels(X, labels):
    random = np.random.RandomState(labels)
    Y = (X @ random.randn(X.shape[1], labels) + random.randn(N, labels) > 0.5).astype(int)
    history = trained(
        X, Y, model=dense(labels), loss='binary_cross_entropy', metrics=METRICS_OF_LABELS, epochs=2
    )
    found = [history[-1][name] for name in METRICS_OF_LABELS]
    np.testing.assert_allclose(found, theirs_of_labels(Y, C.predict(history.model, X)), rtol=1e-6)
    score = C.score(history.model, X, Y > 0, loss='binary_cross_entropy', metrics=METRICS_OF_LABELS)
    np.testing.assert_allclose([score[name] for name in METRICS_OF_LABELS], found, rtol=1e-6)


@pytest.mark.parametrize('labels', [1, 2])
def test_metrics_of_pixels(labels):
    random = np.random.RandomState(labels)
    P = random.randn(20, 1, 5, 6).astype(np.float32)
    Y = (P + random.randn(20, labels, 5, 6) > 0.3).astype(int)
    given = [Y, Y[:, 0]] if labels == 1 else [Y]
    for masks in given:
        model = C.layers.Convolution2D((3, 3), labels, pad=True)
        history = trained(
            P, masks, model=model, loss='binary_cross_entropy', metrics=METRICS_OF_LABELS, epochs=2
        )
        pixels = lambda a: np.squeeze(np.moveaxis(a, 1, -1).reshape(-1, labels))
        found = [history[-1][name] for name in METRICS_OF_LABELS]
        expected = theirs_of_labels(pixels(Y), pixels(C.predict(history.model, P)))
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_metrics_that_several_labels_have_not(X):
    Y = (X[:, :2] > 0).astype(float)
    options = dict(model=dense(2), loss='binary_cross_entropy')
    with pytest.raises(ValueError, match="'top_5_accuracy' is for labels that are classes"):
        trained(X, Y, metrics='top_5_accuracy', **options)
    with pytest.raises(ValueError, match='(?s)labels that are 0 or 1.*from 0 to 0.5'):
        trained(X, Y / 2, metrics='f1', **options)
    history = trained(X, Y / 2, metrics='mse', epochs=1, **options)
    assert history[-1].mse > 0


def test_a_model_without_a_batch_axis_is_refused():
    x = C.input_variable((C.FreeDimension, 4), dynamic_axes=[])
    z = C.times(x, C.parameter((4, 3)))
    with pytest.raises(ValueError, match=r'has no batch axis(.|\n)*\[\* x 3\](.|\n)*fit C.to_batch\(model\)'):
        C.fit(z, np.ones((5, 4), np.float32), np.zeros(5, int), loss='cross_entropy')
