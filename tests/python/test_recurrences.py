"""Recurrent layers as graphs: structure, parameters, types, errors, clones, lifetimes."""

import gc
import json
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'
sys.path.insert(0, str(GOLDEN))
import recurrence_cntk as cases

EXPECTED = json.loads((GOLDEN / 'recurrence_golden.json').read_text())


def sequence(dim, name='x', **options):
    return C.sequence.input_variable(dim, name=name, **options)


@pytest.mark.parametrize('name', sorted(cases.CASES))
def test_graphs_are_those_of_cntk(name):
    assert cases.C.Function is C.Function
    got, want = cases.run(cases.CASES[name]), EXPECTED[name]
    assert got['graph'] == want['graph']
    assert got['parameters'] == want['parameters']
    for (name, *sums), (of, *expected) in zip(got['values'], want['values']):
        assert name == of and np.allclose(sums, expected, rtol=2e-4, atol=1e-6)


def test_first_values_of_an_lstm():
    # CNTK 2.7, set_fixed_random_seed(1), Recurrence(LSTM(3)) of a sequence of vectors of 2.
    C.cntk_py.set_fixed_random_seed(1)
    try:
        z = C.layers.Recurrence(C.layers.LSTM(3))(sequence(2))
        assert np.allclose(
            z.W.value[0, :3], [-0.4793680012226105, -0.47605493664741516, -0.06387468427419662], atol=1e-7
        )
        assert np.allclose(
            z.H.value[2, -3:], [-0.12855225801467896, -0.39167070388793945, 0.12268467247486115], atol=1e-7
        )
        assert np.array_equal(z.b.value, np.zeros(12))
    finally:
        C.cntk_py.reset_random_seed(0)


def test_several_states_of_a_python_step():
    z = C.layers.Recurrence(lambda a, b, x: (a + b, b * 0.5 + x), return_full_state=True)(sequence(3))
    assert [o.shape for o in z.outputs] == [(3,), (3,)]
    assert all(len(o.dynamic_axes) == 2 for o in z.outputs)
    assert str(z) == 'Composite(x: Sequence[Tensor[3]]) -> Tuple[Sequence[Tensor[3]], Sequence[Tensor[3]]]'


def test_a_layer_shares_its_parameters_and_a_clone_does_not():
    layer = C.layers.Recurrence(C.layers.GRU(4))
    a, b = layer(sequence(3, 'a')), layer(sequence(3, 'b'))
    assert set(a.parameters) == set(b.parameters)
    copy = a.clone('clone', {a.arguments[0]: sequence(3, 'c')})
    assert not set(copy.parameters) & set(a.parameters)
    assert [p.shape for p in copy.parameters] == [p.shape for p in a.parameters]
    assert copy.shape == (4,) and copy.arguments[0].name == 'c'
    frozen = a.clone('freeze')
    assert not frozen.parameters and len(frozen.constants) == len(a.parameters) + len(a.constants)


def test_types_inside_a_loop():
    # A step that begins with the state alone: its shape comes from what the loop adds.
    dense = C.layers.Dense(5)
    z = C.layers.Recurrence(lambda h, x: dense(C.splice(h, x)))(sequence(3))
    assert z.shape == (5,) and dense.W.shape == (8, 5)
    # The state's shape comes from the initial state.
    H = C.parameter((4, 4))
    z = C.layers.RecurrenceFrom(lambda h, x: C.tanh(C.times(h, H)) + C.reduce_sum(x))(
        C.input_variable(4), sequence(3)
    )
    assert z.shape == (4,)
    # A composite operator, whose body waits for the shape.
    assert C.layers.Recurrence(lambda h, x: C.softmax(h + x))(sequence(3)).shape == (3,)
    # In float64.
    with C.default_options(dtype=np.float64):
        z = C.layers.Recurrence(C.layers.LSTM(2))(sequence(3, dtype=np.float64))
    assert z.dtype == np.float64 and z.W.dtype == np.float64
    # A state over a matrix: the axes in front stay.
    w = C.parameter((C.InferredDimension, 2))
    assert C.layers.Recurrence(lambda h, x: C.tanh(h + C.times(x, w)))(sequence((4, 3))).shape == (
        4,
        2,
    ) or w.shape == (12, 2)


def test_a_state_that_grows_is_an_error():
    with pytest.raises(RuntimeError, match='grows with every step'):
        C.layers.Recurrence(lambda h, x: C.splice(h, x))(sequence(3))


