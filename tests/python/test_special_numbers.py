"""Numbers that are none (NaN) are not swallowed: by fused chains, products and convolutions, in recurrences,
in training. What each operator makes of them is compared with CNTK 2.7 in tests/ops/special_test.cc."""

import os
import subprocess
import sys

import numpy as np
import pytest

import cantik as C

NAN = float('nan')


def check_rectifiers():
    """Alone, behind products of all widths, behind convolutions: vector bodies, tails and finishing steps of
    products."""
    for n in list(range(1, 40)) + [64, 129]:
        x = C.input_variable(n)
        data = np.arange(-3, 3 * n - 3, dtype=np.float32).reshape(3, n)
        for place in {0, n // 2, n - 1}:
            spoilt = data.copy()
            spoilt[1, place] = NAN
            for f in (
                C.relu(x),
                C.clip(x, -1, 1),
                C.relu(x * 2 + 1),
                C.clip(C.relu(x), 0.0, 5.0),
                C.element_max(0.0, x),
            ):
                y = f.eval({x: spoilt})
                assert np.isnan(y[1, place]) and np.isnan(y).sum() == 1, (n, place)
            whole = C.layers.Dense(n, activation=C.relu)(x).eval({x: spoilt})
            assert np.isnan(whole[1]).all() and not np.isnan(whole[[0, 2]]).any(), (n, place)
            weights = np.eye(n, dtype=np.float32)
            weights[0, place] = NAN
            column = C.relu(C.times(x, C.parameter(init=weights)) + C.parameter(n)).eval({x: data})
            assert np.isnan(column[:, place]).all() and np.isnan(column).sum() == 3
    image = np.ones((2, 3, 9, 9), np.float32)
    image[1, 1, 4, 4] = NAN
    x = C.input_variable((3, 9, 9))
    for filters in (1, 3, 8, 17):
        y = C.layers.Convolution2D((3, 3), filters, activation=C.relu, pad=True)(x).eval({x: image})
        assert np.isnan(y[1, :, 3:6, 3:6]).all() and np.isnan(y).sum() == 9 * filters
    for filters in (3, 6, 12):
        weights = C.parameter((filters, 1, 3, 3), init=C.glorot_uniform())
        y = C.relu(C.convolution(weights, x, auto_padding=[False, True, True], groups=3)).eval({x: image})
        assert np.isnan(y).sum() == 9 * filters // 3


def check_reductions():
    """In order, as CNTK: the numbers behind the last NaN count."""

    def largest(v):
        m = v[0]
        for a in v[1:]:
            m = m if m > a else a
        return m

    random = np.random.RandomState(0)
    for n in list(range(1, 36)) + [100, 300]:
        v = random.randint(-9, 9, n).astype(np.float32)
        v[random.rand(n) < 0.15] = NAN
        x = C.input_variable(n)
        assert np.array_equal(C.reduce_max(x).eval({x: v[None]}), [largest(v)], equal_nan=True)
        assert np.array_equal(C.reduce_min(x).eval({x: -v[None]}), [-largest(v)], equal_nan=True)
        assert np.array_equal(
            C.reduce_max(x, axis=C.Axis.all_axes()).eval({x: v.reshape(-1, 1).repeat(n, 1)}),
            largest(v.repeat(n)),
            equal_nan=True,
        )
        batch = C.input_variable(3)
        assert np.array_equal(
            C.reduce_max(batch, axis=C.Axis.default_batch_axis()).eval({batch: v[:, None].repeat(3, 1)}),
            [largest(v)] * 3,
            equal_nan=True,
        )
        best, at = v[0], 0
        for i, a in enumerate(v):
            if a > best:
                best, at = a, i
        assert C.argmax(x).eval({x: v[None]}) == at and C.hardmax(x).eval({x: v[None]})[0].tolist() == [
            float(i == at) for i in range(n)
        ]
        total = C.reduce_log_sum_exp(x).eval({x: v[None]})
        assert np.isnan(total) == np.isnan(v).any()
        either = C.as_composite(
            C._cantik.call('reduce_elements', (x,), (None, (C.Axis.all_static_axes(),), 'MaxOrNan'))
        )  # NumPy's
        assert np.array_equal(either.eval({x: v[None]}), [v.max()], equal_nan=True)


def check_log_sum_exp():
    inf = float('inf')
    for numbers, want in (
        ([inf, 1], inf),
        ([1, inf], inf),
        ([-inf, 1], 1),
        ([inf, inf], inf),
        ([-inf, -inf], -inf),
        ([inf, -inf], inf),
        ([inf, NAN], NAN),
        ([NAN, -inf], NAN),
    ):
        for padding in (0, 5, 14, 15, 16, 40):
            v = np.array(numbers + [-inf] * padding, np.float32)
            x = C.input_variable(len(v))
            assert np.array_equal(C.reduce_log_sum_exp(x).eval({x: v[None]}), [want], equal_nan=True), (
                numbers,
                padding,
            )
            batch = C.input_variable(2)
            down = C.reduce_log_sum_exp(batch, axis=C.Axis.default_batch_axis())
            assert np.array_equal(down.eval({batch: v[:, None].repeat(2, 1)}), [want] * 2, equal_nan=True), (
                numbers,
                padding,
            )


CHECKS = (check_rectifiers, check_reductions, check_log_sum_exp)


@pytest.mark.parametrize('isa', ['avx512', 'avx2', 'baseline'])
def test_on_every_instruction_set(isa):
    """In a process of its own: the instruction set is chosen once."""
    code = 'import test_special_numbers as t\nfor check in t.CHECKS: check()'
    run = subprocess.run(
        [sys.executable, '-c', code],
        cwd=os.path.dirname(__file__),
        env={**os.environ, 'CANTIK_ISA': isa},
        capture_output=True,
        text=True,
    )
    if 'is not an instruction set that Cantik knows and this processor has' in run.stderr:
        pytest.skip('the processor lacks ' + isa)
    assert run.returncode == 0, run.stderr[-2000:]


def test_in_recurrences():
    x = C.sequence.input_variable(2)
    for cell in (C.layers.RNNStep(3, activation=C.relu), C.layers.GRU(3), C.layers.LSTM(3)):
        f = C.layers.Recurrence(cell)(x)
        data = np.ones((4, 2), np.float32)
        data[1, 0] = NAN
        (y,) = f.eval({x: [data]})
        assert not np.isnan(y[0]).any() and np.isnan(y[1:]).all()


def test_a_training_that_diverges_shows_it(capsys):
    x, y = C.input_variable(4), C.input_variable(3)
    z = C.layers.Sequential([C.layers.Dense(8, activation=C.relu), C.layers.Dense(3)])(x)
    loss = C.cross_entropy_with_softmax(z, y)
    random = np.random.RandomState(0)
    feeds = {
        x: 1e6 * random.randn(20, 4).astype(np.float32),
        y: np.eye(3, dtype=np.float32)[random.randint(0, 3, 20)],
    }
    trainer = C.Trainer(z, loss, [C.sgd(z.parameters, 1e20)], [C.logging.ProgressPrinter(1)])
    for _ in range(4):
        trainer.train_minibatch(feeds)
    assert np.isnan(trainer.previous_minibatch_loss_average)
    assert 'loss = nan' in capsys.readouterr().out


def test_gradients():
    x = C.input_variable(4, needs_gradient=True)
    data = np.array([[NAN, -1, 0, 2]], np.float32)
    assert C.relu(x).grad({x: data}).tolist() == [[0, 0, 0, 1]]  # as CNTK 2.7
    assert C.clip(x, -1, 1).grad({x: data}).tolist() == [[0, 1, 1, 0]]
    assert C.reduce_max(x).grad({x: data}).tolist() == [[0, 0, 0, 1]]
