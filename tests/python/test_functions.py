"""Functions: calls, composition, clones, names, attributes, printed forms, drawings."""

import pickle
import shutil

import numpy as np
import pytest

import cantik as C


def dense(x=None, name='d'):
    x = C.input_variable(3, name='x') if x is None else x
    return x, C.layers.Dense(2, name=name)(x)


def test_printed_forms():
    # As CNTK 2.7 prints them.
    x, z = dense()
    assert repr(x) == "Input('x', [#], [3])"
    assert repr(C.sequence.input_variable(3, name='s')) == "Input('s', [#, *], [3])"
    assert repr(C.parameter((2, 3), name='W')) == "Parameter('W', [], [2 x 3])"
    assert repr(C.constant(1, (2,), name='c')) == "Constant('c', [], [2])"
    assert repr(C.placeholder(name='p')) == "Placeholder('p', [???], [???])"
    assert repr(z) == "Composite(Dense): Input('x', [#], [3]) -> Output('d', [#], [2])"
    assert str(z) == 'd: Dense(x: Tensor[3]) -> Tensor[2]'
    assert str(C.reduce_sum(x)) == 'ReduceElements(x: Tensor[3]) -> np.float32'
    wide = C.input_variable(3, dtype=np.float64, name='w')
    assert str(wide + 1) == 'Plus(w: Tensor[np.float64,3]) -> Tensor[np.float64,3]'
    assert (
        str(C.cast(C.sequence.input_variable((), name='s'), np.float16))
        == 'Cast(s: Sequence[np.float32]) -> Sequence[np.float16]'
    )


def test_order_of_arguments():
    # CNTK 2.7: depth first; of what is combined, leaves come before networks.
    x, y, z, w = [C.input_variable(3, name=name) for name in 'xyzw']
    names = lambda f: [a.name for a in f.arguments]
    assert names(x * 2 + z) == ['x', 'z'] and names(C.splice(x * 2, z)) == ['x', 'z']
    c = C.combine([x * 2, y])
    assert names(c) == ['y', 'x'] and [v.name for v in c.outputs] == ['', 'y']
    assert names(C.combine([x * 2, y, z + w])) == ['y', 'x', 'z', 'w']
    assert names(C.combine([c, z * 2, w])) == ['y', 'w', 'x', 'z']
    assert [v.name for v in C.combine([C.parameter(3, name='p') * z, w]).inputs] == ['w', 'p', 'z']


def test_call_with_data_evaluates_and_with_variables_composes():
    _x, z = dense()
    data = np.random.RandomState(0).randn(4, 3).astype(np.float32)
    assert np.allclose(z(data), data @ z.W.value + z.b.value, atol=1e-6)
    y = C.input_variable(3, name='y')
    w = z(y)
    assert w.arguments == (y,) and set(w.parameters) == set(z.parameters)
    assert np.array_equal(w(data), z(data))


def test_call_by_name():
    a, b = C.input_variable(1, name='a'), C.input_variable(1, name='b')
    f = a - b
    assert f(b=[[1]], a=[[5]]).tolist() == [[4]]
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        f([[1]], c=[[2]])
    with pytest.raises(SyntaxError, match='multiple values'):
        f([[1]], a=[[2]])
    with pytest.raises(TypeError, match='expected 2 arguments, got 1'):
        f([[1]])


def test_data_and_variables_do_not_mix():
    a, b = C.input_variable(1, name='a'), C.input_variable(1, name='b')
    with pytest.raises(TypeError, match='not a Variable or Function'):
        (a + b)(a, [[1]])


def test_compose():
    first, second = C.layers.Dense(4, name='one'), C.layers.Dense(2, name='two')
    x = C.input_variable(3)
    both = (first >> second)(x)
    assert both.shape == (2,) and len(both.parameters) == 4
    assert (second << first)(x).shape == (2,)


@pytest.mark.parametrize('method', ['share', 'clone', 'freeze'])
def test_clone(method):
    _x, z = dense()
    data = np.ones((1, 3), np.float32)
    before = z(data)
    copy = z.clone(method)
    assert copy.arguments != z.arguments and np.array_equal(copy(data), before)
    z.W.value = z.W.value + 1
    assert np.array_equal(copy(data), z(data)) == (method == 'share')
    assert len(copy.parameters) == (0 if method == 'freeze' else 2) and len(copy.constants) == (
        2 if method == 'freeze' else 0
    )