def test_loops_by_hand():
    x, p = sequence(3), C.placeholder(name='p')
    z = C.tanh(C.sequence.past_value(p) + x, name='state')
    z.replace_placeholders({p: z.output})
    assert repr(z) == "Composite(Tanh): Input('x', [#, *], [3]) -> Output('state', [#, *], [3])"
    assert z.arguments == (x,)
    assert z.find_by_name('state').shape == (3,)
    names = [f.op_name for f in C.logging.graph.depth_first_search(z, lambda n: isinstance(n, C.Function))]
    assert names == ['Tanh', 'Plus', 'PastValue']
    assert C.logging.plot(z).count('->') == 3
    # Two loops, one in the other.
    p, q = C.placeholder(name='p'), C.placeholder(name='q')
    inner = C.sequence.past_value(q) + C.sequence.past_value(p, time_step=2) + x
    z = C.tanh(inner)
    z.replace_placeholders({p: z.output, q: inner.output})
    assert z.shape == (3,) and not z.placeholders


def test_forward_declarations_close_loops():
    x = sequence(2)
    state = C.layers.ForwardDeclaration('state')
    z = C.sequence.past_value(state) * 0.5 + x
    state.resolve_to(z)
    assert z.shape == (2,) and not z.placeholders


def test_loops_without_order_are_errors():
    x, p = sequence(3), C.placeholder(name='p')
    z = C.tanh(p + x)
    with pytest.raises(ValueError, match='depends on itself: the loop has no delay') as e:
        z.replace_placeholders({p: z.output})
    assert 'sequence.past_value' in str(e.value) and 'test_recurrences.py' in str(e.value)
    assert z.placeholders == (p,)  # as it was
    w = C.sequence.past_value(p) + C.sequence.future_value(p) + x
    with pytest.raises(ValueError, match='contains past_value and future_value'):
        w.replace_placeholders({p: w.output})
    # One forward, one backward, joined: no loop has both.
    both = C.layers.Recurrence(C.plus)(x) + C.layers.Recurrence(C.plus, go_backwards=True)(x)
    assert both.shape == (3,)


@pytest.mark.parametrize('layer', ['Recurrence', 'RecurrenceFrom', 'Fold'])
def test_steps_of_the_wrong_arity(layer):
    make = getattr(C.layers, layer)
    for step in (lambda x: x, lambda h, c, x: h + c + x, C.layers.Dense(3), lambda h, x: (h, x)):
        with pytest.raises(TypeError, match='takes its states and the input') as e:
            make(step)
        assert 'step(h, x) -> h' in str(e.value)
    with pytest.raises(TypeError, match='a function of variables'):
        make(3)
    with pytest.raises(TypeError, match='unused arguments'):
        make(lambda h, x: h)


def test_steps_make_no_parameters():
    with pytest.raises(TypeError, match='make parameters and layers outside'):
        C.layers.Recurrence(lambda h, x: C.layers.Dense(3)(x) + h)
    with pytest.raises(ValueError, match='may have 10 states, not 11'):
        C.layers.Recurrence(lambda a, b, c, d, e, f, g, h, i, j, k, x: (a + x, b, c, d, e, f, g, h, i, j, k))


def test_an_element_type_that_only_constants_know():
    z = C.layers.UnfoldFrom(lambda s: s * 2)(C.constant(1), sequence(1))
    assert z.dtype == np.float32 and z.shape == ()


def test_wrong_options():
    with pytest.raises(TypeError, match='the step has 2 states, but 3 initial states'):
        C.layers.Recurrence(C.layers.LSTM(5), initial_state=(1, 2, 3))
    with pytest.raises(ValueError, match='a vector of one dimension'):
        C.layers.LSTM((2, 5))
    with pytest.raises(ValueError, match='must be positive'):
        C.layers.GRU(0)
    with pytest.raises(TypeError):
        C.layers.LSTM(3, activation=None)
    with pytest.raises(TypeError, match='missing arguments'):
        b = C.input_variable(3, name='b')
        C.layers.Recurrence(lambda h, x: h + x + b)
    with pytest.raises(RuntimeError, match='without a sequence axis'):
        C.layers.Recurrence(C.layers.GRU(5))(C.input_variable(3))


def test_options_of_a_block_of_code():
    with C.default_options(go_backwards=True, initial_state=0.5, enable_self_stabilization=True):
        z = C.layers.Recurrence(C.layers.LSTM(2))(sequence(3))
    assert 'alpha' in [p.name for p in z.parameters]
    delays = list(
        C.logging.graph.depth_first_search(z, lambda n: getattr(n, 'op_name', '') == 'FutureValue', -1)
    )
    assert len(delays) == 2
    assert z.root_function.inputs[0].owner.op_name == 'LSTM'


