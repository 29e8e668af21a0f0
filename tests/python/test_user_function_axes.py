"""Results of user functions on sequence axes of their own."""

import numpy as np
import pytest

import cantik as C

DATA = [np.arange(10, dtype=np.float32).reshape(5, 2), np.arange(4, dtype=np.float32).reshape(2, 2)]


def test_sequence_axis_of_its_own():
    class EverySecond(C.UserFunction):
        def __init__(self, x, name='every second'):
            self.axis = C.Axis.new_unique_dynamic_axis('half')
            self.count = 0
            super().__init__([x], name=name)

        def infer_outputs(self):
            x = self.inputs[0]
            return [C.output_variable(x.shape, x.dtype, [C.Axis.default_batch_axis(), self.axis])]

        def forward(self, x, device=None, outputs_to_retain=None):
            self.count += 1
            return [s.shape for s in x], [np.concatenate([s[::2]] * 3) for s in x]  # more steps than came

        def backward(self, shapes, g):
            d = [np.zeros(shape, np.float32) for shape in shapes]
            for a, b in zip(d, g):
                n = len(a[::2])
                a[::2] = b[:n] + b[n : 2 * n] + b[2 * n :]
            return d

    x = C.sequence.input_variable(1, needs_gradient=True)
    data = [np.arange(5, dtype=np.float32).reshape(5, 1), np.arange(2, dtype=np.float32).reshape(2, 1)]
    m = EverySecond(x)
    f = C.user_function(m) * 2
    value = f.eval({x: data})
    assert m.count == 1  # though there was not enough memory at first
    assert np.array_equal(value[0].ravel(), [0, 4, 8] * 3) and np.array_equal(value[1].ravel(), [0, 0, 0])
    g = C.sequence.reduce_sum(f).grad({x: data})
    assert np.array_equal(g[0].ravel(), [6, 0, 6, 0, 6]) and np.array_equal(g[1].ravel(), [6, 0])


class Several(C.UserFunction):
    """Of a sequence: every second step on an axis `half`, all steps twice on an axis `twice`, three times
    all, and the sum."""

    MAKES = dict(
        half=lambda s: s[::2],
        twice=lambda s: np.repeat(s, 2, axis=0),
        same=lambda s: 3 * s,
        total=lambda s: s.sum(axis=0),
    )

    def __init__(self, x, names, as_numpy=True, name='several'):
        self.names, self.count, self.seen = names, 0, []
        self.axes = {n: C.Axis.new_unique_dynamic_axis(n) for n in ('half', 'twice')}
        super().__init__([x], as_numpy=as_numpy, name=name)

    def infer_outputs(self):
        x, batch = self.inputs[0], C.Axis.default_batch_axis()
        axes = dict(
            half=[batch, self.axes['half']],
            twice=[batch, self.axes['twice']],
            same=x.dynamic_axes,
            total=[batch],
        )
        return [C.output_variable(x.shape, x.dtype, axes[n], name=n) for n in self.names]

    def forward(self, x, outputs, device=None, outputs_to_retain=None):
        self.count += 1
        for v in outputs:
            made = [self.MAKES[v.name](s) for s in x]
            outputs[v] = np.array(made) if v.name == 'total' else made
        return [len(s) for s in x]

    def backward(self, lengths, roots):
        self.seen.append({v.name for v in roots})
        d = [np.zeros((n, 2), np.float32) for n in lengths]
        for v, g in roots.items():
            for a, b in zip(d, g):
                if v.name == 'half':
                    a[::2] += b
                elif v.name == 'twice':
                    a += b[::2] + b[1::2]
                else:
                    a += 3 * b if v.name == 'same' else b
        return d


@pytest.mark.parametrize(
    'names',
    [
        ('half', 'same'),
        ('same', 'half'),
        ('total', 'half'),
        ('half', 'twice'),
        ('same', 'twice', 'total', 'half'),
    ],
)
def test_beside_others(names):
    x = C.sequence.input_variable(2, needs_gradient=True)
    m = Several(x, names)
    f = C.user_function(m)
    assert [v.name for v in f.outputs] == list(names)
    values = f.eval({x: DATA})
    assert m.count == 1  # also where there was not enough memory at first
    for v in f.outputs:
        for got, s in zip(values[v], DATA):
            np.testing.assert_array_equal(got, Several.MAKES[v.name](s))
    # One result alone, and the gradient of all of them.
    scale = dict(half=2.0, twice=5.0, same=7.0, total=11.0)
    expected = dict(
        half=lambda s: 2.0 * (np.arange(len(s)) % 2 == 0)[:, None] + 0 * s,
        twice=lambda s: 10 + 0 * s,
        same=lambda s: 21 + 0 * s,
        total=lambda s: 11 + 0 * s,
    )
    terms = []
    for v in f.outputs:
        y = scale[v.name] * v
        term = C.reduce_sum(y if v.name == 'total' else C.sequence.reduce_sum(y))
        np.testing.assert_array_equal(
            term.eval({x: DATA}).ravel(), [scale[v.name] * Several.MAKES[v.name](s).sum() for s in DATA]
        )
        for got, s in zip(term.grad({x: DATA}), DATA):
            np.testing.assert_array_equal(got, expected[v.name](s))
        # of a result on the operand's axis there are zeros, too
        assert m.seen.pop() == {v.name} | ({'same'} & set(names)) and not m.seen
        terms.append(term)
    loss = sum(terms[1:], terms[0])
    for got, s in zip(loss.grad({x: DATA}), DATA):
        np.testing.assert_array_equal(got, sum(expected[n](s) for n in names))
    assert m.seen == [set(names)]


