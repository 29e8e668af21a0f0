"""Parameters that products with sparse operands read: rows without a gradient rest, as in CNTK 2.7."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'
spec = importlib.util.spec_from_file_location('sparse_learners_cntk', GOLDEN / 'sparse_learners_cntk.py')
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)
FIGURES = json.loads((GOLDEN / 'sparse_learners_golden.json').read_text())


@pytest.mark.parametrize('name', FIGURES)
def test_figures_are_cntks(name):
    np.testing.assert_allclose(cases.figures(*cases.CASES[name]), FIGURES[name], rtol=0, atol=3e-7)


def test_there_is_a_figure_of_each_case():
    assert set(FIGURES) == set(cases.CASES)


@pytest.mark.parametrize(
    'learner',
    [lambda p: C.momentum_sgd(p, 0.1, 0.9), lambda p: C.nesterov(p, 0.1, 0.9), lambda p: C.adagrad(p, 0.1)],
)
def test_rows_without_a_gradient_rest(learner):
    w = C.parameter((4, 2), init=1)
    x, loss = cases.of_sparse(w)
    trainer = C.Trainer(loss, loss, learner([w]))
    trainer.train_minibatch({x: cases.csr([0, 1])})
    before = w.value
    trainer.train_minibatch({x: cases.csr([1, 2])})
    moved = np.any(w.value != before, axis=1)
    assert moved.tolist() == [False, True, True, False]


def test_decay_reaches_all_rows():
    w = C.parameter((4, 2), init=1)
    x, loss = cases.of_sparse(w)
    trainer = C.Trainer(loss, loss, C.momentum_sgd([w], 0.1, 0.9, l2_regularization_weight=0.5))
    trainer.train_minibatch({x: cases.csr([1])})
    assert np.all(w.value < 1)


def test_each_learner_decides_for_its_own_parameters():
    """A learner that wants all rows leaves the other its few."""
    v, w = C.parameter((4, 2), init=1), C.parameter((4, 2), init=1)
    x = C.input_variable(4, is_sparse=True)
    loss = C.reduce_sum(C.times(x, v) + C.times(x, w))
    trainer = C.Trainer(loss, loss, [C.adam([v], 0.1, 0.9), C.momentum_sgd([w], 0.1, 0.9)])
    for rows in ([0], [1]):
        trainer.train_minibatch({x: cases.csr(rows)})
    alone = C.parameter((4, 2), init=1)
    trainer = C.Trainer(None, C.reduce_sum(C.times(x, alone)), C.momentum_sgd([alone], 0.1, 0.9))
    for rows in ([0], [1]):
        trainer.train_minibatch({x: cases.csr(rows)})
    np.testing.assert_array_equal(w.value, alone.value)
    assert v.value[0, 0] < 0.9  # Adam goes on with its momentum
