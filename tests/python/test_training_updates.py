"""The entries of `updates` in what Function.train returns. Figures: CNTK 2.7."""

import numpy as np
import pytest

import cantik as C


@pytest.mark.parametrize(
    'schedule, rows, due',
    [
        ([4, 2], 8, [8, 4, 4]),
        ([4, 2], 16, [12, 8, 8]),
        ([4, 2], 20, [14, 10, 10]),
        ([2, 4], 8, [8]),
        ([3], 8, [6, 6]),
        ([3], 20, [18, 18]),
    ],
)
def test_updates_where_the_minibatch_size_changes(schedule, rows, due):
    """Samples of each entry, as CNTK 2.7 counts them."""
    x, w = C.input_variable(2), C.parameter((2, 1), init=1)
    loss = C.reduce_sum(C.square(C.times(x, w)))
    result = loss.train(
        (np.ones((rows, 2), np.float32),),
        minibatch_size=C.minibatch_size_schedule(schedule, epoch_size=8),
        max_epochs=2,
        parameter_learners=[C.sgd([w], C.learning_parameter_schedule(0.0001))],
    )
    assert [u['samples'] for u in result['updates']] == due
