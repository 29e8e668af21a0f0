"""Recurrences live as long as anything of them is held, whoever closed them, and are gone with the last
handle."""

import gc
import os

import numpy as np
import pytest

import cantik as C

STEPS = np.arange(6, dtype=np.float32).reshape(3, 2) / 4
BOTH = [[0.46211717, 0.47406650], [0.81927949, 0.83995163], [0.92864776, 0.93678552]]  # CNTK 2.7
SECOND = [[0.5, 0.51530266], [0.67503756, 0.73928750], [0.82023251, 0.86894011]]


def two_states():
    """A state and another one that reads it, both still open."""
    x = C.sequence.input_variable(2, name='x')
    p, q = C.placeholder(name='p'), C.placeholder(name='q')
    h = C.tanh(x + 0.5 * C.sequence.past_value(p))
    c = C.sigmoid(h * x + C.sequence.past_value(q))
    return x, p, q, h, c


def test_a_second_state_keeps_the_first_ones_edges():
    x, p, q, h, c = two_states()
    h2 = h.replace_placeholders({p: h.output})
    c2 = c.replace_placeholders({q: c.output})
    del h, h2, c, p, q
    gc.collect()
    assert [a.name for a in c2.arguments] == ['x']
    assert np.allclose(c2.eval({x: [STEPS]})[0], SECOND, atol=1e-6)


def open_states():
    x, p, q, _h, c = two_states()
    third = C.tanh(c + C.sequence.past_value(p))
    return x, p, q, third, c


def test_states_that_read_each_other():
    x, p, q, third, c = open_states()
    both = C.combine([third, c])
    both.replace_placeholders({p: third.output, q: c.output})
    output = both.outputs[0]
    del both, third, c, p, q
    gc.collect()
    assert np.allclose(C.combine([output]).eval({x: [STEPS]})[0], BOTH, atol=1e-6)


def recurrence():
    x = C.sequence.input_variable(2, name='x')
    p = C.placeholder()
    inner = C.plus(x, C.sequence.past_value(p), name='inner')
    y = C.tanh(inner, name='outer')
    return x, p, inner, y


WANT = [np.tanh(STEPS[0]), np.tanh(STEPS[1] + np.tanh(STEPS[0]))]
WANT = np.array(WANT + [np.tanh(STEPS[2] + WANT[1])])
SUM = np.array([STEPS[0], STEPS[1] + WANT[0], STEPS[2] + WANT[1]])


# What may be left of a recurrence: each is a handle on some part of it, and keeps it whole.
LEFT = {
    'its function': (lambda y: y, WANT),
    'its output': (lambda y: y.output, WANT),
    'its root': (lambda y: y.root_function, WANT),
    'a variable of its root': (lambda y: y.root_function.inputs[0], SUM),
    'a function inside': (lambda y: y.find_by_name('inner'), SUM),
    'the owner of an operand': (lambda y: y.root_function.inputs[0].owner, SUM),
    'a composite around it': (lambda y: C.combine([y]), WANT),
    'another network': (lambda y: C.alias(y), WANT),
    'a clone': (lambda y: y.clone('share', {y.arguments[0]: y.arguments[0]}), WANT),
    'its composite again': (lambda y: C.as_composite(y.root_function), WANT),
}


@pytest.mark.parametrize('what', LEFT)
def test_any_handle_keeps_all_of_it(what):
    _x, p, inner, y = recurrence()
    y.replace_placeholders({p: y.output})
    take, want = LEFT[what]
    left = take(y)
    del p, inner, y
    gc.collect()
    f = (
        left
        if isinstance(left, C.Function) and not left.is_primitive
        else C.combine([left.output if isinstance(left, C.Function) else left])
    )
    assert np.allclose(f.eval({f.arguments[0]: [STEPS]})[0], want, atol=1e-6)


def test_handles_made_before_it_was_closed():
    for which in ('inner', 'outer', 'variable'):
        x, p, inner, y = recurrence()
        early = {'inner': inner, 'outer': y, 'variable': y.root_function.inputs[0]}[which]
        C.combine([y]).replace_placeholders({p: y.output})
        del p, inner, y
        gc.collect()
        f = C.combine([early.output if isinstance(early, C.Function) else early])
        assert np.allclose(f.eval({x: [STEPS]})[0], WANT if which == 'outer' else SUM, atol=1e-6)


def test_a_loop_that_grows():
    """A closed recurrence becomes a part of a larger one."""
    x = C.sequence.input_variable(2)
    p, q = C.placeholder(), C.placeholder()
    inside = C.tanh(x + C.sequence.past_value(p) + C.sequence.past_value(q))
    outer = C.sigmoid(inside)
    first = inside.replace_placeholders({p: inside.output})
    outer.replace_placeholders({q: outer.output})
    early = first.output
    del inside, outer, first, p, q
    gc.collect()
    got = C.combine([early]).eval({x: [STEPS]})[0]
    h, o, want = np.zeros(2), np.zeros(2), []
    for s in STEPS:
        h = np.tanh(s + h + o)
        o = 1 / (1 + np.exp(-h))
        want.append(h)
    assert np.allclose(got, want, atol=1e-6)