def test_clone_with_substitution():
    x, z = dense()
    y = C.input_variable(3, name='y')
    copy = z.clone(C.CloneMethod.share, {x: C.relu(y)})
    assert copy.arguments == (y,)
    assert np.allclose(copy.eval({y: [[-1, -1, -1]]}), z.b.value)


@pytest.mark.parametrize('method', ['share', 'clone', 'freeze'])
def test_clone_copies_what_is_put_in_where_it_reads_what_is_copied(method):
    # Arguments and parameters as CNTK 2.7 has them: of which name, and whether they are new.
    x, w, v = (C.input_variable(2, name=name) for name in 'xwv')
    q, r = C.parameter(2, name='q'), C.parameter(2, name='r')
    h = C.alias(x * 2, name='h')
    z = h + w * q

    def leaves(put_in, of=z, at=h, kind='arguments'):
        copied = of.clone(method, {at.output if isinstance(at, C.Function) else at: put_in})
        return sorted(
            (a.name, not any(a.uid == old.uid for old in (x, w, v, q, r))) for a in getattr(copied, kind)
        )

    new = method != 'share'
    for put_in in (C.exp(w), C.exp(w * r), w, z, C.relu(z)):
        assert leaves(put_in) == [('w', True)]
    for put_in in (C.exp(v), C.exp(v * r), v):
        assert leaves(put_in) == [('v', False), ('w', True)]
    assert leaves(C.relu(z) + C.exp(v)) == [('v', True), ('w', True)]
    assert leaves(C.exp(v * q)) == [('v', new), ('w', True)]
    assert leaves(C.exp(h)) == [('w', True), ('x', False)]
    k = C.tanh(h)
    assert leaves(C.exp(h), k + w, k) == [('w', True), ('x', False)]
    assert leaves(C.exp(h), k + w, x) == [('w', True)]
    assert leaves(C.exp(h), (k + w) * C.sin(h), k) == [('w', True), ('x', True)]
    if method != 'freeze':
        assert leaves(C.exp(v * r), kind='parameters') == [('q', new), ('r', False)]
        assert leaves(C.exp(w * r), kind='parameters') == [('q', new), ('r', new)]


def test_a_network_that_reads_its_own_output():
    x = C.sequence.input_variable(1, name='x')
    before = C.alias(x, name='before')
    step = C.sequence.past_value(before, 0) + x
    running = step.clone('share', {before.output: step.output})  # by itself it adds the number before
    data = np.array([[1], [2], [4]], np.float32)
    np.testing.assert_array_equal(step.eval({x: [data]})[0], [[1], [3], [6]])
    np.testing.assert_array_equal(running.eval({running.arguments[0]: [data]})[0], [[1], [3], [7]])


def test_clone_methods_are_three():
    with pytest.raises(ValueError, match='"deep" is not supported'):
        dense()[1].clone('deep')


@pytest.mark.parametrize('method', ['share', 'clone', 'freeze'])
def test_clone_flattened(method):
    # The functions are those that CNTK 2.7 finds, in its order.
    x = C.input_variable(3, name='x')
    z = C.layers.Sequential([C.layers.Dense(2, activation=C.tanh, name='d'), C.layers.Dense(2, name='e')])(x)
    flat = z.clone_flattened(C.CloneMethod[method])

    def functions(f):
        return [n.op_name for n in C.logging.depth_first_search(f, lambda n: isinstance(n, C.Function))]

    assert functions(z) == ['Dense', 'Dense'] and functions(flat) == [
        'Plus',
        'Times',
        'Tanh',
        'Plus',
        'Times',
    ]
    assert (
        flat.name == flat.output.name == ''
        and [v.name for v in flat.arguments] == ['x']
        and flat.arguments != z.arguments
    )
    assert [any(p.uid == q.uid for q in z.parameters) for p in flat.parameters] == {
        'share': [True] * 4,
        'clone': [False] * 4,
        'freeze': [],
    }[method]
    data = np.array([[1, -2, 3]], np.float32)
    np.testing.assert_array_equal(flat.eval(data), z.eval(data))
    number = getattr(C.cntk_py, 'ParameterCloningMethod_' + method.capitalize())
    assert functions(z.clone_flattened(number)) == functions(flat)


