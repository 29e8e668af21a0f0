"""Operands on sequence axes of their own, with other numbers of sequences: errors, not memory of others."""

import numpy as np
import pytest

import cantik as C


def rows(*lengths):
    return [np.arange(n * 4, dtype=np.float32).reshape(n, 4) for n in lengths]


@pytest.fixture
def inputs():
    """(a batch, a sequence, a sequence on another axis)"""
    return (
        C.input_variable(4, needs_gradient=True),
        C.sequence.input_variable(4, needs_gradient=True),
        C.sequence.input_variable(4, sequence_axis=C.Axis('other')),
    )


@pytest.mark.parametrize('samples, sequences', [(1, 3), (2, 3), (0, 1)])
def test_gather_of_a_batch(samples, sequences, inputs):
    b, _, q = inputs
    f = C.sequence.gather(b, C.sequence.is_first(q))
    feeds = {b: np.zeros((samples, 4), np.float32), q: rows(*[2] * sequences)}
    with pytest.raises(ValueError, match=f'no sequence {samples} in an operand of {samples} sequence'):
        f.eval(feeds)
    with pytest.raises(ValueError, match='no sequence'):
        C.sequence.reduce_sum(f).grad(feeds, wrt=[b])


@pytest.mark.parametrize('ours, theirs', [((2,), (2, 2)), ((1, 3), (2, 2, 2))])
def test_gather_scatter_and_delays_of_sequences(ours, theirs, inputs):
    _, s, q = inputs
    first, other = C.sequence.is_first(s), C.sequence.is_first(q)
    feeds = {s: rows(*ours), q: rows(*theirs)}
    for f in C.sequence.gather(s, other), C.sequence.scatter(C.sequence.gather(s, first), other):
        with pytest.raises(ValueError, match='there is no sequence'):
            f.eval(feeds)
    more_steps = {s: rows(*theirs), q: rows(*ours)}
    with pytest.raises(ValueError, match='there is no sequence'):
        C.sequence.past_value(s, initial_state=q).eval(more_steps)
    for back in False, True:
        layer = C.layers.RecurrenceFrom(lambda h, x: h + x, go_backwards=back)
        with pytest.raises(ValueError, match='the initial state of .* has . sequences?, and sequence'):
            layer(q, s).eval(more_steps)


def test_equal_numbers(inputs):
    _, s, q = inputs
    f = C.sequence.gather(s, C.sequence.is_first(q))
    found = f.eval({s: rows(3, 1), q: rows(1, 2)})
    assert [r.tolist() for r in found] == [[[0, 1, 2, 3]], [[0, 1, 2, 3]]]


def test_labels_and_scores_the_other_way_round():
    y, x = C.input_variable(4, is_sparse=True), C.input_variable(3)
    with pytest.raises(RuntimeError, match='the scores are sparse') as caught:
        C.cross_entropy_with_softmax(y, C.layers.Dense(4)(x))
    assert 'output_vector, target_vector' in str(caught.value)
