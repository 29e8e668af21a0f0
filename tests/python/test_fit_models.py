"""What fit makes of models: Python functions, layers with open sizes, element types, classes they know."""

import warnings

import numpy as np
import pytest

import cantik as C
from cantik import layers as L

N = 60


@pytest.fixture
def X():
    return np.random.RandomState(0).randn(N, 4).astype(np.float32)


@pytest.fixture
def y(X):
    return (X[:, 0] > 0).astype(int)


def trained(model, X, y, **options):
    return C.fit(model, X, y, **{'loss': 'cross_entropy', 'epochs': 1, **options})


# ---- Python functions


def test_a_function_gets_inputs_of_the_shape_of_the_data(y):
    X = np.random.RandomState(0).randn(N, 3, 4)
    shapes = []

    def model(x):
        shapes.append(x.shape)
        return L.Dense(2)(C.reshape(x, (x.shape[0] * x.shape[1],)))

    assert C.predict(trained(model, X, y).model, X).shape == (N, 2) and set(shapes) == {(3, 4)}


def test_arguments_of_a_function_are_in_their_order(X, y):
    def model(a, b):
        return L.Dense(2)(C.splice(b[:1], a))

    for data in ([X, X[:, :2]], {'b': X[:, :2], 'a': X}):
        z = trained(model, data, y).model
        assert {v.name: v.shape for v in z.arguments} == {'a': (4,), 'b': (2,)}
    expected = C.predict(z, data)
    np.testing.assert_array_equal(C.predict(z, {'a': X, 'b': X[:, :2]}), expected)
    layer = C.Function(model)
    z = trained(layer, [X, X[:, :2]], y).model
    assert {v.name: v.shape for v in z.arguments} == {'a': (4,), 'b': (2,)}
    with pytest.raises(ValueError, match="does not use its argument 'b'"):
        trained(lambda a, b: L.Dense(2)(a), [X, X], y)


def test_a_function_gets_sequences_and_the_streams_of_a_source(y):
    sequences = np.random.RandomState(0).randn(N, 5, 3)
    z = trained(lambda x: L.Dense(2)(L.Fold(L.GRU(4))(x)), sequences, y).model
    assert C.predict(z, sequences).shape == (N, 2)
    source = C.io.IterableSource({'label': y, 'x': sequences[:, 0]})
    z = trained(lambda x: L.Dense(2)(C.reshape(x, x.shape[0])), source, 'label').model
    assert z.arguments[0].shape == (3,)


def test_a_function_that_makes_parameters_is_not_the_trained_network(X, y):
    def model(x):
        return L.Dense(2)(x)

    history = trained(model, X, y)
    for use in (lambda m: C.predict(m, X), lambda m: C.score(m, X, y, loss='cross_entropy')):
        with pytest.raises(ValueError, match='each call makes new ones, .*\n.*history.model'):
            use(model)
        use(history.model)

    def typed(x: L.typing.Tensor[4]):
        return L.Dense(2)(x)

    trained(typed, X, y)
    with pytest.raises(ValueError, match='each call makes new ones'):
        C.predict(typed, X)
    layer = L.Dense(2)
    history = trained(lambda x: layer(x), X, y)
    np.testing.assert_array_equal(C.predict(lambda x: layer(x), X), C.predict(history.model, X))


# ---- layers


def test_a_failed_fit_leaves_a_layer_as_it_was(X, y):
    layer = L.Dense(2)
    wrong = [
        lambda: trained(layer, X, y[:-1]),
        lambda: trained(layer, X, y + 7),
        lambda: trained(layer, X, y, metrics='r2'),
        lambda: trained(layer, X, y, learner='adm'),
        lambda: trained(layer, X, y, rate=-1),
        lambda: trained(layer, X, y, patience=0),
        lambda: trained(layer, X, y, sample_weight=np.ones(3)),
        lambda: trained(layer, X, y, class_weight={'a': 1}),
        lambda: trained(layer, X, y, validation_data=(X[:, :2], y)),
        lambda: trained(layer, X, y, loss=lambda o, t: C.squared_error(o, C.constant(np.ones(7)))),
    ]
    for call in wrong:
        with pytest.raises((ValueError, TypeError)):
            call()
        assert layer.W.shape == (-1, 2) and dict(layer.custom_attributes) == {}
    assert len(trained(layer, X[:, :3], y)) == 1


