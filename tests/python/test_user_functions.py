"""Operators written in Python: UserFunction in every place where a function may stand."""

import gc
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse

import cantik as C


class Unary(C.UserFunction):
    """f(x) with its derivative, on arrays or on lists of them; notes what it is called with."""

    def __init__(self, x, f=lambda x: x * x, d=lambda x: 2 * x, name='unary', **more):
        self.f, self.d, self.calls = f, d, []
        super().__init__([x], name=name, **more)

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

    def forward(self, x, device=None, outputs_to_retain=None):
        self.calls.append((x, len(outputs_to_retain)))
        return x, [self.f(s) for s in x] if isinstance(x, list) else self.f(x)

    def backward(self, x, root_gradients):
        if isinstance(x, list):
            return [self.d(s) * g for s, g in zip(x, root_gradients)]
        return self.d(x) * root_gradients

    def clone(self, cloned_inputs):
        return Unary(cloned_inputs[0], self.f, self.d, self.name)

    @staticmethod
    def deserialize(inputs, name, state):
        return Unary(inputs[0], name=name)


class Product(C.UserFunction):
    def __init__(self, a, b, name='product'):
        super().__init__([a, b], name=name)

    def infer_outputs(self):
        a, b = self.inputs
        return [
            C.output_variable(
                np.broadcast(np.empty(a.shape), np.empty(b.shape)).shape, a.dtype, a.dynamic_axes
            )
        ]

    def forward(self, arguments, device=None, outputs_to_retain=None):
        return arguments, arguments[0] * arguments[1]

    def backward(self, state, root_gradients, variables):
        self.asked = list(variables)
        for v in variables:
            other = state[1] if v == self.inputs[0] else state[0]
            g = root_gradients * other
            variables[v] = g if v.dynamic_axes else g.sum(axis=0)


X = np.array([[1, -2, 3], [0.5, 4, -1]], np.float32)


def test_batch():
    x = C.input_variable(3, needs_gradient=True)
    m = Unary(x)
    f = C.user_function(m)
    assert np.array_equal(f.eval({x: X}), X * X)
    assert np.array_equal(f.grad({x: X}), 2 * X)
    (first, none), (_second, one) = m.calls
    assert (
        none == 0
        and one == 1
        and np.array_equal(first, X)
        and first.shape == (2, 3)
        and first.dtype == np.float32
    )
    assert first.base is None and first.flags.writeable  # an array of its own


def test_arguments_are_the_users_to_keep_and_change():
    x = C.input_variable(3)
    m = Unary(x + 1, f=lambda a: a.__setitem__(Ellipsis, 7) or a)
    y = C.user_function(m)
    both = C.combine([y, x + 1])
    values = both.eval({x: X})
    assert np.array_equal(values[both.outputs[1]], X + 1)
    kept = m.calls[0][0]
    for _ in range(5):
        both.eval({x: X * 0})
    assert np.array_equal(kept, np.full((2, 3), 7, np.float32))


def test_sequences_are_lists():
    x = C.sequence.input_variable(2, needs_gradient=True)
    m = Unary(x)
    f = C.user_function(m)
    data = [np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((1, 2), np.float32)]
    value = f.eval({x: data})
    gradient = f.grad({x: data})
    for i in range(2):
        assert np.array_equal(value[i], data[i] ** 2) and np.array_equal(gradient[i], 2 * data[i])
    assert [a.shape for a in m.calls[0][0]] == [(3, 2), (1, 2)]