def test_clone_flattened_of_recurrences_several_results_and_open_blocks():
    def functions(f):
        return sorted(n.op_name for n in C.logging.depth_first_search(f, lambda n: isinstance(n, C.Function)))

    s = C.sequence.input_variable(2, name='s')
    r = C.layers.Recurrence(C.layers.LSTM(2))(s)
    flat = r.clone_flattened()
    assert functions(flat) == sorted(
        [
            'Combine',
            'ElementTimes',
            'StableSigmoid',
            'Slice',
            'Plus',
            'Plus',
            'Times',
            'Times',
            'PastValue',
            'Tanh',
            'Plus',
            'ElementTimes',
            'StableSigmoid',
            'Slice',
            'PastValue',
            'ElementTimes',
            'StableSigmoid',
            'Slice',
            'Tanh',
            'Slice',
        ]
    )
    data = [np.ones((3, 2), np.float32), np.ones((1, 2), np.float32)]
    for a, b in zip(flat.eval({flat.arguments[0]: data}), r.eval({s: data})):
        np.testing.assert_array_equal(a, b)
    _x, z = dense()
    both = C.combine([z, z * 2]).clone_flattened()
    assert functions(both) == ['Combine', 'ElementTimes', 'Plus', 'Times'] and [
        o.name for o in both.outputs
    ] == ['', '']
    own = C.BlockFunction('own', 'blk')(lambda a, b: a * b + 1)(
        C.placeholder(name='a'), C.placeholder(name='b')
    )
    assert functions(own.clone_flattened()) == ['ElementTimes', 'Plus'] and [
        p.name for p in own.clone_flattened().placeholders
    ] == ['a', 'b']


@pytest.mark.parametrize('method', ['deep', 5, -1, True, None, np.zeros(2)])
def test_clone_flattened_of_no_method(method):
    with pytest.raises(
        ValueError, match='clone method .* is not supported: it is one of share, clone, freeze'
    ):
        dense()[1].clone_flattened(method)


def test_placeholders():
    p = C.placeholder(name='p')
    f = C.relu(p) + 1
    assert f.placeholders == (p,)
    x = C.input_variable(2)
    same = f.replace_placeholders({p: x})
    assert same == f and not f.placeholders and f.shape == (2,)
    with pytest.raises(ValueError, match='0 placeholders'):
        f.replace_placeholder(x)


def test_evaluation_with_a_placeholder_left():
    with pytest.raises((ValueError, RuntimeError)):
        C.relu(C.placeholder()).eval({})


def test_find_by_name():
    x = C.input_variable(3, name='x')
    h = C.layers.Dense(4, name='h')(x)
    z = C.layers.Dense(2, name='z')(h)
    assert (
        z.find_by_name('h').shape == (4,) and z.find_by_name('x') == x and z.find_by_name('nothing') is None
    )
    assert z.h.W.shape == (3, 4)
    twice = C.relu(x, name='r') + C.tanh(x, name='r')
    assert len(twice.find_all_with_name('r')) == 2
    with pytest.raises(ValueError, match='multiple functions matching "r"'):
        twice.find_by_name('r')
    with pytest.raises(AttributeError):
        z.nothing


def test_names_are_given_once():
    f = C.relu(C.input_variable(1))
    f.name = 'r'
    assert f.name == 'r'
    with pytest.raises((ValueError, RuntimeError)):
        f.name = 's'


def test_attributes_at_run_time():
    x = C.input_variable(1000, needs_gradient=True)
    f = C.dropout(x, 0.0, seed=1)
    assert f.root_function.attributes['dropoutRate'] == 0
    data = np.ones((1, 1000), np.float32)
    assert (f.grad({x: data}) == 1).all()
    f.root_function.set_attribute('dropoutRate', 0.5)
    kept = (f.grad({x: data}) != 0).mean()
    assert 0.4 < kept < 0.6
    with pytest.raises((ValueError, RuntimeError)):
        C.relu(x).root_function.set_attribute('dropoutRate', 0.5)


