"""Batches of several sizes in one network. Expected numbers: NumPy; where CNTK 2.7 was asked, the test says
so."""

import numpy as np
import pytest

import cantik as C

DATA = np.arange(24, dtype=np.float32).reshape(4, 2, 3)


def reshaped(x, *shape):
    return C.to_batch(C.reshape(C.unpack_batch(x), (-1,) + shape))


def test_a_reshaped_batch():
    x = C.input_variable((2, 3))
    y = reshaped(x, 3)
    assert y.shape == (3,) and [a.name for a in y.dynamic_axes] == ['defaultBatchAxis']
    for n in (4, 1, 3):
        np.testing.assert_array_equal((y * 2).eval({x: DATA[:n]}), DATA[:n].reshape(2 * n, 3) * 2)
    np.testing.assert_array_equal(reshaped(x, 2, 2, 3).eval({x: DATA}), DATA.reshape(2, 2, 2, 3))
    both = C.combine([y * 1, x * 1]).eval({x: DATA})
    assert sorted(v.shape for v in both.values()) == [(4, 2, 3), (8, 3)]


def test_gradients_through_several_sizes():
    """The numbers are CNTK's."""
    x, p = C.input_variable((2, 3), needs_gradient=True), C.parameter((3, 2), init=0.5)
    y = reshaped(x, 3)
    np.testing.assert_array_equal((y * y).grad({x: DATA}, [x]), 2 * DATA)
    z = C.times(y, p)
    joined = reshaped(z * 2, 2, 2) + C.reduce_sum(x, axis=1)
    np.testing.assert_array_equal(joined.eval({x: DATA})[0], [[6, 6], [24, 24]])
    g = joined.grad({x: DATA}, [p, x])
    np.testing.assert_array_equal(g[p], [[168, 168], [184, 184], [200, 200]])
    np.testing.assert_array_equal(g[x], np.full((4, 2, 3), 4))
    both = C.reduce_sum(y, axis=C.Axis.all_axes()) * C.reduce_sum(x, axis=C.Axis.all_axes())
    np.testing.assert_array_equal(both.grad({x: DATA}, [x]), np.full((4, 2, 3), 552))


@pytest.mark.parametrize('minibatch_size, first', [(1, -38.14), (4, -9.16)])
def test_a_loss_over_a_reshaped_batch_trains_as_in_cntk(minibatch_size, first):
    x, p = C.input_variable((2, 3)), C.parameter((3, 2), init=0.5)
    loss = C.squared_error(C.times(reshaped(x, 3), p), C.constant(np.ones(2, np.float32)))
    trainer = C.Trainer(
        loss, (loss,), [C.sgd([p], C.learning_parameter_schedule(0.01, minibatch_size=minibatch_size))]
    )
    trainer.train_minibatch({x: DATA})
    assert trainer.previous_minibatch_sample_count == 8
    assert trainer.previous_minibatch_loss_average == pytest.approx(740.75)
    np.testing.assert_allclose(p.value[0], [first, first], rtol=1e-5)


def test_batches_of_unlike_sizes_are_named():
    x, w = C.input_variable((2, 3), name='x'), C.input_variable((3,), name='w')
    y = reshaped(x, 3)
    with pytest.raises(
        ValueError,
        match=r'plus: the operands are batches of different sizes: to_batch_\d+ has 8 samples, w has 4\n',
    ) as error:
        (y + w).eval({x: DATA, w: np.ones((4, 3), np.float32)})
    assert 'test_batches.py' in str(error.value) and 'remedy' in str(error.value)
    a = C.parameter((4, 2, 3), init=1)
    assert (x + C.to_batch(a)).eval({x: DATA}).shape == (4, 2, 3)
    with pytest.raises(ValueError, match=r'x has 3 samples, to_batch_\d+ has 4'):
        (x + C.to_batch(a)).eval({x: DATA[:3]})
    assert sorted(v.shape for v in C.combine([C.to_batch(a) * 2, x * 1]).eval({x: DATA[:3]}).values()) == [
        (3, 2, 3),
        (4, 2, 3),
    ]


