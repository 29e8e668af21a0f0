"""forward and backward apart: what forward gives where nothing is to be differentiated, what backward
refuses."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import cantik as C
from cantik import _cantik

DATA = np.array([[1, 2], [3, 4]], np.float32)
ONES = np.ones((2, 2), np.float32)


def test_values_without_anything_to_differentiate():
    x = C.input_variable(2, name='x')
    f = C.combine([(x * 2).output])
    state, values = f.forward({x: DATA}, f.outputs, (f.outputs[0],))
    assert np.array_equal(values[f.outputs[0]], 2 * DATA)
    with pytest.raises(ValueError, match='the gradient of .*x.* is not computed'):
        f.backward(state, {f.outputs[0]: ONES}, {x})
    with pytest.raises(ValueError):
        f.backward(state, {f.outputs[0]: ONES}, set())


# Each reads nothing that a gradient could be taken for.
CASES = {
    'inputs': lambda x: x * 2,
    'constants': lambda x: x + C.constant([1.0, 2.0]) * 3,
    'several outputs': lambda x: C.combine([x * 2, x + 1]),
    'a block': lambda x: C.softmax(x),
    'places': lambda x: C.argmax(x),
    'drawn': lambda x: C.dropout(x, 0.5, seed=3),
    'no input': lambda x: C.constant([1.0, 2.0]) * 3,
    'a sequence': lambda x: C.sequence.past_value(C.to_sequence(C.expand_dims(x, 0))),
}


@pytest.mark.parametrize('what', CASES)
def test_all_kinds_of_functions(what):
    x = C.input_variable(2)
    f = C.as_composite(CASES[what](x))
    feeds = {x: DATA} if f.arguments else {}
    state, values = f.forward(feeds, f.outputs, f.outputs)
    assert state is not None and list(values) == list(f.outputs)
    if what != 'drawn':
        plain = f.eval(feeds)
        for output in f.outputs:
            want = plain if len(f.outputs) == 1 else plain[output]
            assert np.array_equal(np.asarray(values[output]), np.asarray(want))
    for v in f.inputs:
        with pytest.raises(ValueError, match='the gradient of .* is not computed'):
            f.backward(state, {o: np.ones_like(np.asarray(values[o])) for o in f.outputs}, {v})


def test_forward_runs_as_in_training():
    x = C.input_variable(50)
    f = C.dropout(x, 0.5, seed=3)
    _, values = f.forward({x: np.ones((1, 50), np.float32)}, f.outputs, f.outputs)
    assert set(np.unique(values[f.output])) == {0, 2}


def test_state_is_kept_only_when_asked_for():
    x, w = C.input_variable(2), C.parameter(2, init=3)
    f = x * w
    state, values = f.forward({x: DATA}, f.outputs)
    assert state is None and np.array_equal(values[f.output], 3 * DATA)
    with pytest.raises((ValueError, TypeError)):
        f.backward(state, {f.output: ONES}, {w})


def test_gradients_that_are_zero():
    x, w = C.input_variable(2), C.parameter(2, init=3)
    for f, seed in ((C.argmax(x * w), np.ones((2,), np.float32)), (C.stop_gradient(x * w), ONES)):
        state, _ = f.forward({x: DATA}, f.outputs, f.outputs)
        assert np.array_equal(f.backward(state, {f.output: seed}, {w})[w], [0, 0])


def dense(x):
    return C.tanh(C.times(x, C.parameter((2, 2), init=C.glorot_uniform())))


# The function, and samples of the shape (2, 2) or of as many sequences of such.
COMPILED = {
    'fixed shapes': (lambda: C.input_variable(2, needs_gradient=True), dense, DATA),
    'a free dimension': (
        lambda: C.input_variable((C.FreeDimension, 2), needs_gradient=True),
        dense,
        np.ones((2, 3, 2), np.float32),
    ),
    'a recurrence': (
        lambda: C.sequence.input_variable(2, needs_gradient=True),
        lambda x: C.layers.Recurrence(C.layers.GRU(2))(x),
        [DATA, DATA[:1]],
    ),
    'steps as an axis': (
        lambda: C.sequence.input_variable(2, needs_gradient=True),
        lambda x: C.reduce_sum(dense(C.sequence.unpack(x, 0, no_mask_output=True)), axis=0),
        [DATA, DATA[:1]],
    ),
    'drawn': (
        lambda: C.input_variable(2, needs_gradient=True),
        lambda x: C.dropout(dense(x), 0.5, seed=3),
        DATA,
    ),
    'several roots': (
        lambda: C.input_variable(2, needs_gradient=True),
        lambda x: C.combine([dense(x), dense(x) + x]),
        DATA,
    ),
}


def forward_and_backward(f, data):
    state, values = f.forward({f.arguments[0]: data}, f.outputs, set(f.outputs), as_numpy=False)
    ones = {out: C.Value(v.data) if not out.dynamic_axes else v for out, v in values.items()}
    gradients = f.backward(state, ones, {f.arguments[0], *f.parameters})
    return values, gradients


def test_roots_in_any_order_are_one_plan():
    x = C.input_variable(2, needs_gradient=True)
    f = C.as_composite(C.combine([dense(x), dense(x) + x]))
    first, second = f.outputs
    f.forward({x: DATA}, f.outputs, [first, second])
    compiled = _cantik.plans_compiled()
    state, values = f.forward({x: DATA}, f.outputs, [second, first], as_numpy=False)
    assert _cantik.plans_compiled() == compiled
    ones = {first: np.ones_like(values[first].asarray()), second: np.zeros_like(values[second].asarray())}
    gradients = f.backward(state, ones, {x})
    assert np.array_equal(gradients[x], f.grad({x: DATA}, [x], grad_root=first))


@pytest.mark.parametrize('what', COMPILED)
def test_a_clone_compiles_nothing(what):
    make_input, make, data = COMPILED[what]
    f = C.as_composite(make(make_input()))
    forward_and_backward(f, data)
    counts = _cantik.plans_compiled(), _cantik.programs_made()
    for _ in range(2):
        again = f.clone(C.CloneMethod.clone, {f.arguments[0]: make_input()})
        forward_and_backward(again, data)
        assert (_cantik.plans_compiled(), _cantik.programs_made()) == counts
    x = make_input()
    forward_and_backward(C.as_composite(make(x * 2)), data)
    assert _cantik.plans_compiled() > counts[0]  # the counter does count


def test_one_gradient_of_several_is_a_part_of_the_same():
    x = C.input_variable(2, needs_gradient=True)
    w = C.parameter((2, 2), init=C.glorot_uniform())
    f = C.tanh(C.times(x, w))
    state, _ = f.forward({x: DATA}, f.outputs, set(f.outputs))
    both = f.backward(state, {f.output: ONES}, {x, w})
    for v in (x, w):
        assert np.array_equal(f.backward(state, {f.output: ONES}, {v})[v], both[v])


def test_gradients_of_roots_are_checked():
    x = C.input_variable((C.FreeDimension, 2), needs_gradient=True)
    f = C.combine([dense(x), x * x])
    state, _ = f.forward({x: np.ones((2, 3, 2))}, f.outputs, set(f.outputs))
    right = np.ones((2, 3, 2), np.float32)
    with pytest.raises(ValueError, match='no gradient was given for the root'):
        f.backward(state, {f.outputs[0]: right}, {x})
    with pytest.raises(ValueError, match='trailing dimensions'):
        f.backward(state, {f.outputs[0]: right, f.outputs[1]: np.ones((2, 4, 2), np.float32)}, {x})
    with pytest.raises(ValueError, match='different numbers of samples'):
        f.backward(state, {f.outputs[0]: right, f.outputs[1]: np.ones((3, 3, 2), np.float32)}, {x})


def test_the_state_keeps_the_sizes_of_its_forward_run():
    """Lengths that the run makes follow from a parameter: backward asks for none of them again."""
    x = C.sequence.input_variable(2, needs_gradient=True)
    keep = C.parameter((2, 1), init=1)
    kept = C.sequence.gather(x, C.greater(C.times(x, keep), 0))
    f = C.reduce_sum(C.sequence.unpack(kept * kept, 0, no_mask_output=True))
    data = [np.array([[1, 2], [3, 4], [5, 6]], np.float32)]
    state, _ = f.forward({x: data}, f.outputs, set(f.outputs))
    keep.value = np.full((2, 1), -1, np.float32)
    gradient = f.backward(state, {f.output: np.ones(1, np.float32)}, {x})[x]
    assert np.array_equal(gradient[0], 2 * data[0])


def test_results_have_the_keys_that_were_given():
    """As in CNTK: an output that is named by its function is found by the function, one that is named by its
    variable by the variable."""
    x, y = C.input_variable(2, needs_gradient=True), C.input_variable(2)
    z = C.layers.Dense(2)(x)
    doubled = z * 2
    both = C.combine([z, doubled])
    for keys in ([z, doubled], [z.output, doubled], (z, doubled.output), [z.output, doubled.output]):
        values = both.eval({x: DATA}, outputs=keys)
        assert list(values) == list(keys)
        assert np.array_equal(values[keys[1]], 2 * values[keys[0]])
        assert list(both.forward({x: DATA}, keys)[1]) == list(keys)
        assert list(doubled.grad({x: DATA}, wrt=[x], outputs=keys, grad_root=doubled)[1]) == list(keys)
    assert list(both.eval({x: DATA})) == list(both.outputs)
    assert set(both.eval({x: DATA}, outputs={z, doubled})) == {z, doubled}

    loss = C.squared_error(z, y)
    trainer = C.Trainer(z, (loss, loss), [C.sgd(z.parameters, C.learning_parameter_schedule(0.1))])
    for keys in ([z], [loss, z.output], [z.output]):
        before = z.eval({x: DATA})
        updated, values = trainer.train_minibatch({x: DATA, y: ONES}, outputs=keys)
        assert updated and list(values) == list(keys)
        assert np.array_equal(values[keys[-1]], before)
    wanted = {z: None, loss.output: None}
    trainer.train_minibatch_overload_for_minibatchdata({x: DATA, y: ONES}, wanted, None)
    assert all(value is not None for value in wanted.values()) and len(wanted) == 2


def test_functions_without_arguments_take_none():
    w = C.parameter(2, init=2)
    np.testing.assert_array_equal((w * w).grad(None, [w]), [4, 4])
    f = w + 1
    state, values = f.forward(None)
    assert state is None
    np.testing.assert_array_equal(values[f.output], [3, 3])
    np.testing.assert_array_equal(f.eval(None), [3, 3])


def test_a_state_knows_its_function_and_device():
    x = C.input_variable(2, needs_gradient=True)
    f = x * x
    state, _ = f.forward({x: [[1, 2]]}, [f.output], {f.output})
    assert state.device() == C.cpu() and state.function().output == f.output


def ones(*shape):
    return np.ones(shape, np.float32)


@pytest.mark.parametrize('form', ['batch', 'sequence', 'rows'])
def test_backward_reads_what_forward_was_given(form):
    """Not what the caller has written into the arrays since."""
    P = C.parameter((3, 2), init=1.0)
    data = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    if form == 'batch':
        x, given = C.input_variable(3), data
    elif form == 'sequence':
        x, given = C.sequence.input_variable(3), [data]
    else:
        x, given = C.input_variable(3, is_sparse=True), csr_matrix(data)
    f = C.times(x, P)
    state, _ = f.forward({x: given}, [f.output], {f.output})
    (given.data if form == 'rows' else data)[:] = 0
    roots = ones(2, 2) if form != 'sequence' else [ones(2, 2)]
    gradient = f.backward(state, {f.output: roots}, {P})[P]
    np.testing.assert_array_equal(gradient, np.repeat([[5.0], [7.0], [9.0]], 2, axis=1))


def test_a_gradient_wants_all_inputs_of_its_function(recwarn):
    """Those too that it need not read."""
    v, n = (C.input_variable(2, needs_gradient=True, name=name) for name in 'vn')
    s, t = (C.sequence.input_variable(2, needs_gradient=True, name=name) for name in 'st')
    p = C.parameter(1, init=1)
    product = v * n
    np.testing.assert_array_equal(product.grad({v: ones(3, 2), n: 2 * ones(3, 2)}, [v]), 2 * ones(3, 2))
    assert not [w for w in recwarn if 'extra arguments' in str(w.message)]
    wrong = {
        'different numbers of samples': lambda: product.grad({v: ones(3, 2), n: ones(2, 2)}, [v]),
        'trailing dimensions': lambda: product.grad({v: ones(3, 7), n: ones(3, 2)}, [v]),
        'list of NumPy arrays': lambda: product.grad({v: 'abc', n: ones(3, 2)}, [v]),
        'expects 2 arguments': lambda: product.grad({n: ones(3, 2)}, [v]),
        'different lengths': lambda: (s * t).grad(
            {s: [ones(2, 2), ones(1, 2)], t: [ones(1, 2), ones(3, 2)]}, [s]
        ),
        'have different numbers': lambda: (p * v + n).grad({v: ones(3, 2), n: ones(2, 2)}, [p]),
    }
    for message, call in wrong.items():
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize('steps', [4, 40])
def test_steps_that_an_axis_does_not_have(steps):
    x = C.input_variable((3, 2), needs_gradient=True)
    s = C.sequence.input_variable(1)
    laid_out = C.to_sequence_like(x, s)
    with pytest.raises(
        ValueError, match=f'sequence 0 has {steps} steps, but the axis of steps has the size 3'
    ):
        laid_out.grad({x: ones(1, 3, 2), s: [ones(steps, 1)]}, [x])


def test_values_are_valid_until_the_next_forward_run():
    v = C.input_variable(2, needs_gradient=True)
    f = C.square(v)

    def forward():
        state, values = f.forward({v: DATA}, [f.output], {f.output}, as_numpy=False)
        return state, values[f.output]

    state, value = forward()
    gradients = [f.backward(state, {f.output: ONES}, {v}, as_numpy=False)[v] for _ in range(2)]
    assert value.is_valid and np.array_equal(value.asarray(), DATA**2)
    for gradient in gradients:
        assert np.array_equal(gradient.asarray(), 2 * DATA)
    _, later = forward()
    for over in (value, *gradients):
        assert not over.is_valid
        with pytest.raises(RuntimeError, match='no longer valid'):
            over.asarray()
    assert np.array_equal(later.asarray(), DATA**2)


def test_gradients_as_values_of_a_forward_run_in_arrays():
    v = C.input_variable(2, needs_gradient=True)
    f = C.square(v)
    state, _ = f.forward({v: DATA}, [f.output], {f.output})
    gradient = f.backward(state, {f.output: ONES}, {v}, as_numpy=False)[v]
    assert np.array_equal(gradient.asarray(), 2 * DATA)
