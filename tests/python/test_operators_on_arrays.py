"""Operators on arrays alone: CNTK 2.7 takes them as float32, but for those that keep the arrays' own type
(seen on CNTK 2.7)."""

import numpy as np
import pytest

import cantik as C

WIDE = np.array([[0.1, 0.2], [0.3, 0.4]])

ONE = (
    'abs acos asin atan cos cosh exp log negate reciprocal relu sigmoid sin sinh sqrt square tan tanh elu '
    'selu softplus softsign leaky_relu softmax log_softmax '
    'hardmax reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_log_sum_exp reduce_l1 '
    'reduce_l2 reduce_sum_square argmax argmin zeros_like ones_like '
    'element_not flatten alias straight_through_impl asinh atanh to_batch'
).split()
KEPT = 'ceil floor round stop_gradient'.split()
TWO_SINGLE = 'element_and element_or element_xor splice'.split()
TWO_KEPT = (
    'plus minus element_times element_divide element_max element_min pow log_add_exp less less_equal '
    'greater greater_equal equal not_equal times times_transpose '
    'squared_error binary_cross_entropy cross_entropy_with_softmax classification_error cosine_distance'
).split()
TYPES = [np.float64, np.float32, np.float16, np.int64, bool, list]


def given(kind):
    return WIDE.tolist() if kind is list else WIDE.astype(kind)


@pytest.mark.parametrize('name', ONE)
def test_operators_that_take_single_precision(name):
    for kind in TYPES:
        assert getattr(C, name)(given(kind)).dtype is np.float32, kind


@pytest.mark.parametrize('name', KEPT)
def test_operators_that_keep_the_type(name):
    for kind in TYPES:
        assert getattr(C, name)(given(kind)).dtype is (
            kind if kind in (np.float64, np.float16) else np.float32
        )


@pytest.mark.parametrize('name', TWO_SINGLE + TWO_KEPT)
def test_two_operands(name):
    f = getattr(C, name)
    rank = {np.float64: 2, np.float16: 0}
    for a in TYPES:
        for b in TYPES:
            widest = max(a, b, key=lambda t: rank.get(t, 1))
            want = np.float32 if name in TWO_SINGLE or widest not in rank else widest
            assert f(given(a), given(b)).dtype is want, (a, b)
    for dtype in (np.float32, np.float64):  # a variable decides
        v = C.input_variable((2, 2), dtype=dtype)
        for kind in TYPES:
            assert f(v, given(kind)).dtype is dtype and f(given(kind), v).dtype is dtype
            assert f(given(kind), v * 2).dtype is dtype


def test_operators_with_attributes():
    x32 = C.input_variable((2, 2))
    for f in (
        lambda a: C.reshape(a, (4,)),
        lambda a: C.transpose(a, (1, 0)),
        lambda a: C.slice(a, 0, 0, 1),
        lambda a: C.one_hot(a, 3),
        lambda a: C.top_k(a, 1),
        lambda a: C.dropout(a, 0.5),
        lambda a: C.expand_dims(a, 0),
        lambda a: C.swapaxes(a, 0, 1),
        lambda a: C.squeeze(C.expand_dims(a, 0)),
        lambda a: C.eye_like(a),
        lambda a: C.random.uniform_like(a),
        lambda a: C.random.normal_like(a),
        lambda a: C.hard_sigmoid(a, 0.2, 0.5),
        lambda a: C.element_select(a, a, 0.0),
    ):
        for kind in TYPES:
            assert all(o.dtype is np.float32 for o in f(given(kind)).outputs), kind
        assert (f(WIDE).outputs[0] + 1).dtype is np.float32
    assert (C.slice(WIDE, 0, 0, 2) + x32).dtype is np.float32  # in double precision the two would not meet
    assert (
        C.clip(WIDE, 0.0, 1.0).dtype is np.float64
        and C.clip(WIDE.astype(np.float32), WIDE, 1.0).dtype is np.float32
    )
    assert (
        C.gather(WIDE, np.zeros(1, np.float32)).dtype is np.float64
        and C.gather(WIDE.astype(np.float32), np.zeros(1)).dtype is np.float32
    )
    assert (
        C.depth_to_space(np.ones((4, 2, 2)), 2).dtype is np.float64
        and C.cast(WIDE, np.float32).dtype is np.float32
    )


def test_values_are_rounded_once():
    third = np.full((2,), 1 / 3)
    assert np.array_equal(C.negate(third).eval(), -third.astype(np.float32))
    assert np.array_equal(C.plus(third, third).eval(), third + third)


WEIGHTS = [0.1, 0.2, 0.3, 0.4]
ONCE = [0.32992789149284363, 0.5717060565948486, 0.7421467900276184, 0.856459379196167]  # CNTK 2.7


@pytest.mark.parametrize(
    'weights',
    [
        WEIGHTS,
        [WEIGHTS],
        np.array(WEIGHTS),
        np.array([WEIGHTS]),
        np.array([WEIGHTS], np.float32),
        np.array(WEIGHTS, np.float16),
        np.array([1, 2, 3, 4]),
    ],
    ids=str,
)
def test_weights_of_samples(weights):
    f = C.random_sample(weights, 3, True, seed=5)
    assert f.shape == (3, 4) and f.dtype is np.float32
    assert np.asarray(f.eval().sum(0)).ravel().tolist() == [1, 1, 0, 1]
    often = C.random_sample_inclusion_frequency(weights, 3, True, seed=5)
    assert often.shape == np.shape(weights) and often.dtype is np.float32
    assert np.allclose(often.eval().ravel(), [0.3, 0.6, 0.9, 1.2], atol=1e-3)
    once = C.random_sample_inclusion_frequency(weights, 3, False, seed=5)
    assert np.allclose(once.eval().ravel(), ONCE, atol=1e-3)


def test_an_estimate_stays_while_the_weights_do():
    # CNTK 2.7 draws it in the first run and keeps it.
    w = (1 / np.arange(1, 21)).astype(np.float32)
    p = C.parameter((20,), init=w)
    f = C.random_sample_inclusion_frequency(p, 5, False, seed=1)
    first = f.eval()
    assert np.allclose(first[:3], [0.9072036, 0.6645631, 0.50823945], atol=1e-6)  # CNTK 2.7
    assert np.array_equal(f.eval(), first)
    p.value = w * w
    other = f.eval()
    assert not np.array_equal(other, first)
    assert np.array_equal(f.eval(), other)
    # what is drawn is another one each time
    drawn = C.random_sample(p, 5, False, seed=1)
    assert (drawn.eval() != drawn.eval()).nnz > 0


def test_weights_that_are_none():
    for wrong in (np.array([WEIGHTS]).T, np.ones((2, 2)), np.ones((1, 1, 4)), 1.0):
        for f in (C.random_sample, C.random_sample_inclusion_frequency):
            with pytest.raises(ValueError, match=r'must have the shape \[classes\] or \[1, classes\]'):
                f(wrong, 3, True)


def test_weights_of_other_kinds():
    for w in (C.constant([WEIGHTS]), C.parameter((1, 4), init=1), C.input_variable((1, 4))):
        f = C.random_sample(w, 2, True, seed=1)
        assert f.shape == (2, 4)
    with pytest.raises(
        ValueError, match='the weights must not be float16'
    ):  # CNTK 2.7 refuses them when it runs
        C.random_sample(C.constant(np.array(WEIGHTS), dtype=np.float16), 3, True, seed=5)