def test_several_outputs():
    x = C.input_variable(1)
    f = C.combine([x + 1, x * 2])
    first, second = f.outputs
    values = f.eval({x: [[3]]})
    assert values[first].tolist() == [[4]] and values[second].tolist() == [[6]]
    assert [v.tolist() for v in f([[3]])] == [[[4]], [[6]]] and list(f) == [first, second] and f[1] == second
    with pytest.raises(TypeError, match='not iterable'):
        iter(x + 1)
    for name in ('shape', 'dtype', 'dynamic_axes', 'is_sparse', 'needs_gradient'):
        with pytest.raises(AttributeError, match=rf"'{name}' .* has 2 of them\n .*\.outputs\[0\]\.{name}$"):
            getattr(f, name)


def test_block_is_seen_as_one_function():
    @C.BlockFunction('Twice', 'double')
    def double(x):
        return x + x

    x = C.input_variable(2)
    f = double(x)
    assert f.root_function.is_block and f.root_function.op_name == 'Twice'
    assert f.eval({x: [[1, 2]]}).tolist() == [[2, 4]]


def test_decorator_traces():
    @C.Function.with_signature(C.layers.typing.Tensor[2])
    def f(x):
        return C.relu(x) - 1

    assert f([[-1, 3]]).tolist() == [[-1, 2]]
    with pytest.raises(TypeError, match='unused'):
        C.Function(lambda a, b: a + 1)


def test_indices():
    x = C.input_variable((3, 4))
    data = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    assert np.array_equal(x[0].eval({x: data}), data[:, 0:1])
    assert np.array_equal(x[1:, 2].eval({x: data}), data[:, 1:, 2:3])
    assert np.array_equal(x[..., -1].eval({x: data}), data[..., 3:])
    assert np.array_equal(x[[0, 2]].eval({x: data}), data[:, [0, 2]])
    with pytest.raises(IndexError):
        x['a']


def test_operator_signs():
    x = C.input_variable(2)
    d = np.array([[1.5, -2]], np.float32)
    for f, want in [
        (2 - x, 2 - d),
        (x / 2, d / 2),
        (2 / x, 2 / d),
        (-x, -d),
        (abs(x), abs(d)),
        (x**2, d**2),
        (x > 0, d > 0),
        (x @ np.ones((2, 1), np.float32), d.sum(1, keepdims=True)),
        (np.ones(2, np.float32) + x, 1 + d),
    ]:
        assert np.allclose(f.eval({x: d}), want)


@pytest.mark.parametrize('ending', ['txt', 'dot', 'svg', 'png', 'pdf'])
def test_plot(ending, tmp_path):
    if ending in ('svg', 'png', 'pdf') and not shutil.which('dot'):
        pytest.skip('the program dot of graphviz is not installed')
    _, z = dense()
    path = tmp_path / ('net.' + ending)
    text = C.logging.plot(z, str(path))
    assert 'Dense(' in text
    written = path.read_bytes()
    head = {'txt': text.encode()[:8], 'dot': b'digraph', 'svg': b'<?xml', 'png': b'\x89PNG', 'pdf': b'%PDF'}[
        ending
    ]
    assert written.startswith(head)


def test_plot_of_unknown_ending(tmp_path):
    with pytest.raises(ValueError, match='can be written'):
        C.logging.plot(dense()[1], str(tmp_path / 'net.gif'))


def test_summary():
    _, z = dense()
    s = C.summary(z)
    assert s.parameters == 8 and 'Dense' in str(s)


def test_gradient_check_finds_errors():
    x = C.input_variable(3, dtype=np.float64, needs_gradient=True)
    data = {x: np.array([[0.3, -0.7, 1.1]])}
    assert C.check_gradient(C.tanh(x) * x, data)
    assert not C.check_gradient(C.stop_gradient(C.tanh(x)) * x, data)


def test_layers():
    x = C.input_variable((1, 8, 8))
    model = C.layers.Sequential(
        [
            C.layers.Convolution2D((3, 3), 4, activation=C.relu, pad=True),
            C.layers.MaxPooling((2, 2), strides=2),
            C.layers.Dropout(0.2),
            C.layers.Dense(5),
        ]
    )
    z = model(x)
    assert z.shape == (5,) and [p.shape for p in z.parameters] == [
        (4, 4, 4, 5),
        (5,),
        (4, 1, 3, 3),
        (4, 1, 1),
    ]
    with C.layers.default_options(bias=False):
        assert len(C.layers.Dense(2)(C.input_variable(3)).parameters) == 1
    same = C.layers.Dense(3)
    shared = same(C.input_variable(3)) + same(C.input_variable(3))
    assert len(shared.parameters) == 2


