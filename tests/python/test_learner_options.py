"""Options and states of learners that make little sense, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C


@pytest.mark.parametrize(
    'threshold, truncates, expected',
    [
        (-1, True, [1.1, 1.1]),
        (-1, False, [0.95527864, 0.91055727]),
        (0.5, True, [1.05, 1.05]),
        (0.5, False, [1.0223607, 1.0447214]),
        (float('nan'), True, [1.4, 1.8]),
        (float('inf'), False, [1.4, 1.8]),
    ],
)
def test_thresholds_of_clipping(threshold, truncates, expected):
    """The figures are CNTK 2.7's, also where the threshold makes no sense."""
    x, w = C.input_variable(2), C.parameter((2, 1), init=1.0)
    loss = C.squared_error(C.times(x, w), C.constant([5.0]))
    learner = C.sgd(
        [w],
        0.1,
        gradient_clipping_threshold_per_sample=threshold,
        gradient_clipping_with_truncation=truncates,
    )
    C.Trainer(loss, loss, [learner]).train_minibatch({x: np.array([[1, 2]], np.float32)})
    np.testing.assert_allclose(w.value.ravel(), expected, rtol=1e-6)


def test_a_learner_without_states_refuses_those_of_another_kind(tmp_path):
    x, w = C.input_variable(2), C.parameter((2, 1), init=1.0)
    loss = C.squared_error(C.times(x, w), C.constant([5.0]))
    feeds, path = {x: np.array([[1, 2]], np.float32)}, str(tmp_path / 'model')
    trainer = C.Trainer(loss, loss, [C.momentum_sgd([w], 0.1, 0.9)])
    trainer.train_minibatch(feeds)
    trainer.save_checkpoint(path)
    with pytest.raises(RuntimeError, match='but the learner needs none'):
        C.Trainer(loss, loss, [C.sgd([w], 0.1)]).restore_from_checkpoint(path)
