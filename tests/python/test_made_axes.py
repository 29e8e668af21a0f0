"""Steps on axes that the run itself makes: unpacked, masked, joined, over and over. The figures are those
of CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

DATA = [np.arange(1, 11, dtype=np.float32).reshape(5, 2), np.arange(1, 7, dtype=np.float32).reshape(3, 2)]


def mask(v):
    return C.alias(C.sequence.unpack(v, 0).outputs[1])


def one_step(x):
    """A step of zeros, on an axis that to_sequence makes."""
    return C.to_sequence(C.expand_dims(C.zeros_like(C.sequence.first(x)), axis=C.Axis.new_leading_axis()))


MADE = {
    'where': (lambda x: C.sequence.gather(x, C.greater(x[0], 2)), [4, 2]),
    'all of them': (lambda x: C.sequence.gather(x, C.equal(x[0], x[0])), [5, 3]),
    'slice': (lambda x: C.sequence.slice(x, 0, 2), [2, 2]),
    'to_sequence': (one_step, [1, 1]),
    'scatter': (
        lambda x: C.sequence.scatter(C.sequence.gather(x, C.greater(x[0], 2)), C.greater(x[0], 2)),
        [5, 3],
    ),
    'packed again': (
        lambda x: C.sequence.gather(
            C.to_sequence(C.sequence.unpack(x, 0).outputs[0]), C.to_sequence(C.expand_dims(mask(x), axis=-1))
        ),
        [5, 3],
    ),
}


@pytest.mark.parametrize('name', list(MADE))
def test_a_mask_alone(name):
    """It reads the lengths of a condition that is computed, and no numbers of the steps."""
    make, lengths = MADE[name]
    x = C.sequence.input_variable(2)
    found = mask(make(x)).eval({x: DATA})
    assert found.tolist() == [[float(t < n) for t in range(max(lengths))] for n in lengths]


@pytest.mark.parametrize('name', list(MADE))
def test_masks_side_by_side(name):
    make, lengths = MADE[name]
    x = C.sequence.input_variable(2)
    both = C.splice(mask(make(x)), mask(one_step(x))).eval({x: DATA})
    assert both.tolist() == [[float(t < n) for t in range(max(lengths))] + [1.0] for n in lengths]


def test_gradient_of_steps_scattered_along_another_axis():
    """The operand's axis is neither that of the condition nor that of the places that it holds."""
    x = C.sequence.input_variable(2, needs_gradient=True, sequence_axis=C.Axis('short'))
    holds = C.sequence.input_variable(1, sequence_axis=C.Axis('long'))
    steps = C.sequence.scatter(x, holds)
    short = [np.arange(4, dtype=np.float32).reshape(2, 2), np.arange(2, dtype=np.float32).reshape(1, 2)]
    long = [np.float32([[1], [0], [1]]), np.float32([[0], [1]])]
    both = steps + C.sequence.broadcast_as(C.sequence.last(x), steps)
    found = both.grad({x: short, holds: long}, [x])
    assert [g.tolist() for g in found] == [[[1, 1], [4, 4]], [[3, 3]]]


def join(a, b):
    """b behind a."""

    @C.BlockFunction('Join', '')
    def joined(x, y):
        (u, p), (v, q) = (C.sequence.unpack(s, 0).outputs for s in (x, y))
        steps = C.to_sequence(C.splice(u, v, axis=0))
        return C.sequence.gather(steps, C.to_sequence(C.expand_dims(C.splice(p, q), axis=-1)))

    return joined(a, b)


def test_joined_sequences():
    x = C.sequence.input_variable(2)
    zero = np.zeros((1, 2), np.float32)
    found = join(join(one_step(x), x), one_step(x)).eval({x: DATA})
    for steps, given in zip(found, DATA):
        np.testing.assert_array_equal(steps, np.concatenate([zero, given, zero]))
    found = join(x, join(join(x, x), one_step(x))).eval({x: DATA})
    for steps, given in zip(found, DATA):
        np.testing.assert_array_equal(steps, np.concatenate([given, given, given, zero]))


def test_inside_a_block():
    """The maker of an axis stands outside of the block that asks for its steps, or in another one."""
    x = C.sequence.input_variable(2)

    @C.BlockFunction('Pad', '')
    def pad(s):
        return join(join(one_step(s), s), one_step(s))

    found = C.sequence.reduce_sum(C.sequence.broadcast_as(1, pad(pad(x)))).eval({x: DATA})
    assert found.ravel().tolist() == [9, 7]


def test_gradients_and_training():
    x = C.sequence.input_variable(2, needs_gradient=True)
    padded = join(join(one_step(x), x), one_step(x))
    dx = C.sequence.reduce_sum(C.reduce_sum(padded * padded)).grad({x: DATA}, wrt=[x])
    for d, given in zip(dx, DATA):
        np.testing.assert_allclose(d, 2 * given)
    y = C.input_variable(1)
    z = C.layers.Dense(1, init=0.1)(C.sequence.last(C.layers.Recurrence(C.layers.GRU(3))(padded)))
    trainer = C.Trainer(z, (C.squared_error(z, y),), [C.sgd(z.parameters, 0.1)])
    losses = []
    for _ in range(20):
        trainer.train_minibatch({x: DATA, y: np.array([[1], [0]], np.float32)})
        losses.append(trainer.previous_minibatch_loss_average)
    assert losses[-1] < losses[0]


def test_as_often_as_one_likes():
    """Each length is found once in a run, so the time of a chain does not double with each link."""
    x = C.sequence.input_variable(2)
    f = x
    for _ in range(40):
        f = join(f, x)
    assert [len(s) for s in f.eval({x: [s[:1] for s in DATA]})] == [41, 41]