def test_functions_inside_functions_use_what_is_outside():
    cell, dense = C.layers.LSTM(3), C.layers.Dense(3)

    @C.Function
    def decoder(history, source):
        seen = dense(source)

        @C.Function
        def step(dh, dc, x):
            return cell(dh, dc, C.splice(x, seen))

        return C.layers.Recurrence(step)(history)

    assert [a.name for a in decoder.arguments] == ['history', 'source']
    z = decoder(sequence(2, 'history'), sequence(4, 'source'))
    assert z.shape == (3,) and cell.W.shape == (5, 12) and dense.W.shape == (4, 3)
    assert [a.name for a in z.arguments] == ['history', 'source']
    p = C.placeholder(name='p')
    with pytest.raises(TypeError, match=r'1 missing arguments \(p\)'):
        C.Function(lambda x: x + p)


def test_loops_live_as_long_as_their_results():
    z = C.layers.Recurrence(C.layers.LSTM(3), go_backwards=True)(sequence(2))
    state = z.root_function.inputs[0]
    delayed = state.owner.inputs[3]
    assert delayed.owner.op_name == 'FutureValue'
    del z, state
    gc.collect()
    assert delayed.owner.inputs[0].owner.op_name == 'LSTM'
    again = C.combine([delayed * 2])
    assert {p.name for p in again.parameters} == {'W', 'H', 'b'}


def test_loops_are_freed():
    def parameter_of_a_recurrence():
        np.zeros((3, 12), np.float32)
        z = C.layers.Recurrence(C.layers.LSTM(3, init=0.1), return_full_state=True)(sequence(3))
        y = C.layers.Fold(C.layers.GRU(2))(z.outputs[0])
        return weakref.ref(y), y

    held = C._cantik.memory_in_use()
    for _ in range(20):
        _ref, y = parameter_of_a_recurrence()
        [p.value for p in y.parameters]
        del y
    gc.collect()
    assert C._cantik.memory_in_use() == held


STATES = {
    'past_value': lambda state, x: C.sequence.past_value(x, initial_state=state),
    'future_value': lambda state, x: C.sequence.future_value(x, initial_state=state),
    'delay': lambda state, x: C.sequence.delay(x, state, 2),
    'Delay': lambda state, x: C.layers.Delay(1, initial_state=state)(x),
    'Recurrence': lambda state, x: C.layers.Recurrence(C.plus, initial_state=state)(x),
    'Fold': lambda state, x: C.layers.Fold(C.plus, initial_state=state)(x),
    'RecurrenceFrom': lambda state, x: C.layers.RecurrenceFrom(C.plus)(state, x),
}


@pytest.mark.parametrize(
    'shape, found', [((-1,), (4,)), ((-1, -1), (3, 4)), ((-1, 1), (3, 1)), ((3, -1), (3, 4))]
)
@pytest.mark.parametrize('name', list(STATES))
def test_learned_initial_states_have_the_shape_of_the_steps(name, shape, found):
    """As in CNTK 2.7, where the steps are known at once or later."""
    x = C.sequence.input_variable((3, 4))
    state, later = (C.Parameter(shape, init=0.5) for _ in range(2))
    STATES[name](state, x)
    assert state.shape == found
    place = C.placeholder()
    y = STATES[name](later, place)
    assert later.shape == shape
    y = y.replace_placeholders({place: x})
    assert later.shape == found and y.shape == (3, 4)
    assert np.asarray(y.eval({x: [np.zeros((2, 3, 4), np.float32)]})[0]).max() == 0.5


def test_learned_initial_states_of_a_cell():
    """They learn, and both directions of one cell have their own."""
    x, y = C.sequence.input_variable(4), C.input_variable(6)
    cell = C.layers.LSTM(3)
    ahead, back = ([C.Parameter((-1,), init=C.glorot_normal()) for _ in range(2)] for _ in range(2))
    z = C.splice(
        C.layers.Fold(cell, initial_state=tuple(ahead))(x),
        C.layers.Fold(cell, initial_state=tuple(back), go_backwards=True)(x),
    )
    assert [p.shape for p in ahead + back] == [(3,)] * 4
    before = [p.value.copy() for p in ahead + back]
    trainer = C.Trainer(z, (C.squared_error(z, y),), [C.sgd(z.parameters, 0.5)])
    trainer.train_minibatch({x: [np.ones((2, 4), np.float32)], y: np.ones((1, 6), np.float32)})
    assert all((p.value != was).any() for p, was in zip(ahead + back, before))


@pytest.mark.parametrize('seed', [lambda x: x, C.ones_like, lambda x: x[0:1], C.exp])
def test_shape_and_axes_before_the_element_type(seed):
    """A placeholder has axes and no element type: what reads the recurrence is shaped all the same, and a
    parameter made for it has its dimensions (CNTK)."""
    axes = C.Axis.default_batch_axis(), C.Axis.default_dynamic_axis()
    x = seed(C.placeholder(4, axes))
    state = C.layers.Recurrence(C.plus, return_full_state=True)(x)
    assert state.shape == x.shape
    assert state.dynamic_axes == axes
    assert C.parameter(state.shape).shape == x.shape