def test_parameters_and_constants():
    p = C.parameter(3, init=np.array([1, 2, 3], np.float32))
    x = C.input_variable(3, needs_gradient=True)
    assert np.array_equal(C.user_function(Unary(p)).eval(), [1, 4, 9])
    m = Product(x, p)
    f = C.user_function(m)
    g = f.grad({x: X}, wrt=[p, x])
    assert np.allclose(g[p], X.sum(axis=0)) and np.allclose(g[x], np.broadcast_to([1, 2, 3], (2, 3)))
    assert m.asked == [x, p]
    constant = Product(x, C.constant(2))
    assert np.array_equal(C.user_function(constant).grad({x: X}), np.full((2, 3), 2)) and constant.asked == [
        x
    ]
    p.value = np.array([0, 0, 1], np.float32)  # read again, not once for all
    assert np.array_equal(C.user_function(Unary(p)).eval(), [0, 0, 1]) and np.array_equal(
        f.eval({x: X}), X * [0, 0, 1]
    )


def test_gradient_of_the_wrong_shape_is_an_error():
    x, p = C.input_variable(3, needs_gradient=True), C.parameter(3)

    class Wrong(Product):
        def backward(self, state, root_gradients, variables):
            for v in variables:
                variables[v] = root_gradients

    f = C.user_function(Wrong(x, p, name='wrong'))
    with pytest.raises(
        ValueError,
        match=r'(?s)4.*node     wrong, inputs .* : float32\[#, 3\].*made at  .*test_user_functions.py:\d+',
    ):
        f.grad({x: np.ones((4, 3), np.float32)}, wrt=[p])


def test_against_the_operator_in_training():
    losses = []
    for layer in (
        C.sigmoid,
        lambda h: C.user_function(
            Unary(h, lambda a: 1 / (1 + np.exp(-a)), lambda a: np.exp(-a) / (1 + np.exp(-a)) ** 2)
        ),
    ):
        C.cntk_py.reset_random_seed(3)
        x, y = C.input_variable(4), C.input_variable(2)
        h = x
        for _ in range(3):
            h = layer(C.layers.Dense(8, init=C.glorot_uniform(seed=5))(h))
        z = C.layers.Dense(2, init=C.glorot_uniform(seed=6))(h)
        loss = C.cross_entropy_with_softmax(z, y)
        trainer = C.Trainer(
            z, (loss, C.classification_error(z, y)), [C.sgd(z.parameters, C.learning_parameter_schedule(0.5))]
        )
        random = np.random.RandomState(0)
        made = []
        for _ in range(40):
            data = random.randn(16, 4).astype(np.float32)
            trainer.train_minibatch(
                {x: data, y: np.eye(2, dtype=np.float32)[(data.sum(axis=1) > 0).astype(int)]}
            )
            made.append(trainer.previous_minibatch_loss_average)
        losses.append(made)
    assert np.allclose(losses[0], losses[1], rtol=1e-4) and losses[0][-1] < losses[0][0]


def test_as_a_loss():
    x = C.input_variable(3)
    w = C.parameter(3, init=1)

    class Loss(C.UserFunction):
        def infer_outputs(self):
            return [C.output_variable((1,), np.float32, self.inputs[0].dynamic_axes)]

        def forward(self, a, device=None, outputs_to_retain=None):
            return a, (a**2).sum(axis=1, keepdims=True)

        def backward(self, a, g):
            return 2 * a * g

    loss = C.user_function(Loss([x * w]))
    trainer = C.Trainer(None, loss, [C.sgd([w], C.learning_parameter_schedule_per_sample(0.01))])
    before = w.value
    trainer.train_minibatch({x: X})
    assert np.allclose(w.value, before - 0.01 * (2 * X * X * before).sum(axis=0), atol=1e-5)
    assert trainer.previous_minibatch_loss_average == pytest.approx((X**2).sum() / 2)


def test_stop_gradient_means_no_backward():
    x = C.input_variable(3, needs_gradient=True)
    m = Unary(x, d=lambda a: 1 / 0)
    f = C.stop_gradient(C.user_function(m)) + x
    assert np.array_equal(f.grad({x: X}), np.ones_like(X))