def test_what_waits_says_so():
    with pytest.raises(NotImplementedError, match='docs/status.md'):
        C.sample_installer.install_samples()


def test_axes_of_reshape_and_splice():
    x = C.input_variable((2, 3))
    end = C.Axis.new_leading_axis()  # CNTK counts from the other side
    assert C.reshape(x, (6,), 0, end).shape == (6,) and C.reshape(x, (1, 1), end, end).shape == (2, 3, 1, 1)
    assert C.reshape(x, (1,), 0, 0).shape == (1, 2, 3) and C.reshape(
        x, (C.InferredDimension,), C.Axis(-2), -1
    ).shape == (2, 3)
    y = C.input_variable(3)
    assert C.splice(y, y, axis=-2).shape == (2, 3) and C.splice(y, y).shape == (6,)
    assert C.pad(x, [(1, 1), (2, 0)]).shape == (4, 5)


@pytest.mark.parametrize(
    'before, after, shape',
    [
        ((-3, 4), (-3, 2), (6, 2)),
        ((-3, 4), (4, -3), (4, 3)),
        ((-3, 4), (-3, 1, 4), (3, 1, 4)),
        ((-3, -3), (-3, 2), (6, 2)),
        ((3, 4), (-3, 2), (6, 2)),
    ],
)
def test_a_reshape_with_a_free_size(before, after, shape):
    """The size is found in the run, as one that is to be inferred."""
    x = C.input_variable(before, needs_gradient=True)
    data = np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    y = C.reshape(x, after)
    assert np.array_equal(y.eval({x: data}), data.reshape(1, *shape))
    assert np.array_equal((y * y).grad({x: data}, wrt=[x]), 2 * data)


def test_a_reshape_with_two_open_sizes_is_refused():
    x = C.input_variable((C.FreeDimension, 4))
    for shape in ((-3, -3), (-3, -1), (-1, -1)):
        with pytest.raises(ValueError, match='only one dimension'):
            C.reshape(x, shape)
    with pytest.raises(ValueError, match='not a multiple of 5'):
        C.reshape(x, (-3, 5)).eval({x: np.zeros((1, 3, 4), np.float32)})


def test_batch_normalization_of_free_sizes():
    x = C.input_variable((3, C.FreeDimension, C.FreeDimension))
    scale, mean = C.parameter((C.InferredDimension,), init=1), C.constant(0, (C.InferredDimension,))
    C.batch_normalization(
        x,
        scale,
        C.parameter((C.InferredDimension,)),
        mean,
        C.constant(1, (C.InferredDimension,)),
        True,
        running_count=C.constant(0),
    )
    assert scale.shape == mean.shape == (3,)
    with pytest.warns(Warning, match='running_count'):
        C.batch_normalization(x, scale, mean, mean, mean, True)


def test_combine_of_nothing():
    # As CNTK 2.7 answers.
    f = C.combine([])
    assert (
        f.outputs
        == f.arguments
        == f.inputs
        == f.parameters
        == f.constants
        == f.placeholders
        == f.signature
        == ()
    )
    assert (
        f.is_composite
        and not f.is_primitive
        and not f.is_block
        and f.op_name == 'CompositeFunctionOpName'
        and f.name == ''
        and f.attributes == {}
    )
    assert (
        repr(f) == 'Composite(Combine):  -> Unknown'
        and repr(f.root_function) == 'Combine:  -> Unknown'
        and str(f) == 'Composite() -> Tuple[]'
    )
    assert (
        f.find_all_with_name('a') == [] and f.find_by_name('a') is None and len(f.find_all_with_name('')) == 1
    )
    assert C.combine([], name='q').name == 'q' and C.combine(()).outputs == C.combine().outputs == ()
    assert f.clone('share').outputs == f.clone('clone').outputs == () and f.replace_placeholders({}) is f
    assert repr(C.as_block(f, [], 'B')) == 'Composite(B):  -> Unknown'
    assert C.logging.plot(f) is not None and len(C.logging.depth_first_search(f, lambda v: True)) == 1
    with pytest.raises(RuntimeError, match='with no output cannot be implicitly converted'):
        f.output
    for run in (f.eval, f, lambda: f.eval({}), lambda: f.forward({}), lambda: f.forward({}, [], [])):
        with pytest.raises(ValueError, match='At least one output has to be specified'):
            run()
    with pytest.raises(AttributeError):
        f.shape
    with pytest.raises(ValueError, match='expected single output, but got 0'):  # CNTK: an IndexError
        f + 1