def test_sequences_and_recurrences_of_a_reshaped_batch():
    """Thought vectors of utterances, three to a conversation, become the steps of conversations."""
    words = C.sequence.input_variable(2, name='words')
    thought = C.sequence.last(C.layers.Recurrence(C.layers.RNNStep(2, init=0.3), initial_state=0.1)(words))
    steps = C.to_sequence(reshaped(thought, 3, 2))
    last = C.sequence.last(C.layers.Recurrence(C.layers.GRU(2, init=0.2), initial_state=0.2)(steps))
    rng = np.random.RandomState(3)
    data = [rng.randn(n, 2).astype(np.float32) for n in (3, 1, 4, 2, 2, 5)]
    got = last.eval({words: data})
    assert got.shape == (2, 2)

    # The second network alone, fed with what the first gives.
    second = last.clone('share', {thought.output: C.input_variable(2, name='vectors')})
    np.testing.assert_array_equal(got, second.eval({second.arguments[0]: thought.eval({words: data})}))

    # Gradients of the weights of both recurrences, by differences.
    loss = C.reduce_sum(C.square(last), axis=C.Axis.all_axes())
    for p in loss.parameters:
        g = np.asarray(loss.grad({words: data}, [p]))
        value, at = p.value.copy(), tuple(0 for _ in p.shape)
        ends = []
        for step in (1e-2, -1e-2):
            moved = value.copy()
            moved[at] += step
            p.value = moved
            ends.append(float(np.squeeze(loss.eval({words: data}))))
        p.value = value
        assert g[at] == pytest.approx((ends[0] - ends[1]) / 2e-2, rel=2e-2, abs=2e-4)


class Conversations(C.ops.functions.UserFunction):
    """As many vectors to a conversation as there are, by the number of conversations."""

    calls = 0

    def __init__(self, vectors, lengths, name='conversations'):
        super().__init__([vectors, lengths], name=name)

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable((C.FreeDimension,) + x.shape, x.dtype, [C.Axis.default_batch_axis()])]

    def forward(self, arguments, device=None, outputs_to_retain=None):
        Conversations.calls += 1
        vectors, lengths = arguments
        return len(vectors), vectors.reshape((len(lengths), -1) + vectors.shape[1:])

    def backward(self, state, root_gradients, variables):
        for v in variables:
            variables[v] = root_gradients.reshape((state,) + root_gradients.shape[2:])


def test_a_user_function_decides_how_large_its_result_is():
    words, lengths = (
        C.sequence.input_variable(2, name='words', needs_gradient=True),
        C.input_variable((), name='lengths'),
    )
    thought = C.sequence.last(words * 2)
    joined = C.user_function(Conversations(thought, lengths))
    assert joined.shape == (C.FreeDimension, 2)
    total = C.reduce_sum(C.square(joined), axis=0)
    rng = np.random.RandomState(0)
    for conversations, each in ((3, 2), (2, 3), (1, 4)):
        data = [rng.randn(n, 2).astype(np.float32) for n in rng.randint(1, 5, conversations * each)]
        ends = 2 * np.array([d[-1] for d in data])
        feed = {words: data, lengths: np.full(conversations, each, np.float32)}
        Conversations.calls = 0
        got = total.eval(feed)
        assert Conversations.calls == 1  # asked for its size, and its result taken
        np.testing.assert_allclose(
            got, np.square(ends).reshape(conversations, each, 2).sum(1, keepdims=True), rtol=1e-6
        )
        g = total.grad(feed, [words])
        for d, end, grad in zip(data, ends, g):
            np.testing.assert_allclose(grad, np.concatenate([np.zeros_like(d[1:]), [4 * end]]), rtol=1e-6)


def test_a_user_function_that_gives_nothing_of_a_size():
    class Nothing(Conversations):
        def forward(self, arguments, device=None, outputs_to_retain=None):
            return None, 'words'

    x, n = C.input_variable(2), C.input_variable(())
    with pytest.raises(ValueError, match='Nothing.forward gave what does not fit'):
        C.user_function(Nothing(x, n)).eval({x: np.ones((2, 2), np.float32), n: np.ones(2, np.float32)})


def test_values_are_spelled_as_cntk_spells_them():
    """User functions with as_numpy=False get what CNTK's binding has: methods where Value has properties."""

    class Halves(C.ops.functions.UserFunction):
        def __init__(self, x):
            super().__init__([x], as_numpy=False, name='halves')

        def infer_outputs(self):
            return [
                C.output_variable(
                    (C.FreeDimension,) + self.inputs[0].shape,
                    self.inputs[0].dtype,
                    self.inputs[0].dynamic_axes,
                )
            ]

        def forward(self, argument, device=None, outputs_to_retain=None):
            n = argument.shape()[0]
            assert argument.shape == argument.data().shape() == (n, 3)
            return None, C.cntk_py.Value(argument.data().as_shape((n / 2, 2) + self.inputs[0].shape))

        def backward(self, state, root_gradients):
            d = root_gradients.data()
            return d.as_shape((d.shape()[0] * d.shape()[1], 3))

    x = C.input_variable(3, needs_gradient=True)
    y = C.user_function(Halves(x))
    data = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal((y * 2).eval({x: data}), data.reshape(2, 2, 3) * 2)
    np.testing.assert_array_equal((y * y).grad({x: data}, [x]), data * 2)