def test_output_without_gradient():
    x = C.input_variable(3, needs_gradient=True)

    class Cut(Unary):
        def infer_outputs(self):
            return [
                C.output_variable(
                    self.inputs[0].shape,
                    self.inputs[0].dtype,
                    self.inputs[0].dynamic_axes,
                    needs_gradient=False,
                )
            ]

        def backward(self, state, root_gradients):
            raise AssertionError('must not be called')

    assert np.array_equal(C.user_function(Cut(x)).grad({x: X}), np.zeros_like(X))


class SumDifference(C.UserFunction):
    def __init__(self, a, b, name='both'):
        super().__init__([a, b], name=name)

    def infer_outputs(self):
        a = self.inputs[0]
        return [C.output_variable(a.shape, a.dtype, a.dynamic_axes, name=n) for n in ('sum', 'difference')]

    def forward(self, arguments, outputs, device=None, outputs_to_retain=None):
        outputs[self.outputs[0]] = arguments[0] + arguments[1]
        outputs[self.outputs[1]] = arguments[0] - arguments[1]
        return 'state'

    def backward(self, state, root_gradients, variables):
        assert state == 'state'
        self.given = dict(root_gradients)
        s, d = (root_gradients.get(o, 0) for o in self.outputs)
        for v in variables:
            variables[v] = s + d if v == self.inputs[0] else s - d


def test_several_outputs():
    a, b = C.input_variable(3, needs_gradient=True), C.input_variable(3, needs_gradient=True)
    m = SumDifference(a, b)
    f = C.user_function(m)
    values = f.eval({a: X, b: 2 * X})
    assert np.array_equal(values[f.outputs[0]], 3 * X) and np.array_equal(values[f.outputs[1]], -X)
    g = (f.outputs[0] + 5 * f.outputs[1]).grad({a: X, b: X}, wrt=[a, b])
    assert np.array_equal(g[a], np.full_like(X, 6)) and np.array_equal(g[b], np.full_like(X, -4))
    # One result alone.
    assert np.array_equal((f.outputs[1] * 2).grad({a: X, b: X}, wrt=[b]), np.full_like(X, -2))
    assert set(m.given) == set(m.outputs)  # of the other one zeros, as in CNTK
    assert not m.given[m.outputs[0]].any()


def test_missing_output_is_an_error():
    class Missing(SumDifference):
        def forward(self, arguments, outputs, device=None, outputs_to_retain=None):
            outputs[self.outputs[0]] = arguments[0]

    a = C.input_variable(3)
    with pytest.raises(ValueError, match='not all outputs have been provided, output 1 is missing'):
        C.user_function(Missing(a, a)).eval({a: X})


@pytest.mark.parametrize(
    'state',
    [None, 77, ('a', 2), (), np.ones(3), {'x': object()}, X[:0]],
    ids=['None', 'number', 'tuple', 'empty', 'array', 'dictionary', 'no rows'],
)
def test_state_of_any_type(state):
    got = []

    class Stateful(Unary):
        def forward(self, x, device=None, outputs_to_retain=None):
            return state, x

        def backward(self, s, g):
            got.append(s)
            return g

    x = C.input_variable(3, needs_gradient=True)
    f = C.user_function(Stateful(x)) + 0
    f.grad({x: X})
    assert got[0] is state


def test_forward_and_backward_apart():
    x = C.input_variable(3, needs_gradient=True)
    f = C.user_function(Unary(C.user_function(Unary(x, name='inner'))))
    one, _ = f.forward({x: X}, [f.output], {f.output})
    two, _ = f.forward({x: 2 * X}, [f.output], {f.output})
    ones = np.ones_like(X)
    for _ in range(2):  # the state serves again, and another forward leaves it alone
        assert np.allclose(f.backward(one, {f.output: ones}, {x})[x], 4 * X**3)
        assert np.allclose(f.backward(two, {f.output: ones}, {x})[x], 4 * (2 * X) ** 3)