def test_combine_of_nothing_in_files(tmp_path):
    path = str(tmp_path / 'nothing.model')
    C.combine([]).save(path)
    assert C.load_model(path).outputs == ()


def test_element_types_as_long_as_they_are_open():
    # What CNTK 2.7 shows: the type of the operands that are known.
    p = C.placeholder()
    wide = C.constant(1, dtype=np.float64)
    delays = [
        C.sequence.past_value(p, 0),
        C.sequence.future_value(p, 1.0),
        C.sequence.past_value(p, 0, 2),
        C.layers.Delay(1, 0.0)(p),
    ]
    for f in delays + [
        p + 1,
        1 + p,
        C.times(p, C.parameter((2, 2))),
        C.relu(p + 1),
        C.element_select(p, 1, 0),
        C.greater(p, 0),
        C.layers.Dense(2),
        C.layers.LSTM(2),
    ]:
        assert all(o.dtype is np.float32 for o in f.outputs), f
    for f in (
        p + wide,
        p * C.parameter(2, dtype=np.float64),
        C.sequence.past_value(p, wide),
        1 + p * C.parameter(2, dtype=np.float64),
    ):
        assert f.dtype is np.float64, f
    p = C.placeholder()
    for f in (C.relu(p), C.sequence.past_value(p), C.argmax(p)):
        assert f.dtype is None
    assert p.dtype is None and C.sequence.past_value(p, 0).output.shape == (-2,)
    with C.default_options(dtype=np.float64):
        assert C.layers.Dense(2).dtype is np.float64 and C.layers.Delay(1, 0.0)(p).dtype is np.float64


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('initial', [0, 1.5, True, np.float32(2), np.array(3.0, np.float32), None])
def test_a_number_as_initial_state_of_a_placeholder(dtype, initial):
    """It follows the loop, also where CNTK 2.7 refuses to (float64)."""
    data, begin = np.ones((3, 2), dtype), 0 if initial is None else float(initial)
    for delay, order in (
        (C.sequence.past_value, 1),
        (C.sequence.future_value, -1),
        (lambda p, i: C.layers.Delay(1, 0 if i is None else float(i))(p), 1),
    ):
        x, p = C.sequence.input_variable(2, dtype=dtype), C.placeholder()
        y = x + delay(p, initial)
        y.replace_placeholders({p: y.output})
        (got,) = y.eval({x: [data]})
        assert y.dtype is dtype and got.dtype == dtype
        assert np.array_equal(got[::order], begin + np.cumsum(data, 0))
        x, p = C.sequence.input_variable(2, dtype=dtype), C.placeholder()
        z = delay(p, initial) + 1
        z.replace_placeholders({p: x})
        assert z.dtype is dtype and z.shape == (2,)
        assert np.array_equal(
            z.eval({x: [2 * data]})[0][::order], 1 + np.array([[begin] * 2, [2, 2], [2, 2]], dtype)
        )


def test_element_types_of_parameters_and_constants():
    # As CNTK 2.7: the classes make float32 unless asked for another type, the functions keep an array's.
    wide, half, whole = np.ones(2), np.ones(2, np.float16), np.ones(2, np.int32)
    for array, kept in ((wide, np.float64), (half, np.float16), (whole, np.float32)):
        assert C.Constant(array).dtype is C.Parameter(init=array).dtype is np.float32
        assert C.Parameter((2, 2), init=np.ones((2, 2), array.dtype)).dtype is np.float32
        assert C.constant(array).dtype is C.parameter(init=array).dtype is kept
        assert C.Constant(array, dtype=None).dtype is C.Parameter(init=array, dtype=None).dtype is kept
    assert C.Constant(wide, dtype=np.float64).dtype is np.float64
    with C.default_options(dtype=np.float64):
        narrow = wide.astype(np.float32)
        assert C.Constant(narrow).dtype is C.Parameter(init=narrow).dtype is C.Constant(1).dtype is np.float64
        assert C.constant(narrow).dtype is C.parameter(init=narrow).dtype is C.constant(1).dtype is np.float32
    x = C.input_variable(2)
    assert C.times(x, C.Parameter(init=np.ones((2, 3)))).dtype is np.float32