def test_lent_values_have_the_methods_of_cntk():
    """And are truth values beside that; a mask only where sequences differ."""
    seen = []

    class Looks(C.ops.functions.UserFunction):
        def __init__(self, x):
            super().__init__([x], as_numpy=False, name='looks')

        def infer_outputs(self):
            x = self.inputs[0]
            return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

        def forward(self, value, device=None, outputs_to_retain=None):
            assert not value.is_sparse and value.is_sparse() is False and value.is_valid() is True
            assert value.is_read_only() is bool(value.is_read_only)
            mask = value.mask()
            seen.append(mask if mask is None else (mask.shape(), mask.masked_count()))
            return None, value.deep_clone()

    x = C.sequence.input_variable(2)
    ragged = [np.ones((1, 2), np.float32), np.ones((3, 2), np.float32)]
    C.user_function(Looks(x)).eval({x: ragged})
    C.user_function(Looks(C.input_variable(2))).eval(np.ones((2, 2), np.float32))
    assert seen == [((2, 3), 2), None]


def test_what_a_function_of_open_size_reads_is_drawn_once():
    """Its operands are computed before the run to know its size, and again in it: from the same random
    numbers."""
    words, lengths, p = C.sequence.input_variable(3), C.input_variable(()), C.parameter((3,), init=1)
    dropped = C.dropout(C.sequence.last(words * p), 0.5, seed=3)
    joined = C.user_function(Conversations(dropped, lengths))
    back = reshaped(joined, 3)
    loss = C.reduce_sum(C.square(back - dropped), axis=0) + C.reduce_sum(back)
    trainer = C.Trainer(loss, (loss,), [C.sgd([p], C.learning_parameter_schedule_per_sample(0.0))])
    feed = {words: list(np.arange(1, 13, dtype=np.float32).reshape(4, 1, 3)), lengths: np.ones(2, np.float32)}
    kept = set()
    for _ in range(4):
        Conversations.calls = 0
        _, out = trainer.train_minibatch(feed, outputs=[dropped, back])
        assert Conversations.calls == 1 and trainer.previous_minibatch_sample_count == 4
        np.testing.assert_array_equal(out[dropped], out[back])
        kept.add(tuple(out[back].ravel() > 0))
    assert len(kept) > 1


def test_forward_and_backward_with_an_open_size():
    words, lengths, p = C.sequence.input_variable(3), C.input_variable(()), C.parameter((3,), init=1)
    ends = np.arange(12, dtype=np.float32).reshape(4, 3)
    feed = {words: list(ends[:, None]), lengths: np.ones(2, np.float32)}
    once = C.user_function(Conversations(C.sequence.last(words) * p, lengths))
    z = C.reduce_sum(C.square(once), axis=0)
    Conversations.calls = 0
    state, got = z.forward(feed, [z.output], {z.output})
    assert Conversations.calls == 1 and got[z.output].shape == (2, 1, 3)
    np.testing.assert_allclose(
        z.backward(state, {z.output: np.ones((2, 1, 3), np.float32)}, {p})[p], 2 * np.square(ends).sum(0)
    )
    Conversations.calls = 0
    twice = C.user_function(Conversations(once, lengths))  # open until the first was called
    np.testing.assert_array_equal(twice.eval(feed), ends.reshape(2, 1, 2, 3))
    assert Conversations.calls == 2


class Open(C.ops.functions.UserFunction):
    def __init__(self, x, name='open'):
        super().__init__([x], name=name)

    def infer_outputs(self):
        x = self.inputs[0]
        return [C.output_variable((C.FreeDimension, C.FreeDimension), x.dtype, x.dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        return None, argument

    def backward(self, state, root_gradients):
        return root_gradients

    def clone(self, inputs):
        return Open(inputs[0])


def test_where_sizes_have_to_be_known():
    x = C.sequence.input_variable(())
    inside = C.layers.Recurrence(lambda h, v: C.reduce_sum(C.user_function(Open(h + v))), initial_state=0)(x)
    with pytest.raises(
        NotImplementedError,
        match='the sizes of .*Open come late, and it stands in a recurrence',
    ):
        inside.eval({x: [np.ones(3, np.float32)]})
    with pytest.raises(
        NotImplementedError, match='Open.forward: the size of a result made of sequences must be known'
    ):
        C.user_function(Open(x + 1)).eval({x: [np.ones(3, np.float32)]})
