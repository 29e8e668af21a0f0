"""Parameters that products with sparse operands read: rows without a gradient rest, as in CNTK 2.7."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

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


@pytest.mark.parametrize('name', ['momentum_sgd', 'adagrad', 'adam'])
@pytest.mark.parametrize('count', [2, 3])
def test_parameters_with_one_gradient_go_the_same_way(name, count):
    """Their gradients are the same few rows: each gets its own, and none all rows."""
    make = {
        'momentum_sgd': lambda p: C.momentum_sgd(p, 0.1, 0.9),
        'adagrad': lambda p: C.adagrad(p, 0.1),
        'adam': lambda p: C.adam(p, 0.1, 0.9),
    }[name]
    start = np.arange(8, dtype=np.float32).reshape(4, 2) / 10
    x = C.input_variable(4, is_sparse=True)
    tables = [C.parameter((4, 2), init=start) for _ in range(count)]
    loss = C.reduce_sum(C.square(C.plus(*[C.times(x, t) for t in tables])))
    trainer = C.Trainer(None, loss, make(tables))
    alone = C.parameter((4, 2), init=start)
    of_one = C.Trainer(None, C.reduce_sum(C.square(count * C.times(x, alone))) / count, make([alone]))
    for rows in ([0, 2, 2], [1, 2, 2], [0, 1, 2]):
        for t in (trainer, of_one):
            t.train_minibatch({x: cases.csr(rows)})
    for table in tables:
        np.testing.assert_allclose(table.value, alone.value, atol=1e-6)
    assert trainer.parameter_learners[0].total_number_of_samples_seen() == 9


# What stands between a sparse operand and the parameter: the gradient of the product has few rows.
BETWEEN = {
    'itself': lambda e, m: e,
    'a product': lambda e, m: C.times(e, m),
    'a product the other way': lambda e, m: C.times_transpose(e, m),
    'products': lambda e, m: C.times(C.times(e, m), m),
    'a product from the left': lambda e, m: C.times(C.parameter((4, 4), init=C.normal(1, seed=9)), e),
    'a sum': lambda e, m: e + C.times(e, m),
    'a function': lambda e, m: C.tanh(e),
    'a norm': lambda e, m: e / C.sqrt(C.reduce_sum(e * e)),
    'a part': lambda e, m: C.splice(e[:, 1:3], e[:, 0]),
    'rows of it': lambda e, m: C.gather(e, C.constant([3, 1, 0, 2])),
    'another order': lambda e, m: C.transpose(C.transpose(e, (1, 0)), (1, 0)),
    'another shape': lambda e, m: C.reshape(C.reshape(e, (12,)), (4, 3)),
    'a softmax': lambda e, m: C.softmax(e, 0),
    'an alias': lambda e, m: C.alias(e),
    'a function of ones own': lambda e, m: C.user_function(Twice(e)),
}


class Twice(C.ops.functions.UserFunction):
    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        return None, 2 * argument

    def backward(self, state, root_gradients):
        return 2 * root_gradients


@pytest.mark.parametrize('sequences', [False, True], ids=['batch', 'sequences'])
@pytest.mark.parametrize('name', BETWEEN)
def test_gradients_are_those_of_the_same_dense_data(name, sequences):
    found = []
    rows = np.float32([[0, 2, 0, 0], [0, 0, 0, 1], [0, -1, 0, 3]])
    for is_sparse in (True, False):
        e, m = C.parameter((4, 3), init=C.normal(1, seed=3)), C.parameter((3, 3), init=C.normal(1, seed=4))
        make = C.sequence.input_variable if sequences else C.input_variable
        x = make(4, is_sparse=is_sparse)
        table = BETWEEN[name](e, m)
        loss = C.reduce_sum(C.square(C.times(x, table)))
        kind = csr_matrix if is_sparse else np.asarray
        data = [kind(rows[:2]), kind(rows[2:])] if sequences else kind(rows)
        wrt = [p for p in (e, m) if p in loss.parameters]
        trained = loss.grad({x: data}, wrt=wrt, as_numpy=True)
        found.append([trained] if len(wrt) == 1 else [trained[p] for p in wrt])
        learner = C.momentum_sgd(loss.parameters, 0.01, 0.0, unit_gain=True)
        C.Trainer(None, loss, learner).train_minibatch({x: data})
        found[-1] += [p.value for p in loss.parameters]
    for sparse, dense in zip(*found):
        np.testing.assert_allclose(sparse, dense, rtol=1e-4, atol=1e-5)


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
