"""Losses that are networks: against NumPy, and against numbers of CNTK 2.7."""

import numpy as np
import pytest

import cantik as C


def logistic(x):
    return np.logaddexp(0, x)


def nce(allow_duplicates, labels, sparse=False):
    W = C.parameter(init=np.arange(10, dtype=np.float32).reshape(5, 2) / 7, name='W')
    b = C.parameter(init=np.arange(5, dtype=np.float32).reshape(5, 1) / 3 - 0.5, name='b')
    x, y = C.input_variable(2, needs_gradient=True), C.input_variable(5, is_sparse=sparse)
    loss = C.nce_loss(
        W, b, x, y, np.arange(5) + 1.0, num_samples=3, seed=3, allow_duplicates=allow_duplicates, name='loss'
    )
    data = np.array([[0.3, -0.2], [1, 0.5]], np.float32)
    return loss, W, b, {x: data, y: labels}


LABELS = np.eye(5, dtype=np.float32)[[0, 3]]
# Three evaluations on CNTK 2.7, whose draws of this seed are ours.
CNTK = {
    True: [[3.5546810627, 5.8261137009], [3.5927917957, 5.8221807480], [4.9094252586, 8.6447095871]],
    False: [[3.3813819885, 5.4727773666], [4.7680673599, 8.3371315002], [4.3522415161, 7.5539550781]],
}


@pytest.mark.parametrize('allow_duplicates', [True, False])
def test_nce_loss_is_that_of_cntk(allow_duplicates):
    loss, _W, _b, at = nce(allow_duplicates, LABELS)
    assert str(loss) == 'loss: NCE(Tensor[2], Tensor[5]) -> np.float32'
    assert np.allclose([loss.eval(at) for _ in range(3)], CNTK[allow_duplicates], rtol=1e-6)


def test_nce_loss_is_its_formula():
    loss, W, b, at = nce(True, LABELS)
    drawn = (
        C.random_sample(np.arange(5, dtype=np.float32) + 1, 3, True, seed=3).eval().toarray()
    )  # its first draw
    p, k = (np.arange(5) + 1) / 15, 3
    scores = next(iter(at.values())) @ W.value.T + b.value.ravel()
    shifted = scores - np.log(k * p)
    expected = (
        (logistic(-shifted) * LABELS).sum(1)
        + np.logaddexp(scores, np.log(k * p)) @ drawn.sum(0)
        - k * p @ np.log(k * p)
    )
    assert np.allclose(loss.eval(at), expected, rtol=1e-5)


def test_gradients_of_nce_loss_have_only_the_rows_that_were_seen():
    one_hot = C.Value.one_hot([0, 3], 5)
    loss, W, b, at = nce(True, one_hot, sparse=True)
    gradients = loss.grad(at, wrt=[W, b], as_numpy=False)
    drawn = C.random_sample(np.arange(5, dtype=np.float32) + 1, 3, True, seed=3).eval().toarray().sum(0)
    seen = (drawn > 0) | (LABELS.sum(0) > 0)
    for v in (W, b):
        assert gradients[v].is_sparse
        assert ((gradients[v].asarray() != 0).any(1) == seen).all()
    dense, W2, b2, at2 = nce(True, LABELS)
    expected = dense.grad(at2, wrt=[W2, b2])
    assert np.allclose(gradients[W].asarray(), expected[W2], atol=1e-6)
    assert np.allclose(gradients[b].asarray(), expected[b2], atol=1e-6)
    # Such a gradient can be fed where numbers are expected.
    v = C.input_variable((5, 2))
    assert np.allclose((v * 2).eval({v: gradients[W]}), 2 * expected[W2], atol=1e-6)


def test_nce_loss_infers_the_width_of_its_weights():
    x, y = C.input_variable(4), C.input_variable(6)
    W = C.parameter((6, C.InferredDimension), init=1)
    C.nce_loss(W, C.parameter((6, 1)), x, y, np.ones(6))
    assert W.shape == (6, 4)


def test_nce_loss_is_saved(tmp_path):
    loss, _W, _b, at = nce(True, LABELS)
    path = str(tmp_path / 'nce')
    loss.save(path)
    again = C.load_model(path)
    assert np.allclose(again.eval(dict(zip(again.arguments, at.values()))), CNTK[True][0], rtol=1e-6)


