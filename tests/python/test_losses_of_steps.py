"""Losses and metrics of sequences: one label for all steps of a sequence is refused, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

STEPS, LAST = C.sequence.input_variable(3, name='steps'), C.input_variable(3, name='label')
LOSSES = {
    'cross_entropy': C.cross_entropy_with_softmax,
    'cross_entropy_of_an_axis': lambda z, y: C.cross_entropy_with_softmax(z, y, axis=0),
    'squared_error': C.squared_error,
    'binary_cross_entropy': C.binary_cross_entropy,
    'classification_error': C.classification_error,
    'top_2': lambda z, y: C.classification_error(z, y, topN=2),
    'negative_samples': lambda z, y: C.cosine_distance_with_negative_samples(z, y, 1, 1),
}


@pytest.mark.parametrize('loss', LOSSES.values(), ids=LOSSES)
def test_a_batch_beside_sequences_is_refused(loss):
    for z, y in ((STEPS, LAST), (LAST, STEPS)):
        with pytest.raises(RuntimeError, match='has dynamic axes, that do not match the dynamic axes') as e:
            loss(z, y)
        assert 'sequence.last(x)' in str(e.value)
    loss(C.sequence.last(STEPS), LAST)
    loss(STEPS, C.sequence.broadcast_as(LAST, STEPS))
    loss(STEPS, C.parameter(3))


def test_it_is_refused_once_placeholders_are_known():
    z, y = C.placeholder(), C.placeholder()
    loss = C.cross_entropy_with_softmax(z, y)
    with pytest.raises(RuntimeError, match='do not match the dynamic axes'):
        loss.replace_placeholders({z: STEPS, y: LAST})

    @C.Function
    def criterion(z, y):
        return C.squared_error(z, y), C.classification_error(z, y)

    with pytest.raises(RuntimeError, match='do not match the dynamic axes'):
        criterion(STEPS, LAST)


def test_a_model_without_last_is_not_trained():
    model = C.layers.Sequential([C.layers.Recurrence(C.layers.GRU(4)), C.layers.Dense(3)])
    with pytest.raises(RuntimeError, match='do not match the dynamic axes'):
        C.cross_entropy_with_softmax(model(STEPS), LAST)


@pytest.mark.parametrize(
    'make', [C.plus, C.minus, C.element_times, C.log_add_exp, C.less], ids=lambda f: f.__name__
)
def test_arithmetic_reads_a_batch_at_each_step(make):
    assert make(STEPS, LAST).dynamic_axes == STEPS.dynamic_axes


def test_more_places_than_classes():
    error = C.classification_error(LAST, C.input_variable(3), topN=4)  # may be made
    scores = np.eye(3, dtype=np.float32)
    with pytest.raises(ValueError, match='topN is 4, and there are 3 classes'):
        error.eval(dict.fromkeys(error.arguments, scores))