def test_loops_through_blocks():
    x = C.sequence.input_variable(2)
    p, inside = C.placeholder(), C.placeholder()
    step = C.as_block(C.tanh(inside), [(inside, x + C.sequence.past_value(p))], 'Step', 'step')
    step.replace_placeholders({p: step.output})
    root = step.root_function
    del step, p, inside
    gc.collect()
    assert np.allclose(C.combine([root.output]).eval({x: [STEPS]})[0], WANT, atol=1e-6)
    inner = root.block_root
    del root
    gc.collect()
    assert np.allclose(C.combine([inner.output]).eval({x: [STEPS]})[0], WANT, atol=1e-6)


def test_a_loop_that_is_refused_leaves_its_parts():
    x = C.sequence.input_variable(2)
    p = C.placeholder()
    y = C.tanh(x + p)
    with pytest.raises(ValueError, match='has no delay'):
        y.replace_placeholders({p: y.output})
    assert p in y.arguments
    y.replace_placeholders({p: x})
    assert np.allclose(y.eval({x: [STEPS]})[0], np.tanh(2 * STEPS), atol=1e-6)


# ---- nothing is left behind


class Twice(C.ops.functions.UserFunction):
    def __init__(self, arg, name='twice'):
        super().__init__([arg], name=name)

    def forward(self, argument, device=None, outputs_to_retain=None):
        return None, [2 * steps for steps in argument] if isinstance(
            argument, list
        ) else 2 * argument  # a list outside of recurrences

    def backward(self, state, root_gradients):
        return root_gradients * 2

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    @staticmethod
    def deserialize(inputs, name, state):
        return Twice(inputs[0], name)


def plain():
    _x, p, _inner, y = recurrence()
    y.replace_placeholders({p: y.output})
    return y


def layer():
    return C.layers.Recurrence(C.layers.LSTM(2))(C.sequence.input_variable(2))


def several():
    _x, p, q, third, c = open_states()
    C.combine([third, c]).replace_placeholders({p: third.output, q: c.output})
    return c


def with_user_function():
    x, p = C.sequence.input_variable(2), C.placeholder()
    y = C.user_function(Twice(x + C.sequence.past_value(p)))
    y.replace_placeholders({p: y.output})
    return y


def through_a_block():
    x, p, inside = C.sequence.input_variable(2), C.placeholder(), C.placeholder()
    y = C.as_block(C.tanh(inside), [(inside, x + C.sequence.past_value(p))], 'Step', 'step')
    return y.replace_placeholders({p: y.output})


def refused():
    x, p = C.sequence.input_variable(2), C.placeholder()
    y = C.times(x + C.sequence.past_value(p), C.parameter((2, 3)))
    with pytest.raises(ValueError):
        y.replace_placeholders({p: y.output})
    return y


def inside_evaluated():
    y = through_a_block()
    return C.combine([y.root_function.block_root.output]).eval({y.arguments[0]: [STEPS]})


BYTES = plain().__reduce__()[1][0]
MAKERS = {
    'plain': (plain, 10000),
    'layer': (layer, 500),
    'several': (several, 2000),
    'a clone': (lambda: plain().clone('clone'), 2000),
    'through a block': (through_a_block, 2000),
    'with a user function': (with_user_function, 1000),
    'refused': (refused, 1000),
    'evaluated': (lambda: plain().eval([STEPS]), 1000),
    'its inside evaluated': (inside_evaluated, 500),
    'a file': (lambda: C.load_model(BYTES), 1000),
}


def resident():
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


@pytest.mark.alone
@pytest.mark.parametrize('what', MAKERS)
def test_recurrences_made_and_dropped_leave_nothing(what):
    make, count = MAKERS[what]
    for _ in range(count // 5 + 100):
        make()
    gc.collect()
    early = resident()
    for _ in range(count):
        make()
    gc.collect()
    assert resident() - early < max(1 << 20, count * 100)  # a node is several hundred bytes


def test_a_user_function_outlives_its_network():
    x = C.sequence.input_variable(2)
    own = Twice(x)
    y = C.user_function(own) + 1
    del y
    assert np.allclose(C.as_composite(own).eval({x: [STEPS]})[0], 2 * STEPS)
    p = C.placeholder()
    own = Twice(x + C.sequence.past_value(p))
    y = C.user_function(own)
    y.replace_placeholders({p: y.output})
    assert np.allclose(y.eval({x: [STEPS]})[0][1], 2 * (STEPS[1] + 2 * STEPS[0]))
    del y, p
    gc.collect()
    with pytest.raises(ValueError, match='recurrence around .* no longer exists'):
        own.inputs