@pytest.mark.parametrize(
    'change, text',
    [
        (dict(weights=(4, 2)), 'nce_loss: the weights must have the shape [5, width], and have [4, 2]'),
        (dict(biases=(5,)), 'nce_loss: the biases must have the shape [5, 1], and have [5]'),
        (dict(labels=4), 'nce_loss: the labels must have the shape [5], and have [4]'),
        (dict(inputs=(2, 2)), 'nce_loss: the input must be a vector, and has the shape [2, 2]'),
        (
            dict(noise=[[1.0]] * 5),
            'noise_distribution must be one number for each class, and has the shape [5, 1]',
        ),
        (dict(noise=[1.0, 2, -1, 1, 1]), None),
        (dict(num_samples=0), None),
        (dict(num_samples=6, allow_duplicates=False), None),
    ],
)
def test_wrong_arguments_of_nce_loss(change, text):
    given = dict(
        dict(
            weights=(5, 2),
            biases=(5, 1),
            inputs=2,
            labels=5,
            noise=[1.0, 2, 3, 4, 5],
            num_samples=3,
            allow_duplicates=True,
        ),
        **change,
    )
    with pytest.raises(ValueError) as error:
        C.nce_loss(
            C.parameter(given['weights']),
            C.parameter(given['biases']),
            C.input_variable(given['inputs']),
            C.input_variable(given['labels']),
            given['noise'],
            num_samples=given['num_samples'],
            allow_duplicates=given['allow_duplicates'],
        )
    assert text is None or text in str(error.value)


def test_hierarchical_softmax():
    C.cntk_py.set_fixed_random_seed(1)
    x, label = C.input_variable(2), C.input_variable(1)
    p, classes, members = C.hierarchical_softmax_layer(x, label, 4)
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    value = classes.eval({x: data})
    assert np.allclose(
        value, [[0.4046618, 0.59533817], [0.23773022, 0.76226979], [0.12518175, 0.87481827]]
    )  # CNTK 2.7
    each = [m.eval({x: data}) for m in members]
    assert np.allclose([m.sum(1) for m in each], value.T, atol=1e-6)
    for l in range(4):
        assert np.allclose(
            p.eval({x: data, label: np.full((3, 1), l, np.float32)}).ravel(),
            each[l // 2][:, l % 2],
            atol=1e-6,
        )
    assert sorted(v.name for v in p.parameters) == [
        'hsoftmax_b1',
        'hsoftmax_b2s',
        'hsoftmax_w1',
        'hsoftmax_w2s',
    ]


@pytest.mark.parametrize(
    'labels, classes, expected', [(10, None, (4, 3)), (10, 3, (3, 4)), (10, 1, (1, 10)), (1, None, (1, 1))]
)
def test_sizes_of_the_hierarchical_softmax(labels, classes, expected):
    p, c, members = C.hierarchical_softmax_layer(C.input_variable(7), C.input_variable(1), labels, classes)
    assert (
        c.shape == expected[:1]
        and len(members) == expected[0]
        and members[0].shape == expected[1:]
        and p.shape == (1, 1)
    )


def test_wrong_arguments_of_the_hierarchical_softmax():
    with pytest.raises(ValueError, match='0 labels'):
        C.hierarchical_softmax_layer(C.input_variable(7), C.input_variable(1), 0)
    with pytest.raises(ValueError, match='the input must be a vector'):
        C.hierarchical_softmax_layer(C.input_variable((7, 2)), C.input_variable(1), 10)


def test_noise_may_be_a_constant_or_a_parameter():
    x, label = C.input_variable(4), C.one_hot(C.input_variable(()), 4, True)
    weights, biases = C.parameter((4, 4), init=0.1), C.parameter((4, 1), init=0.2)
    feeds = np.ones((3, 4), np.float32), np.array([0, 1, 3], np.float32)
    noise = np.array([1, 2, 3, 4], np.float32)
    made = [
        C.nce_loss(weights, biases, x, label, q, 3, seed=5)
        for q in (noise, C.constant(noise), C.parameter(init=noise))
    ]
    values = [f.eval(dict(zip(f.arguments, feeds))) for f in made]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])


@pytest.mark.parametrize('left, right', [((2,), (2, 1)), ((1, 3), (3,)), ((), (1,)), ((2, 3), (2, 3))])
def test_the_angle_between_vectors_of_one_size(left, right):
    x, y = C.input_variable(left), C.input_variable(right)
    r = np.random.RandomState(0)
    a, b = r.randn(2, *left).astype(np.float32), r.randn(2, *right).astype(np.float32)
    flat = a.reshape(2, -1), b.reshape(2, -1)
    wanted = (flat[0] * flat[1]).sum(1) / np.sqrt((flat[0] ** 2).sum(1) * (flat[1] ** 2).sum(1))
    assert np.allclose(C.cosine_distance(x, y).eval({x: a, y: b}), wanted, atol=1e-6)


@pytest.mark.parametrize('left, right', [((1,), (3,)), ((2,), (2, 2)), ((), (2,)), ((2, 1), (1, 3))])
def test_vectors_of_other_sizes_have_no_angle(left, right):
    for shapes in ((left, right), (right, left)):
        with pytest.raises(ValueError, match='vectors of different sizes have no angle'):
            C.cosine_distance(*(C.input_variable(s) for s in shapes))