def test_two_results_on_one_axis_have_sequences_of_the_same_lengths():
    class Halves(C.UserFunction):
        def __init__(self, x, wrong=False):
            self.axis, self.wrong = C.Axis.new_unique_dynamic_axis('half'), wrong
            super().__init__([x])

        def infer_outputs(self):
            return [
                C.output_variable(2, np.float32, [C.Axis.default_batch_axis(), self.axis], name=n)
                for n in ('even', 'odd')
            ]

        def forward(self, x, outputs, device=None, outputs_to_retain=None):
            for v in outputs:
                outputs[v] = [
                    s[::2]
                    if v.name == 'even'
                    else s[::2] + (1 if not self.wrong else np.ones((2, 1, 2), np.float32))[0:1]
                    if self.wrong
                    else s[::2] + 1
                    for s in x
                ]
            if self.wrong:
                outputs[self.outputs[1]] = list(x)

    x = C.sequence.input_variable(2)
    f = C.user_function(Halves(x))
    y = f.outputs[1] - f.outputs[0]
    assert all(np.array_equal(v, np.ones_like(s[::2])) for v, s in zip(y.eval({x: DATA}), DATA))
    f = C.user_function(Halves(x, wrong=True))
    with pytest.raises(
        ValueError, match=r'(?s)makes 5 steps of sequence 0 on an axis where it has 3.*axes of their own'
    ):
        (f.outputs[1] - f.outputs[0]).eval({x: DATA})


def test_forward_and_backward_apart():
    x = C.sequence.input_variable(2, needs_gradient=True)
    f = C.user_function(Several(x, ('same', 'half')))
    state, values = f.forward({x: DATA}, f.outputs, set(f.outputs))
    seeds = {v: [np.ones_like(a) for a in values[v]] for v in f.outputs}
    for _ in range(2):
        d = f.backward(state, seeds, {x})
        assert all(
            np.array_equal(g, 3 + (np.arange(len(s)) % 2 == 0)[:, None] + 0 * s) for g, s in zip(d[x], DATA)
        )


def test_wrong_results():
    x = C.sequence.input_variable(2)

    def run(result):
        class Wrong(Several):
            def forward(self, x, outputs, device=None, outputs_to_retain=None):
                outputs[self.outputs[0]] = x
                if result is not None:
                    outputs[self.outputs[1]] = result

        C.user_function(Wrong(x, ('same', 'half'))).eval({x: DATA})

    with pytest.raises(ValueError, match='not all outputs have been provided, output 1 is missing'):
        run(None)
    with pytest.raises(ValueError, match='a result with sequences of its own must be a list of 2 arrays'):
        run(np.ones((2, 3, 2), np.float32))
    with pytest.raises(ValueError, match='a result with sequences of its own must be a list of 2 arrays'):
        run([DATA[0]])
    with pytest.raises(
        ValueError, match='sequence 0 of a result must have an axis of steps, and is a number'
    ):
        run([np.float32(1), np.float32(2)])


def test_no_operand_says_how_many_sequences_there_are():
    class Made(C.UserFunction):
        def infer_outputs(self):
            return [
                C.output_variable(
                    2, np.float32, [C.Axis.default_batch_axis(), C.Axis.new_unique_dynamic_axis('made')]
                )
            ]

    with pytest.raises(ValueError, match='none of its operands has a batch axis'):
        C.user_function(Made([C.parameter(2)]))


def test_views_kept_from_a_run_that_began_anew():
    """More steps are made than there was memory for: everything runs once more, in other memory where
    somebody looks at the first."""
    kept = []

    class Look(C.UserFunction):
        def infer_outputs(self):
            x = self.inputs[0]
            return [C.output_variable(x.shape, x.dtype, x.dynamic_axes)]

        def forward(self, x, device=None, outputs_to_retain=None):
            kept.append(x)
            return None, x  # the view itself is the result

        def backward(self, state, g):
            return g

    class Longer(C.UserFunction):
        def __init__(self, x, times):
            self.axis, self.times = C.Axis.new_unique_dynamic_axis('long'), times
            super().__init__([x], as_numpy=False)

        def infer_outputs(self):
            x = self.inputs[0]
            return [C.output_variable(x.shape, x.dtype, [C.Axis.default_batch_axis(), self.axis])]

        def forward(self, x, device=None, outputs_to_retain=None):
            kept.append(x)
            return None, [np.concatenate([s] * self.times) for s in x.as_sequences()]

    x = C.sequence.input_variable(2)
    y = C.user_function(Look([x * 2 + 1], as_numpy=False))
    for times in (3, 40, 500):
        f = C.sequence.reduce_sum(C.user_function(Longer(y * 3, times)))
        del kept[:]
        for round in range(2):
            data = [d + 10 * round for d in DATA]
            for got, s in zip(f.eval({x: data}), data):
                np.testing.assert_allclose(got, times * (6 * s + 3).sum(axis=0), rtol=1e-5)
        assert len(kept) == 6  # each run looked twice, and asked for the lengths once
        first = [d.astype(np.float64) for d in DATA]
        shown = [v.as_sequences() for v in kept]
        assert all(np.array_equal(a, 2 * s + 1) for a, s in zip(shown[0], first))
        assert all(np.array_equal(a, 3 * (2 * s + 1)) for a, s in zip(shown[1], first))
        assert all(np.array_equal(a, 2 * s + 1) for a, s in zip(shown[2], first))
        assert all(np.array_equal(a, 2 * (s + 10) + 1) for a, s in zip(shown[3], first))
        assert all(np.array_equal(a, 2 * (s + 10) + 1) for a, s in zip(shown[5], first))