@pytest.mark.parametrize('f, numbers', [(C.sum, [9, 8]), (C.mean, [3, 8 / 3])])
def test_sums_of_lists(f, numbers):
    x, y = C.input_variable(2), C.input_variable(2)
    feeds = {x: [[1, 2]], y: [[3, 4]]}
    for z in (
        f(x, y, 5 - C.constant([0, 3])),
        f([x, y, 5 - C.constant([0, 3])]),
        f((x, y), 5 - C.constant([0, 3])),
    ):
        np.testing.assert_allclose(z.eval(feeds), [numbers], rtol=1e-6)
    np.testing.assert_array_equal(
        f([[1, 2], [3, 4]], [1, 0]).eval(), np.array([[2, 2], [4, 4]]) / (2 if f is C.mean else 1)
    )
    assert f([x, y], name='s').name == 's'
    # Parameters and constants alone, as CNTK 2.7 takes them.
    p, k = C.parameter(2, init=1), C.constant([1, 2])
    half = 2 if f is C.mean else 1
    for operands, sums in (([p, p], [2, 2]), ((k, k), [2, 4]), ([p, k], [2, 3])):
        np.testing.assert_array_equal(f(operands).eval(), np.array(sums) / half)
    np.testing.assert_array_equal(f([p]).eval(), [1, 1])


def test_first_values_of_kernels_without_channels():
    k = np.random.RandomState(0).randn(2, 3, 3).astype(np.float32)
    x = C.input_variable((5, 5))
    f = C.layers.Convolution2D((3, 3), 2, reduction_rank=0, init=k, init_bias=0.5)(x)
    assert f.W.shape == (2, 1, 3, 3)
    np.testing.assert_array_equal(f.W.value[:, 0], k)
    np.testing.assert_allclose(
        f.eval({x: np.ones((1, 5, 5), np.float32)})[0, :, 1, 1], k.sum((1, 2)) + 0.5, rtol=1e-5
    )
    with pytest.raises(ValueError, match='initial values have the shape'):
        C.layers.Convolution2D((3, 3), 2, reduction_rank=0, init=k[:, :2])(x).W.value


def test_types_of_arguments():
    # As CNTK 2.7 prints and answers.
    from cantik.layers.typing import Sequence, Tensor

    wide = Tensor[np.float64, 3]
    assert (
        wide.shape == (3,)
        and wide.dtype is np.float64
        and str(wide) == 'Tensor[np.float64,3]'
        and str(Tensor[np.float32, 13, 42]) == 'Tensor[13,42]'
    )
    for kind, printed in (
        (np.float64, 'np.float64'),
        (float, 'np.float32'),
        (np.float16, 'np.float16'),
        (3, 'Tensor[3]'),
        (wide, 'Tensor[np.float64,3]'),
        (Sequence[np.float32], 'Sequence[np.float32]'),
    ):
        f = C.Function(lambda x: x * x)
        f.update_signature(kind)
        assert str(f) == f'ElementTimes(x: {printed}) -> {printed}'
        assert str(C.Function.with_signature(kind)(lambda x: x * x)) == str(f)
    with pytest.raises(
        TypeError,
        match=r"abstract type Tensor\[32\] cannot be instantiated; use 'input_variable\(\*\*Tensor\[32\]\)' "
        r"instead",
    ):
        Tensor[32]()
    with pytest.raises(
        ValueError, match=r"Input is a type object \(Tensor\[32\]\). Did you mean to pass 'input_variable"
    ):
        C.sigmoid(Tensor[32])


