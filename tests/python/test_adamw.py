"""cantik.learners.adamw against its formula in NumPy (Loshchilov and Hutter, arXiv:1711.05101)."""

import numpy as np
import pytest

import cantik as C

adamw = C.learners.adamw
START = np.array([[1, -2, 0.5], [3, 0, -0.25]])
GRADIENTS = [START * k + np.array([0.1, -0.3, 0.2]) * (-1) ** k for k in range(1, 7)]


def reference(steps, rate, momentum=0.9, variance=0.999, decay=0.01, epsilon=1e-8):
    """The parameter after each step, in float64."""
    w, s, a = START.copy(), np.zeros_like(START), np.zeros_like(START)
    for t, g in enumerate(steps, 1):
        s = momentum * s + (1 - momentum) * g
        a = variance * a + (1 - variance) * g**2
        mean, square = s / (1 - momentum**t), a / (1 - variance**t)
        w = w - rate * (mean / (np.sqrt(square) + epsilon) + decay * w)
        yield w


def learner_of(dtype, rate=0.1, **options):
    w = C.parameter(START.shape, init=START, dtype=dtype)
    return w, adamw([w], rate, use_mean_gradient=True, **options)


@pytest.mark.parametrize('dtype, tolerance', [(np.float64, 1e-13), (np.float32, 1e-6)])
@pytest.mark.parametrize(
    'options, named',
    [
        ({}, {}),
        ({'weight_decay': 0}, {'decay': 0}),
        ({'weight_decay': 0.5, 'epsilon': 0.1}, {'decay': 0.5, 'epsilon': 0.1}),
        ({'momentum': 0.5, 'variance_momentum': 0.9}, {'momentum': 0.5, 'variance': 0.9}),
    ],
)
def test_follows_the_formula(dtype, tolerance, options, named):
    w, learner = learner_of(dtype, **options)
    for g, expected in zip(GRADIENTS, reference(GRADIENTS, 0.1, **named)):
        assert learner.update({w: (3 * g).astype(dtype)}, 3)  # the sum over three samples
        np.testing.assert_allclose(w.value, expected, rtol=tolerance, atol=tolerance)


def test_a_schedule_changes_the_rate_and_the_decay():
    rates = C.learning_parameter_schedule([0.1, 0.01], epoch_size=2)
    w, learner = learner_of(np.float64, rates, weight_decay=0.3)
    first = list(reference(GRADIENTS[:2], 0.1, decay=0.3))[-1]
    for g in GRADIENTS[:2]:
        learner.update({w: g}, 1)
    np.testing.assert_allclose(w.value, first, rtol=1e-13)
    small = learner.learning_rate()
    before = w.value.copy()
    learner.update({w: GRADIENTS[2]}, 1)
    s = a = 0
    for g in GRADIENTS[:3]:
        s, a = 0.9 * s + 0.1 * g, 0.999 * a + 0.001 * g**2
    step = s / (1 - 0.9**3) / (np.sqrt(a / (1 - 0.999**3)) + 1e-8)
    assert small == 0.01
    np.testing.assert_allclose(w.value, before - 0.01 * (step + 0.3 * before), rtol=1e-12)


def test_decay_is_no_part_of_the_gradient():
    """A parameter without gradients decays by the rate alone; l2_regularization_weight would take a whole
    step of Adam."""
    w, learner = learner_of(np.float64, weight_decay=0.5)
    learner.update({w: np.zeros_like(START)}, 1)
    np.testing.assert_allclose(w.value, 0.95 * START, rtol=1e-15)


def test_goes_on_from_a_checkpoint():
    w, learner = learner_of(np.float64)
    for g in GRADIENTS[:3]:
        learner.update({w: g}, 1)
    kept, state = w.value.copy(), learner.create_checkpoint()
    other, again = learner_of(np.float64)
    other.value = kept
    again.restore_from_checkpoint(state)
    for g in GRADIENTS[3:]:
        learner.update({w: g}, 1)
        again.update({other: g}, 1)
        assert (w.value == other.value).all()


def test_wrong_options_are_named():
    w = C.parameter(2)
    with pytest.raises(ValueError, match='weight_decay must be at least 0, and is -1'):
        adamw([w], 0.1, weight_decay=-1, use_mean_gradient=True)
    with pytest.raises(ValueError, match='epsilon must be at least 0, and is -0.5'):
        adamw([w], 0.1, epsilon=-0.5, use_mean_gradient=True)
    with pytest.raises(TypeError, match="weight_decay must be a number, not 'a'"):
        adamw([w], 0.1, weight_decay='a', use_mean_gradient=True)
    with pytest.warns(UserWarning, match='adamw: as in CNTK, a rate that is given per minibatch is divided'):
        adamw([w], 0.1)


def test_it_stands_beside_the_other_learners():
    assert C.adamw is C.learners.adamw and 'adamw' in dir(C)
    assert 'adamw' not in C.__all__  # CNTK has none: a star import brings no such name