def sentences():
    rs = np.random.RandomState(0)
    return [rs.randint(0, 20, 6) for _ in range(N)]


def tagger(**options):
    return L.Sequential([L.Embedding(8, **options), L.Fold(L.GRU(8)), L.Dense(2)])


def test_sequences_of_numbers_that_have_one_length(y):
    """As a list, [n, steps] or [n, steps, 1]: the same as among sequences of other lengths."""
    words = sentences()
    start = np.random.RandomState(1).randn(20, 8).astype(np.float32)
    found = [
        trained(tagger(vocabulary=20, init=start), data, y, seed=1, epochs=2)['loss']
        for data in (words, np.array(words), np.array(words)[:, :, None])
    ]
    assert found[0] == found[1] == found[2]
    model = tagger(vocabulary=20)
    trained(model, words, y)
    ragged = C.predict(model, [*words[:2], words[2][:3]])
    np.testing.assert_allclose(C.predict(model, words[:2]), ragged[:2], rtol=1e-5)
    numbers = L.Sequential([L.Fold(L.GRU(4)), L.Dense(2)])
    signals = np.random.RandomState(0).randn(N, 6)
    trained(numbers, signals, y)
    assert C.score(numbers, list(signals), y, loss='cross_entropy').loss > 0


def test_samples_stay_samples_where_the_model_takes_them(X, y):
    assert trained(L.Dense(2), X, y).model.arguments[0].shape == (4,)


def test_the_error_is_that_of_samples(X, y):
    with pytest.raises(ValueError, match=r'inner dimensions differ, 4 and 7'):
        trained(lambda x: C.times(x, C.parameter((7, 2))), X, y)


@pytest.mark.parametrize('data', [sentences(), [w[: 3 + i % 2] for i, w in enumerate(sentences())]])
def test_numbers_of_words_need_a_vocabulary(data, y):
    model = tagger()
    with pytest.raises(ValueError, match='vocabulary=n.*20 or more'):
        trained(model, data, y)
    assert model.E.shape == (-1, 8)
    trained(model, [np.eye(20)[words] for words in data], y)


@pytest.mark.parametrize('outputs', [1, 2])
def test_the_element_type_of_a_layer_is_that_of_its_inputs(X, y, outputs):
    with C.default_options(dtype=np.float64):
        model = L.Sequential([L.Dense(4, C.tanh), L.Dense(outputs)])
        network = L.Dense(outputs)(C.input_variable(4))
    loss = 'mse' if outputs == 1 else 'cross_entropy'
    table = dict(zip('abcd', X.astype(np.float64).T))
    for z, data in ((model, X), (model, table), (network, X)):
        history = trained(z, data, y, loss=loss, sample_weight=np.ones(N), validation_split=0.2, epochs=2)
        assert history.model.arguments[0].dtype == np.float64
        assert C.predict(z, data).dtype == np.float64
    target = np.array([1 / 3, 2 / 3])
    exact = C.fit(L.Dense(1, init=0), np.zeros((2, 1)), target, loss='mse', epochs=1)[0].loss
    with C.default_options(dtype=np.float64):
        z = L.Dense(1, init=0)
    found = C.fit(z, np.zeros((2, 1)), target, loss='mse', epochs=1)[0].loss
    assert found == pytest.approx(np.mean(target**2), rel=1e-12) and exact == pytest.approx(found, rel=1e-6)


# ---- names of classes


@pytest.fixture
def names(y):
    return np.array(['no', 'yes'])[y]


def test_a_network_keeps_the_names_of_its_classes(X, y, names, tmp_path):
    layer = L.Dense(2)
    history = trained(layer, X, names, epochs=5)
    history.model.save(str(tmp_path / 'z.model'))
    one = names == 'yes'
    options = dict(loss='cross_entropy', metrics='accuracy')
    for m in (layer, history.model, C.load_model(str(tmp_path / 'z.model'))):
        assert C.score(m, X[one], names[one], **options) == C.score(m, X[one], y[one], **options)
        with pytest.raises(ValueError, match="class 'maybe', which is none of the model's\n.*no, yes"):
            C.score(m, X, ['maybe'] * N, **options)
        assert trained(m, X[one], names[one]).classes == ['no', 'yes']
        with pytest.raises(ValueError, match="class 'a', which is none of the model's"):
            trained(m, X, np.array(['a', 'b'])[y])
    assert trained(layer, X, np.array(['a', 'b'])[y], classes=['a', 'b']).classes == ['a', 'b']
    assert C.score(layer, X, ['a'] * N, **options).loss > 0


