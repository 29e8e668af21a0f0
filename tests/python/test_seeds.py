"""One seed for a program, or for one training: all that is drawn repeats, and differs from one another."""

import numpy as np
import pytest

import cantik as C


@pytest.fixture(autouse=True)
def seeds_as_before():
    yield
    C.cntk_py.reset_random_seed(0)


def numbers():
    """What is drawn in a row: parameters of one shape, masks, draws, an order."""
    x = C.input_variable(6)
    found = [C.layers.Dense(6, bias=False)(x).W.value for _ in range(3)]
    ones = C.parameter(6, init=1)
    masks = C.combine([C.dropout(x * ones, 0.5).output for _ in range(2)])
    trainer = C.Trainer(masks, C.reduce_sum(masks[0] + masks[1]), [C.sgd([ones], 1e-12)])
    _, out = trainer.train_minibatch({x: np.ones((9, 6), 'f')}, outputs=masks.outputs)
    found += [np.array(out[v]) for v in masks.outputs]
    found += [C.random.normal((6, 6)).eval() for _ in range(2)]
    return found


def same(a, b):
    return all(np.array_equal(p, q) for p, q in zip(a, b))


def test_a_seed_fixes_the_stream_and_not_each_draw():
    C.set_seed(1)
    first = numbers()
    C.set_seed(1)
    second = numbers()
    C.set_seed(2)
    other = numbers()
    assert same(first, second) and not same(first, other)
    for i, one in enumerate(first):
        assert not any(one.shape == two.shape and np.array_equal(one, two) for two in first[i + 1 :])


def test_cntk_s_fixed_seed_gives_every_draw_the_same_numbers():
    C.set_seed(1)
    C.cntk_py.set_fixed_random_seed(5)
    first, second, third = numbers()[:3]
    assert np.array_equal(first, second) and np.array_equal(first, third)
    assert C.cntk_py.is_random_seed_fixed() and C.cntk_py.get_random_seed() == 5


def deep():
    layers = [C.layers.Dense(8, C.relu), C.layers.Dropout(0.5), C.layers.Dense(8, C.relu)]
    return C.layers.Sequential([*layers, C.layers.Dense(8), C.layers.Dense(2)])


MODELS = {
    'a layer': deep,
    'a network': lambda: deep()(C.input_variable(4)),
    'a function': lambda: lambda x: deep()(x),
}


@pytest.mark.parametrize('kind', MODELS)
@pytest.mark.parametrize('options', [{}, {'validation_split': 0.25}, {'shuffle': False}])
def test_a_seeded_training_repeats(kind, options):
    X = np.random.RandomState(0).randn(60, 4).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)

    def trained(seed):
        model = MODELS[kind]()  # before the seed is set
        return C.fit(model, X, y, loss='cross_entropy', epochs=2, seed=seed, **options)

    first, second, other = trained(3), trained(3), trained(4)
    assert first['loss'] == second['loss'] != other['loss']
    states = [history.model.state_dict() for history in (first, second)]
    assert all(np.array_equal(states[0][name], states[1][name]) for name in states[0])
    square = [value for value in states[0].values() if value.shape == (8, 8)]
    assert len(square) == 2 and not np.allclose(*square)


def test_seeds_that_were_named_stay():
    X = np.ones((8, 3), np.float32)
    init = C.glorot_uniform(seed=7)
    expected = C.layers.Dense(3, init=init)(C.input_variable(3)).W.value
    options = dict(loss='mse', epochs=1, learner='sgd', rate=1e-12)
    for seed in (1, 2):
        found = C.fit(C.layers.Dense(3, init=init), X, X, seed=seed, **options).model.W.value
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_numbers_that_were_looked_at_stay():
    z = C.layers.Dense(3)(C.input_variable(3))
    before = np.array(z.W.value)
    C.fit(z, np.ones((8, 3)), np.ones((8, 3)), loss='mse', epochs=1, learner='sgd', rate=1e-12, seed=1)
    np.testing.assert_allclose(z.W.value, before, rtol=1e-5)


def test_the_seed_of_a_training_ends_with_it():
    X = np.random.RandomState(0).randn(20, 3).astype(np.float32)

    def following(train):
        C.set_seed(9)
        C.layers.Dense(2)(C.input_variable(3))
        train()
        return C.layers.Dense(2)(C.input_variable(3)).W.value, C.fit(
            C.layers.Dense(1, init=0.1), X, X[:, 0], loss='mse', epochs=1, batch_size=4
        )['loss']

    def fails():
        with pytest.raises(ValueError):
            C.fit(C.layers.Dense(1), X, X[:3, 0], loss='mse', seed=5)

    expected = following(lambda: C.layers.Dense(1))
    for train in (lambda: C.fit(C.layers.Dense(1), X, X[:, 0], loss='mse', epochs=1, seed=5), fails):
        found = following(train)
        assert np.array_equal(found[0], expected[0]) and found[1] == expected[1]


def test_estimators_leave_the_seed_of_the_program():
    from cantik.sklearn import Classifier

    X = np.random.RandomState(0).randn(40, 8).astype(np.float32)
    C.set_seed(9)
    source = C.cntk_py.get_random_seed()
    fitted = Classifier(hidden=(8, 8, 8), epochs=1, random_state=0).fit(X, np.arange(40) % 2)
    assert C.cntk_py.get_random_seed() == source
    state = fitted.history_.model.state_dict()
    assert not np.allclose(state['Dense.W'], state['Dense_2.W'])
    assert not np.allclose(state['Dense_2.W'], state['Dense_3.W'])