def test_values_are_the_networks_memory():
    got = []

    class Views(C.UserFunction):
        def __init__(self, x, name='views'):
            super().__init__([x], as_numpy=False, name=name)

        def infer_outputs(self):
            return [
                C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)
            ]

        def forward(self, x, device=None, outputs_to_retain=None):
            got.append(x)
            return x, C.NDArrayView.from_dense(np.asarray(x.data) * 3)

        def backward(self, x, g):
            return C.Value(np.asarray(g.data) * np.asarray(x.data))

    x = C.input_variable(3, needs_gradient=True)
    h = x + 1
    f = C.user_function(Views(h)) + C.user_function(Unary(h))
    assert np.allclose(f.eval({x: X}), 3 * (X + 1) + (X + 1) ** 2)
    assert np.allclose(f.grad({x: X}), (X + 1) + 2 * (X + 1))
    assert isinstance(got[0], C.Value) and isinstance(got[0].data, C.NDArrayView) and got[0].shape == (2, 3)
    for _ in range(20):  # whoever keeps it keeps its numbers
        f.eval({x: 0 * X})
    assert np.array_equal(got[0].asarray(), X + 1) and np.array_equal(got[1].asarray(), X + 1)


def test_sparse_operands():
    class Dot(C.UserFunction):
        def __init__(self, x, name='dot'):
            self.got = []
            super().__init__([x], name=name)

        def infer_outputs(self):
            return [C.output_variable((1,), np.float32, self.inputs[0].dynamic_axes)]

        def forward(self, x, device=None, outputs_to_retain=None):
            self.got.append(x)
            rows = [
                np.asarray(m.sum(axis=1), np.float32).reshape(-1, 1)
                for m in (x if isinstance(x, list) else [x])
            ]
            return None, rows if isinstance(x, list) else rows[0]

    matrix = scipy.sparse.csr_matrix(np.array([[0, 2, 0, 1], [0, 0, 0, 0], [5, 0, 0, 0]], np.float32))
    x = C.input_variable(4, is_sparse=True)
    m = Dot(x)
    assert np.array_equal(C.user_function(m).eval({x: matrix}), [[3], [0], [5]])
    assert scipy.sparse.isspmatrix_csr(m.got[0]) and (m.got[0] != matrix).nnz == 0
    s = C.sequence.input_variable(4, is_sparse=True)
    m = Dot(s)
    value = C.user_function(m).eval({s: [matrix[:2], matrix[2:]]})
    assert (
        np.array_equal(value[0], [[3], [0]])
        and np.array_equal(value[1], [[5]])
        and (m.got[0][1] != matrix[2:]).nnz == 0
    )


def test_sequence_axis_removed_and_kept():
    class Last(C.UserFunction):
        def infer_outputs(self):
            x = self.inputs[0]
            return [C.output_variable(x.shape, x.dtype, [C.Axis.default_batch_axis()])]

        def forward(self, x, device=None, outputs_to_retain=None):
            return [len(s) for s in x], np.stack([s[-1] for s in x])

        def backward(self, lengths, g):
            return [
                np.concatenate([np.zeros((n - 1, 2), np.float32), g[i : i + 1]])
                for i, n in enumerate(lengths)
            ]

    x = C.sequence.input_variable(2, needs_gradient=True)
    data = [np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((1, 2), np.float32)]
    f = C.user_function(Last([x]))
    assert np.array_equal(f.eval({x: data}), [[4, 5], [1, 1]])
    g, expected = (f * 2).grad({x: data}), (C.sequence.last(x) * 2).grad({x: data})
    assert all(np.array_equal(a, b) for a, b in zip(g, expected))