def test_names_of_several_outputs_are_kept(X, names):
    x = C.input_variable(4)
    model = C.combine([L.Dense(2, name='side')(x), L.Dense(1, name='height')(x)])
    losses = {'side': 'cross_entropy', 'height': 'mse'}
    history = C.fit(model, X, {'side': names, 'height': X[:, 1]}, loss=losses, epochs=1)
    one = names == 'yes'
    labels = {'side': names[one], 'height': X[one, 1]}
    expected = C.score(model, X[one], labels, loss=losses, classes=history.classes)
    assert C.score(history.model, X[one], labels, loss=losses) == expected


def test_fewer_names_than_classes_are_an_error(X, names):
    for outputs, labels in ((3, names), (2, ['yes'] * N)):
        with pytest.raises(ValueError, match=r'classes, so that the places .*\n.*\n.*classes=\['):
            trained(L.Dense(outputs), X, labels)
    with pytest.raises(ValueError, match='has 1 of 2 classes'):
        trained(L.Dense(1), X, ['yes'] * N, loss='binary_cross_entropy')
    with pytest.raises(ValueError, match='has 1 of 2 classes'):
        C.score(L.Dense(2)(C.input_variable(4)), X, ['yes'] * N, loss='cross_entropy')
    history = trained(L.Dense(3), X, names, classes=['yes', 'no', 'maybe'])
    assert history.classes == ['yes', 'no', 'maybe']
    for wrong in (['yes', 'no'], ['yes', 'no', 'no'], [1, 2, 3], 'yes'):
        with pytest.raises((ValueError, TypeError), match='class'):
            trained(L.Dense(3), X, names, classes=wrong)


# ---- what it says


def test_a_finished_checkpoint_is_told_of(X, y, tmp_path):
    checkpoint = C.CheckpointConfig(str(tmp_path / 'm'), frequency=N)
    first = trained(L.Dense(2), X, y, callbacks=[checkpoint], epochs=2)
    with pytest.warns(RuntimeWarning, match='nothing was trained: .* ended after 2 epochs'):
        again = trained(L.Dense(2), 2 * X, y, callbacks=[checkpoint], epochs=2)
    assert again['loss'] == first['loss']
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert len(trained(L.Dense(2), X, y, callbacks=[checkpoint], epochs=3)) == 3


def test_numpy_in_a_loss(X):
    with pytest.raises(TypeError, match='numpy.mean is for arrays, .*\n.*cantik.reduce_mean'):
        trained(L.Dense(1), X, X[:, 0], loss=lambda o, t: np.mean((o - t) ** 2))
    x = C.input_variable((2, 3))
    assert np.shape(x) == np.shape(x * 2) == (2, 3)
    # an object, as with CNTK
    assert np.zeros_like(x).dtype == object and np.stack([x, x * 2]).shape == (2,)


def test_a_missing_column_is_named(X):
    model = L.Dense(1)
    trained(model, {'a': X[:, 0], 'b': X[:, 1]}, X[:, 2], loss='mse')
    with pytest.raises(ValueError, match='expected a, b\n  got      a\n'):
        C.predict(model, {'a': X[:, 0]})


def test_names_of_several_columns_are_refused(X):
    table = dict(zip('abst', X.T))
    with pytest.raises(ValueError, match='labels name 2 columns of data, s, t, and may name one'):
        trained(L.Dense(2), table, ['s', 't'], loss='mse')


def test_what_is_iterated_over_has_a_source(X, y):
    class Set:
        def __len__(self):
            return N

        def __getitem__(self, i):
            return X[i], y[i]

    for data, source in (
        (Set(), 'C.io.MinibatchSource.C.io.DatasetDeserializer'),
        (((X[i], y[i]) for i in range(N)), 'C.io.IterableSource'),
    ):
        for call in (lambda d: trained(L.Dense(2), d, None), lambda d: C.predict(L.Dense(2), d)):
            with pytest.raises(TypeError, match=f'data must be an array.*\n.*\n  remedy   {source}'):
                call(data)
    assert len(trained(L.Dense(2), C.io.MinibatchSource(C.io.DatasetDeserializer(Set())), None)) == 1