@pytest.mark.parametrize(
    'kind, refused, taken',
    [
        (
            'Tensor[13]',
            {
                'Tensor[42]': lambda: C.input_variable(42),
                'Tensor[13,1]': lambda: C.input_variable((13, 1)),
                'Tensor[np.float64,13]': lambda: C.input_variable(13, np.float64),
                'Sequence[Tensor[13]]': lambda: C.sequence.input_variable(13),
                'ParameterTensor[12]': lambda: C.parameter(12),
                'ParameterTensor[np.float64,13]': lambda: C.constant(np.ones(13)),
            },
            [
                lambda: C.input_variable(13) * 2,
                lambda: C.parameter(13),
                lambda: C.input_variable(13, dynamic_axes=[]),
                lambda: C.sequence.last(C.sequence.input_variable(13)),
                lambda: C.input_variable(13, is_sparse=True),
                C.placeholder,
            ],
        ),
        (
            'Sequence[Tensor[2]]',
            {
                'Tensor[2]': lambda: C.input_variable(2),
                'Sequence[Tensor[3]]': lambda: C.sequence.input_variable(3),
            },
            [lambda: C.sequence.slice(C.sequence.input_variable(2), 1, 0), lambda: C.constant([1, 2])],
        ),
        (
            'Tensor[-3,2]',
            {'Tensor[4,3]': lambda: C.input_variable((4, 3))},
            [lambda: C.input_variable((4, 2))],
        ),
    ],
)
def test_values_of_another_type_than_an_argument(kind, refused, taken):
    # The words of CNTK 2.7, which also refuses other sequence axes, storages and open sizes.
    from cantik.layers.typing import Sequence, Tensor

    declared = eval(kind, {'Sequence': Sequence, 'Tensor': Tensor})

    @C.Function
    def f(x: declared):
        return x * x + 1

    for given, make in refused.items():
        for call in (f, lambda v: f(x=v), lambda v: f.clone('share')(v), lambda v: (f >> C.tanh)(v)):
            with pytest.raises(TypeError) as error:
                call(make())
            assert str(error.value).splitlines()[0] == (
                f"argument x's type {kind} is incompatible with the type {given} of the passed Variable"
            )
    for make in taken:
        f(make())
    other = next(iter(refused.values()))()
    assert f.clone('share', {f.arguments[0]: other}).shape == other.shape  # a clone is not a call


def test_operands_that_are_one():
    x = C.input_variable(2, name='x')
    assert [str(f).split('(')[0] for f in (x * x, C.plus(x, x), C.element_select(x, x, x), x * x * x)] == [
        'ElementTimes',
        'Plus',
        'Select',
        'Composite',
    ]


def test_arguments_in_the_order_of_cntks_binding():
    a, b, d, e, x, y = (
        C.input_variable(shape, name=name)
        for name, shape in dict(a=(3, 4), b=(4, 5), d=(5, 2), e=(3, 5), x=2, y=2).items()
    )
    c = C.times(a, b)
    C.set_global_option('python_operand_order', False)
    try:
        found = [
            ''.join(v.name for v in f.arguments)
            for f in (c, x + y, x * y + x, C.times(c, d), C.reduce_sum(c) + y, c - e)
        ]
    finally:
        C.set_global_option('python_operand_order', True)
    assert found == ['ba', 'xy', 'xy', 'dba', 'bay', 'bae'] and [v.name for v in c.arguments] == ['a', 'b']


def test_which_outputs_need_a_gradient():
    """As CNTK 2.7 says it: where a leaf below does, whatever operators make of it."""
    x, p = C.input_variable(2), C.parameter(2)
    asked = C.input_variable(2, needs_gradient=True)
    sequence = C.layers.Recurrence(C.layers.RNNStep(2))(C.sequence.input_variable(2))
    needed = [x + p, asked * 2, C.stop_gradient(x * p), C.argmax(p), C.placeholder() + p, sequence]
    not_needed = [x + 1, x * x, C.random.normal_like(x), (x * p).clone('freeze'), C.placeholder() + 1]
    assert [f.output.needs_gradient for f in needed] == [True] * len(needed)
    assert [f.output.needs_gradient for f in not_needed] == [False] * len(not_needed)
    deep = x
    for _ in range(200):
        deep = deep + deep  # each node is visited once
    assert not deep.output.needs_gradient


def test_a_function_equals_its_only_output():
    x = C.input_variable(3)
    z = C.layers.Dense(2)(x)
    two = C.combine([z, x * 1])
    assert z.output == z and z == z.output and not z.output != z and not z != z.output
    assert z.output in [z] and z in [x, z.output] and z.root_function == z.output
    assert x != z and z != x and z.output != two and two != z.output
    assert z not in {z.output: 1}  # a dictionary tells them apart, as in CNTK


def test_bound_methods_are_pickled():
    z = C.layers.Dense(2)(C.input_variable(3))
    data = np.ones((1, 3), np.float32)
    for method in (z.eval, z.grad, z.clone, C.Axis.default_batch_axis().__reduce__):
        assert callable(pickle.loads(pickle.dumps(method)))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(z.eval))(data), z.eval(data))