def test_free_dimensions():
    class Half(C.UserFunction):
        """Every second element: its size follows from that of the operand."""

        def infer_outputs(self):
            n = self.inputs[0].shape[0]
            return [
                C.output_variable((n if n < 0 else (n + 1) // 2,), np.float32, self.inputs[0].dynamic_axes)
            ]

        def forward(self, x, device=None, outputs_to_retain=None):
            return x.shape, x[:, ::2]

        def backward(self, shape, g):
            d = np.zeros(shape, np.float32)
            d[:, ::2] = g
            return d

    x = C.input_variable(C.FreeDimension, needs_gradient=True)
    f = C.user_function(Half([x])) * 3
    for n in (3, 6, 3):
        data = np.arange(2 * n, dtype=np.float32).reshape(2, n)
        assert np.array_equal(f.eval({x: data}), 3 * data[:, ::2])
        expected = np.zeros((2, n))
        expected[:, ::2] = 3
        assert np.array_equal(f.grad({x: data}), expected)


def test_placeholders_and_clones():
    p, x = C.placeholder(), C.input_variable(3, needs_gradient=True)
    f = C.user_function(Unary(p)) + 1
    f.replace_placeholder(x)
    assert np.array_equal(f.eval({x: X}), X * X + 1)
    g = f.clone('share')
    assert np.array_equal(g.eval({g.arguments[0]: X}), X * X + 1)
    y = C.input_variable(3)
    assert np.array_equal(f.clone('share', {x: y * 2}).eval({y: X}), 4 * X * X + 1)
    assert np.array_equal(f(y).eval({y: X}), X * X + 1)
    both = C.combine([f, g])
    assert len({v.owner.uid for v in both.outputs}) == 2


def test_in_layers_and_blocks():
    @C.BlockFunction('Squared', 'squared')
    def squared(x):
        return C.user_function(Unary(x))

    model = C.layers.Sequential(
        [
            C.layers.Dense(4, init=C.glorot_uniform(seed=1)),
            squared,
            C.layers.Dense(2, init=C.glorot_uniform(seed=2)),
        ]
    )
    x = C.input_variable(3)
    z = model(x)
    by_shape = {p.shape: p.value for p in z.parameters}
    expected = ((X @ by_shape[3, 4] + by_shape[4,]) ** 2) @ by_shape[4, 2] + by_shape[2,]
    assert np.allclose(z.eval({x: X}), expected, atol=1e-5)
    assert z.find_by_name('squared').op_name == 'Squared'


def test_shown_like_other_functions():
    x = C.input_variable(3, name='x')
    m = Unary(x)
    f = C.user_function(m)
    # as in CNTK: the name is that of the function, not of the network
    assert (str(f), f.name) == ('UserFunction(x: Tensor[3]) -> Tensor[3]', '')
    assert str(f.root_function) == 'unary: UserFunction(x: Tensor[3]) -> Tensor[3]'
    assert f.find_by_name('unary') is not None
    assert (
        m.op_name == Unary.__module__ + '.Unary'
        and m.op_name in str(m)
        and m.uid.startswith('UserDefinedFunction')
    )
    assert (
        isinstance(m, C.Function)
        and isinstance(m, C.UserFunction)
        and m.name == 'unary'
        and m.inputs == (x,)
        and m.shape == (3,)
    )
    assert (m + 1).eval({x: X}) == pytest.approx(X * X + 1)  # as an operand by itself
    with pytest.raises(AttributeError):
        m.not_there


def test_attributes():
    m = Unary(C.input_variable(3), attributes={'alpha': 2, 'list': [1, 'two']})
    assert m.attributes == {'alpha': 2, 'list': [1, 'two']} == C.user_function(m).root_function.attributes
    assert C.user_function(Unary(C.input_variable(3))).root_function.attributes == {}


def test_a_graph_keeps_its_functions_and_not_the_other_way_round():
    x = C.input_variable(3)
    m = Unary(x)
    dead = weakref.ref(m)
    f = C.user_function(m) + 1
    f.eval({x: X})
    del m
    assert dead() is not None and np.array_equal(f.eval({x: X}), X * X + 1)
    del f
    assert dead() is None  # at once: nothing waits for the collector
    m = Unary(x)
    for _ in range(3):  # its graph is gone, and made again
        assert np.array_equal(C.user_function(m).eval({x: X}), X * X)
    assert len(m.calls) == 3


def test_results_of_many_kinds():
    x = C.input_variable(3)

    def value(result):
        return C.user_function(Unary(x, f=lambda a: result(a))).eval({x: X})

    for result in (
        lambda a: a.astype(np.float64),
        lambda a: a.tolist(),
        lambda a: list(a),
        lambda a: np.asfortranarray(a),
        lambda a: a.reshape(2, 1, 3),
        lambda a: C.Value(a),
        lambda a: C.NDArrayView.from_dense(a),
        lambda a: a[::-1][::-1],
    ):
        assert np.array_equal(value(result), X)
    for result in (lambda a: a.T, lambda a: 'text', lambda a: a[:, :2], lambda a: None):
        with pytest.raises((ValueError, RuntimeError, TypeError)):
            value(result)


def test_several_threads():
    x = C.input_variable(64, needs_gradient=True)
    f = C.user_function(Unary(C.user_function(Unary(x + 1)) * 0.5)) + 0
    wrong = []

    def work(seed):
        random = np.random.RandomState(seed)
        for _ in range(100):
            data = random.rand(random.randint(1, 5), 64).astype(np.float32)
            g, v = f.grad({x: data}, outputs=[f.output])
            if not np.allclose(v, ((data + 1) ** 2 / 2) ** 2, rtol=1e-5) or not np.allclose(
                g, (data + 1) ** 3, rtol=1e-5
            ):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join(120) for t in threads]
    assert not wrong and not any(t.is_alive() for t in threads)
    gc.collect()


def test_a_variable_that_is_given_twice_has_one_gradient():
    """It is one key of `variables`, whose value counts once, as in CNTK 2.7."""

    class Product(C.UserFunction):
        def __init__(self, a, b, name='product'):
            super().__init__([a, b], name=name)

        def infer_outputs(self):
            return [C.output_variable(self.inputs[0].shape, np.float32, self.inputs[0].dynamic_axes)]

        def forward(self, arguments, device=None, outputs_to_retain=None):
            return arguments, arguments[0] * arguments[1]

        def backward(self, state, root_gradients, variables):
            for v in variables:
                variables[v] = root_gradients * state[1]

    x = C.input_variable(1, needs_gradient=True)
    numbers = {x: np.array([[3.0]], np.float32)}
    assert C.user_function(Product(x, x)).grad(numbers).tolist() == [[3]]
    y = x * 2
    assert C.user_function(Product(y, y)).grad(numbers).tolist() == [[12]]


@pytest.mark.parametrize('sequences', [False, True])
def test_the_gradient_of_a_result_that_nobody_reads_is_zero(sequences):
    seen = []

    class Two(C.UserFunction):
        def __init__(self, a, name='two'):
            super().__init__([a], name=name)

        def infer_outputs(self):
            x = self.inputs[0]
            return [C.output_variable(x.shape, x.dtype, x.dynamic_axes) for _ in range(2)]

        def forward(self, argument, outputs, device=None, outputs_to_retain=None):
            outputs[self.outputs[0]], outputs[self.outputs[1]] = argument, argument

        def backward(self, state, root_gradients):
            first, second = [root_gradients[v] for v in self.outputs]
            seen.append(first)
            if sequences:
                return [2 * a + 3 * b for a, b in zip(first, second)]
            return 2 * first + 3 * second

    x = (C.sequence.input_variable if sequences else C.input_variable)(2, needs_gradient=True)
    numbers = np.ones((2, 3, 2) if sequences else (3, 2), np.float32)
    two = C.user_function(Two(x))
    gradient = C.combine([two.outputs[1] * 1]).grad({x: numbers})
    assert np.array_equal(gradient, numbers * 3)
    assert np.array_equal(seen[0], numbers * 0)
