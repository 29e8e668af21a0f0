"""Recurrent layers in numbers: against NumPy, step by step, and gradients against differences; decoding
against trying everything."""

import itertools

import numpy as np
import pytest

import cantik as C

LENGTHS = (3, 1, 5, 2)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def batch(dim, seed=0, lengths=LENGTHS):
    rs = np.random.RandomState(seed)
    return [rs.uniform(-1, 1, (n, dim)) for n in lengths]


def network(layer, dim=3):
    with C.default_options(dtype=np.float64):
        x = C.sequence.input_variable(dim, dtype=np.float64, name='x', needs_gradient=True)
        z = layer()(x)
    rs = np.random.RandomState(7)
    for p in z.parameters:
        p.value = rs.uniform(-0.7, 0.7, p.shape)
    return x, z


def values(z):
    return {p.name: p.value for p in z.parameters}


def lstm(p, h, c, x):
    a = p['b'] + x @ p['W'] + h @ p['H']
    i, g, f, o = np.split(a, 4, -1)
    if 'Ci' in p:
        i, f = i + p['Ci'] * c, f + p['Cf'] * c
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    if 'Co' in p:
        o = o + p['Co'] * c
    h = sigmoid(o) * np.tanh(c)
    return (h @ p['P'] if 'P' in p else h), c


def gru(p, h, x):
    xs, hs = np.split(p['b'] + x @ p['W'], 3, -1), np.split(h @ p['H'], 2, -1)
    z, r = sigmoid(xs[0] + hs[0]), sigmoid(xs[1] + hs[1])
    y = (1 - z) * np.tanh(xs[2] + (h * r) @ p['H1']) + z * h
    return (y @ p['P'] if 'P' in p else y,)


def rnn(p, h, x):
    y = np.tanh(x @ p['W'] + h @ p['H'] + p['b'])
    return (y @ p['P'] if 'P' in p else y,)


CELLS = {
    'lstm': (lambda: C.layers.LSTM(4), lstm, (4, 4)),
    'lstm_peepholes_projected': (lambda: C.layers.LSTM(4, cell_shape=5, use_peepholes=True), lstm, (4, 5)),
    'lstm_projected_as_wide': (lambda: C.layers.LSTM(4, cell_shape=4), lstm, (4, 4)),
    'gru': (lambda: C.layers.GRU(4), gru, (4,)),
    'gru_projected': (lambda: C.layers.GRU(4, cell_shape=4), gru, (4,)),
    'rnn_step': (lambda: C.layers.RNNStep(4, activation=C.tanh), rnn, (4,)),
    'rnn_step_projected': (lambda: C.layers.RNNStep(4, cell_shape=5, activation=C.tanh), rnn, (4,)),
    'rnn_step_projected_as_wide': (lambda: C.layers.RNNStep(4, cell_shape=4, activation=C.tanh), rnn, (4,)),
}


def by_hand(step, sizes, sequence, backwards=False, initial=0.0):
    states = [np.full(n, initial) for n in sizes]
    out = []
    for x in sequence[::-1] if backwards else sequence:
        states = list(step(*states, x))
        out.append(states)
    out = out[::-1] if backwards else out
    return [np.array([states[i] for states in out]) for i in range(len(sizes))]


@pytest.mark.parametrize('cell', sorted(CELLS))
def test_a_cell_shape_asks_for_a_projection(cell):
    assert ('P' in values(network(lambda: C.layers.Recurrence(CELLS[cell][0]()))[1])) == ('projected' in cell)


@pytest.mark.parametrize('backwards', [False, True])
@pytest.mark.parametrize('cell', sorted(CELLS))
def test_cells(cell, backwards):
    make, step, sizes = CELLS[cell]
    x, z = network(
        lambda: C.layers.Recurrence(
            make(), go_backwards=backwards, initial_state=0.25, return_full_state=True
        )
    )
    data, p = batch(3), values(z)
    got = z.eval({x: data})
    for i, output in enumerate(z.outputs):
        result = got[output] if len(sizes) > 1 else got
        for sequence, mine in zip(data, result):
            want = by_hand(lambda *a: step(p, *a), sizes, sequence, backwards, 0.25)[i]
            assert np.allclose(mine, want, atol=1e-12)


def test_folds_are_the_last_states():
    data = batch(3)
    for backwards in (False, True):
        x, z = network(lambda: C.layers.Fold(C.layers.GRU(4), go_backwards=backwards))
        p = values(z)
        want = [by_hand(lambda *a: gru(p, *a), (4,), s, backwards)[0][0 if backwards else -1] for s in data]
        assert np.allclose(z.eval({x: data}), want, atol=1e-12)
    x = C.sequence.input_variable(3, dtype=np.float64)
    assert np.allclose(C.layers.Fold(C.plus)(x).eval({x: data}), [s.sum(0) for s in data])
    assert np.allclose(
        C.layers.Fold(C.element_max, initial_state=-9)(x).eval({x: data}), [s.max(0) for s in data]
    )


def test_initial_states_that_are_arguments():
    data, rs = batch(3), np.random.RandomState(1)
    h, c = rs.randn(4, 4), rs.randn(4, 4)
    with C.default_options(dtype=np.float64):
        x, first, second = (
            C.sequence.input_variable(3, dtype=np.float64),
            C.input_variable(4, dtype=np.float64),
            C.input_variable(4, dtype=np.float64),
        )
        z = C.layers.RecurrenceFrom(C.layers.LSTM(4))(first, second, x)
    p = values(z)
    for s, mine in enumerate(z.eval({x: data, first: h, second: c})):
        a, b = h[s], c[s]
        for t, step in enumerate(data[s]):
            a, b = lstm(p, a, b, step)
            assert np.allclose(mine[t], a, atol=1e-12)


def test_delays_and_windows():
    data = batch(3)
    x = C.sequence.input_variable(3, dtype=np.float64)
    for T in (1, 2, -1, 0):
        for s, mine in zip(data, C.layers.Delay(T, initial_state=0.5)(x).eval({x: data})):
            want = np.full_like(s, 0.5)
            for t in range(len(s)):
                if 0 <= t - T < len(s):
                    want[t] = s[t - T]
            assert np.array_equal(mine, want)
    value, valid = C.layers.PastValueWindow(3, axis=-2)(x).outputs
    got = C.combine([value, valid]).eval({x: data})
    for s, v, there in zip(data, got[value], got[valid]):
        n = min(3, len(s))
        assert np.array_equal(v[:n], s[::-1][:n]) and not v[n:].any()
        assert there.ravel().tolist() == [1] * n + [0] * (3 - n)


def test_attention():
    with C.default_options(dtype=np.float64):
        enc = C.sequence.input_variable(3, dtype=np.float64, sequence_axis=C.Axis('source'))
        dec = C.sequence.input_variable(2, dtype=np.float64)
        z = C.layers.AttentionModel(5, enable_self_stabilization=False)(enc, dec)
    v, of_decoder, of_encoder = [p.value for p in z.parameters]
    assert of_encoder.shape == (3, 5) and of_decoder.shape == (2, 5) and v.shape == (5, 1)
    E, D = batch(3, 1, (2, 5, 1)), batch(2, 2, (4, 1, 3))
    for e, d, mine in zip(E, D, z.eval({enc: E, dec: D})):
        for t, state in enumerate(d):
            u = np.tanh(e @ of_encoder + state @ of_decoder) @ v
            a = np.exp(u) / np.exp(u).sum()
            assert np.allclose(mine[t], (a * e).sum(0), atol=1e-12)


def test_unfolding():
    start, like = C.input_variable(1, dtype=np.float64), C.sequence.input_variable(2, dtype=np.float64)
    z = C.layers.UnfoldFrom(lambda s: s * 2)(start, like)
    got = z.eval({start: np.array([[1.0], [3.0]]), like: batch(2, lengths=(3, 2))})
    assert [g.ravel().tolist() for g in got] == [[2, 4, 8], [6, 12]]
    longer = C.layers.UnfoldFrom(lambda s: s + 1, length_increase=2)(start, like)
    assert [
        g.ravel().tolist()
        for g in longer.eval({start: np.array([[0.0], [5.0]]), like: batch(2, lengths=(2, 1))})
    ] == [[1, 2, 3, 4], [6, 7]]
    until = C.layers.UnfoldFrom(lambda s: s + 1, until_predicate=lambda s: C.greater(s, 2))(start, like)
    assert [
        g.ravel().tolist()
        for g in until.eval({start: np.array([[0.0], [-9.0]]), like: batch(2, lengths=(5, 3))})
    ] == [[1, 2, 3], [-8, -7, -6]]


@pytest.mark.parametrize(
    'layer', ['lstm', 'lstm_peepholes_projected', 'gru', 'rnn_step', 'own', 'attention', 'both', 'states']
)
def test_gradients(layer):
    data = batch(3)

    def of_own_step():
        w = C.parameter((3, 3), dtype=np.float64, name='w')
        return C.layers.Recurrence(
            lambda a, b, x: (C.tanh(C.times(a, w) + b), b * 0.5 + x), return_full_state=False
        )

    def attention():
        model = C.layers.AttentionModel(2)
        return lambda x: model(C.layers.Recurrence(C.layers.GRU(2))(x), x)

    layers = {
        'own': of_own_step,
        'attention': attention,
        'both': lambda: C.layers.Sequential(
            [
                (
                    C.layers.Recurrence(C.layers.LSTM(2)),
                    C.layers.Recurrence(C.layers.GRU(2), go_backwards=True),
                ),
                C.splice,
                C.layers.Dense(2),
            ]
        ),
        'states': lambda: C.layers.Fold(
            C.layers.GRU(3), initial_state=C.parameter(3, dtype=np.float64, name='start')
        ),
    }
    x, z = network(layers.get(layer) or (lambda: C.layers.Recurrence(CELLS[layer][0]())))
    weights = np.random.RandomState(3).randn(*z.shape)
    loss = C.reduce_sum(z * C.constant(weights))
    grads = loss.grad({x: data}, wrt=list(loss.parameters) + [x])

    def total():
        return sum(np.sum(v) for v in loss.eval({x: data}))

    step, rs = 1e-6, np.random.RandomState(5)
    for p in loss.parameters:
        direction = rs.randn(*p.shape)
        before = p.value.copy()
        sums = []
        for sign in (1, -1):
            p.value = before + sign * step * direction
            sums.append(total())
        p.value = before
        assert np.isclose(
            (sums[0] - sums[1]) / (2 * step), (grads[p] * direction).sum(), rtol=1e-6, atol=1e-8
        ), p
    directions = [rs.randn(*s.shape) for s in data]
    sums = [
        sum(np.sum(v) for v in loss.eval({x: [s + sign * step * d for s, d in zip(data, directions)]}))
        for sign in (1, -1)
    ]
    assert np.isclose(
        (sums[0] - sums[1]) / (2 * step),
        sum((g * d).sum() for g, d in zip(grads[x], directions)),
        rtol=1e-6,
        atol=1e-8,
    )


def test_a_sequence_alone_gives_the_same_bits():
    x = C.sequence.input_variable(3)
    z = C.layers.Sequential(
        [
            (C.layers.Recurrence(C.layers.LSTM(5)), C.layers.Recurrence(C.layers.GRU(5), go_backwards=True)),
            C.splice,
            C.layers.Dense(2),
        ]
    )(x)
    data = [s.astype(np.float32) for s in batch(3, lengths=(7, 1, 4, 12, 2))]
    together = z.eval({x: data})
    for s, mine in zip(data, together):
        assert np.array_equal(z.eval({x: [s]})[0], mine)


def test_training_a_tagger_as_cntk_does():
    # The losses of CNTK 2.7 for the same script.
    rs = np.random.RandomState(0)
    words, tags = C.sequence.input_variable(12), C.sequence.input_variable(3)
    model = C.layers.Sequential(
        [C.layers.Embedding(6), C.layers.Recurrence(C.layers.LSTM(8)), C.layers.Dense(3)]
    )(words)
    loss, metric = C.cross_entropy_with_softmax(model, tags), C.classification_error(model, tags)
    trainer = C.Trainer(model, (loss, metric), [C.sgd(model.parameters, C.learning_parameter_schedule(0.5))])
    losses = []
    for _i in range(120):
        lengths = rs.randint(1, 9, 8)
        symbols = [rs.randint(0, 12, n) for n in lengths]
        # The tag says whether the word before was even, odd, or not there.
        previous = [np.concatenate([[2], s[:-1] % 2]) for s in symbols]
        trainer.train_minibatch(
            {
                words: [np.eye(12, dtype=np.float32)[s] for s in symbols],
                tags: [np.eye(3, dtype=np.float32)[t] for t in previous],
            }
        )
        losses.append(trainer.previous_minibatch_loss_average)
    assert np.allclose(
        losses[:4],
        [1.1050765991210938, 1.0817982933738015, 1.0505977896756904, 1.1085690585049717],
        rtol=1e-6,
    )
    assert np.allclose(
        losses[39::40], [0.9352977275848389, 0.8554080514346852, 0.7019819617271423], rtol=1e-4
    )


class Speller:
    """Encoder, and a decoder that attends to it inside its recurrence."""

    def __init__(self, symbols=7, width=6):
        L = C.layers
        self.symbols, self.source_axis, self.label_axis = symbols, C.Axis('inputAxis'), C.Axis('labelAxis')
        self.embed = L.Embedding(5)
        with C.default_options(enable_self_stabilization=True):
            self.encode, self.attend, self.cell, self.score, self.stabilize = (
                L.Recurrence(L.LSTM(width)),
                L.AttentionModel(4),
                L.LSTM(width),
                L.Dense(symbols),
                L.Stabilizer(),
            )

        @C.Function
        def decoder(history, source):
            encoded = self.encode(self.embed(source))

            @C.Function
            def step(dh, dc, x):
                return self.cell(dh, dc, C.splice(x, self.attend(encoded.outputs[0], dh)))

            return self.score(self.stabilize(L.Recurrence(step)(self.embed(history))))

        self.decoder = decoder

    def source(self):
        return C.sequence.input_variable(self.symbols, sequence_axis=self.source_axis, name='source')

    def label(self, name):
        return C.sequence.input_variable(self.symbols, sequence_axis=self.label_axis, name=name)

    def sequences(self, rs, lengths):
        return [np.eye(self.symbols, dtype=np.float32)[rs.randint(0, self.symbols, n)] for n in lengths]


def test_attention_inside_a_recurrence_trains_as_cntk_does():
    model, rs = Speller(), np.random.RandomState(0)
    source, history, labels = model.source(), model.label('history'), model.label('labels')
    z = model.decoder(history, source)
    loss = C.cross_entropy_with_softmax(z, labels)
    S, D, Y = (model.sequences(rs, lengths) for lengths in ((3, 5, 1), (4, 2, 3), (4, 2, 3)))
    assert np.allclose(
        z.eval({history: D, source: S})[1][0],
        [0.01714498, -0.03897442, 0.05322593, -0.00118296, -0.00181378, 0.01203943, 0.03109601],
        atol=1e-6,
    )
    trainer = C.Trainer(z, (loss, None), [C.sgd(z.parameters, C.learning_parameter_schedule(0.5))])
    losses = []
    for _ in range(5):
        trainer.train_minibatch({history: D, source: S, labels: Y})
        losses.append(trainer.previous_minibatch_loss_average)
    assert np.allclose(losses, [1.952012, 1.900076, 1.855354, 1.816736, 1.783247], atol=2e-6)


def test_generators_and_decoding_agree():
    model, rs = Speller(), np.random.RandomState(1)
    source = model.source()
    start, end, longest = 0, 1, 9
    first = np.eye(7, dtype=np.float32)[start]

    @C.Function
    def generate(source):
        return C.layers.UnfoldFrom(
            lambda history: C.hardmax(model.decoder(history, source)),
            until_predicate=lambda w: w[end],
            length_increase=1.5,
        )(C.constant(first), source)

    z = generate(source)
    for p in z.parameters:
        if p.shape:
            p.value = rs.uniform(-1.5, 1.5, p.shape).astype(np.float32)
    S = model.sequences(rs, (6, 4, 6, 2))
    generated = [g.argmax(1).tolist() for g in z.eval({source: S})]
    encoded = model.encode(model.embed(source)).eval({source: S})

    @C.Function
    def step(h, c, symbol, encoded):
        h, c = model.cell(h, c, C.splice(model.embed(symbol), model.attend(encoded, h))).outputs
        return model.score(model.stabilize(h)), h, c

    zeros = np.zeros((4, 6), np.float32)
    decoded = C.decoding.greedy_search(
        step, [zeros, zeros], 7, start, end, context=[encoded], max_length=longest
    )
    for mine, theirs, s in zip(decoded, generated, S):
        whole = mine + [end]
        assert theirs == whole[: len(theirs)] and (
            len(theirs) == len(whole) or len(theirs) == int(np.ceil(1.5 * len(s)))
        )
    assert len({tuple(d) for d in decoded}) > 1


def all_results(table, start, end, longest):
    """Every sequence and its log-probability under a table of transitions."""
    log = np.log(np.exp(table) / np.exp(table).sum(1, keepdims=True))
    others = [s for s in range(len(table)) if s != end]
    for n in range(longest + 1):
        for symbols in itertools.product(others, repeat=n):
            path = [start, *symbols, end]
            yield list(symbols), sum(log[a, b] for a, b in zip(path, path[1:]))


def test_beam_search_finds_the_best():
    rs = np.random.RandomState(2)
    for _ in range(5):
        table = rs.randn(4, 4).astype(np.float32)
        weights = C.constant(table)
        step = C.Function(lambda h, symbol: (C.times(symbol, weights) + 0 * h, h))
        want = sorted(all_results(table, 0, 3, 4), key=lambda r: -r[1])[:3]
        found = C.decoding.beam_search(
            step, [np.zeros((2, 1), np.float32)], 4, start=0, end=3, max_length=4, beam=200, best=3
        )
        assert len(found) == 2 and found[0] == found[1]
        assert [r[0] for r in found[0]] == [r[0] for r in want]
        assert np.allclose([r[1] for r in found[0]], [r[1] for r in want], atol=1e-5)


def test_decoding_follows_states_and_context():
    # The state counts; the symbol is the count until the context's number is passed.
    def scores(h, symbol, limit):
        at = C.element_select(C.greater(h, limit), 0 * h + 5, h)
        return C.reshape(C.one_hot(at, 6), (6,)) * 50 + 0 * symbol, h + 1

    start, limits = np.ones((3, 1), np.float32), np.array([[2], [1], [4]], np.float32)
    found = C.decoding.greedy_search(scores, [start], 6, start=0, end=5, context=[limits])
    assert found == [[1, 2], [1], [1, 2, 3, 4]]
    assert C.decoding.greedy_search(scores, [start], 6, start=0, end=5, context=[limits], max_length=1) == [
        [1],
        [1],
        [1],
    ]


def test_wrong_decoding():
    step = C.Function(lambda h, symbol: (C.times(symbol, C.constant(np.eye(3, dtype=np.float32))) + h, h))
    start = [np.zeros((1, 1), np.float32)]
    with pytest.raises(ValueError, match='start symbol 7'):
        C.decoding.beam_search(step, start, 3, start=7, end=2)
    with pytest.raises(ValueError, match='5 results of a beam of 2'):
        C.decoding.beam_search(step, start, 3, start=0, end=2, beam=2, best=5)
    with pytest.raises(TypeError, match='takes 2 states, a symbol'):
        C.decoding.beam_search(step, start * 2, 3, start=0, end=2)
    with pytest.raises(ValueError, match='the scores have the shape'):
        C.decoding.beam_search(lambda h, symbol: (C.reduce_sum(symbol) + h, h), start, 3, start=0, end=2)


def test_states_with_free_dimensions():
    """A state takes its sizes from what it meets in a step: [* x 2] here, which the data say."""
    rs = np.random.RandomState(4)
    wx, wh = (C.parameter((2, 2), dtype=np.float64, init=rs.uniform(-1, 1, (2, 2))) for _ in range(2))
    for size in (C.FreeDimension, C.InferredDimension):
        x = C.sequence.input_variable((size, 2), dtype=np.float64, needs_gradient=True)
        state = C.placeholder()
        h = C.tanh(C.times(x, wx) + C.times(C.sequence.past_value(state), wh))
        h.replace_placeholders({state: h})
        for rows in (3, 1, 3):
            data = [rs.uniform(-1, 1, (n, rows, 2)) for n in LENGTHS]
            for mine, sequence in zip(h.eval({x: data}), data):
                state_now = np.zeros((rows, 2))
                for got, step in zip(mine, sequence):
                    state_now = np.tanh(step @ wx.value + state_now @ wh.value)
                    assert np.allclose(got, state_now, atol=1e-12)
            gradients = h.grad({x: data}, wrt=[wh, x])
            direction, before, eps = rs.uniform(-1, 1, (2, 2)), wh.value.copy(), 1e-6
            sums = []
            for sign in (1, -1):
                wh.value = before + sign * eps * direction
                sums.append(sum(v.sum() for v in h.eval({x: data})))
            wh.value = before
            assert np.isclose((sums[0] - sums[1]) / (2 * eps), (gradients[wh] * direction).sum(), rtol=1e-6)
            assert [g.shape for g in gradients[x]] == [d.shape for d in data]


@pytest.mark.parametrize('layer', ['recurrence', 'fold', 'own'])
def test_states_as_long_as_the_longest_sequence(layer):
    """Each step meets all steps: an axis that the run itself makes is an axis of the state."""
    x = C.sequence.input_variable(2, needs_gradient=True)
    pairs = x * C.sequence.unpack(x, 0, no_mask_output=True)
    if layer == 'recurrence':
        h = C.layers.Recurrence(C.plus)(pairs)
    elif layer == 'fold':
        h = C.layers.Fold(C.plus)(pairs)
    else:
        state = C.placeholder()
        h = pairs + C.sequence.past_value(state)
        h.replace_placeholders({state: h.output})
    rs = np.random.RandomState(0)
    for lengths in (3, 1), (1, 2), (3, 1):
        data = [rs.uniform(-1, 1, (n, 2)).astype(np.float32) for n in lengths]
        got = h.eval({x: data})
        for mine, sequence in zip(got, data):
            whole = np.zeros((max(lengths), 2), np.float32)
            whole[: len(sequence)] = sequence
            sums = (sequence[:, None] * whole).cumsum(0)
            np.testing.assert_allclose(mine, sums[-1] if layer == 'fold' else sums, rtol=1e-5, atol=1e-6)
        last = h if layer == 'fold' else C.sequence.last(h)
        for gradient, sequence in zip(C.reduce_sum(last).grad({x: data}, [x]), data):
            np.testing.assert_allclose(gradient, 2 * sequence.sum(0) + 0 * sequence, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('length,pad', [(1, False), (2, True), (3, True), (3, False), (4, True), (4, False)])
def test_convolution_along_the_steps(length, pad):
    """The same numbers as SequentialConvolution, on the operand's own axis where the ends are padded."""
    x = C.sequence.input_variable((2, 5), dtype=np.float64)
    with C.default_options(dtype=np.float64, init=C.uniform(1)):
        along = C.layers.Convolution((length, 3), 4, sequential=True, pad=(pad, True), init_bias=0.5)(x)
        other = C.layers.SequentialConvolution((length, 3), 4, pad=(pad, True), init_bias=0.5)(x)
    other.W.value = along.W.value
    assert along.W.shape == (4, 2, length, 3) and along.b.shape == (4, 1, 1) and along.shape == (4, 5)
    assert (along.dynamic_axes == x.dynamic_axes) == (pad or length == 1)
    data = [np.random.RandomState(n).uniform(-1, 1, (n, 2, 5)) for n in (5, 4, 9)]
    for a, b in zip(along.eval({x: data}), other.eval({x: data})):
        assert a.shape == b.shape and np.allclose(a, b, atol=1e-12)
    with pytest.raises(NotImplementedError, match='use SequentialConvolution'):
        C.layers.Convolution((2, 3), 4, sequential=True, strides=2)


def test_copies_of_blocks_with_loops_inside():
    x = C.sequence.input_variable(3)
    y = C.sequence.input_variable(3)
    cell = C.layers.LSTM(2)
    state = [C.placeholder(name=name) for name in 'hc']
    inside = C.placeholder(name='x')
    h, c = cell(C.sequence.past_value(state[0]), C.sequence.past_value(state[1]), inside).outputs
    loop = C.combine([h]).replace_placeholders({state[0]: h, state[1]: c})
    z = C.as_block(loop, [(inside, x)], 'Recurrent')
    data = [np.ones((n, 3), np.float32) for n in (3, 1)]
    want = z.eval({x: data})
    for copy in (z.clone('share'), z.clone('clone'), z.clone('freeze', {x: y})):
        assert copy.shape == (2,) and all(
            np.array_equal(a, b) for a, b in zip(copy.eval({copy.arguments[0]: data}), want)
        )


@pytest.mark.parametrize(
    'normalised',
    [
        lambda h: h - C.reduce_mean(h, axis=0),
        lambda h: h - C.reduce_mean(h),
        lambda h: h * C.reduce_mean(C.reshape(h, (1, 3)), axis=1),
        lambda h: C.mean_variance_normalization(h, epsilon=0.1, use_stats_across_channels=True),
    ],
    ids=['axis', 'all', 'last', 'variance'],
)
def test_gradients_of_means_within_a_step(normalised):
    x = C.sequence.input_variable(3, dtype=np.float64, needs_gradient=True)
    rs = np.random.RandomState(1)
    z = C.layers.Recurrence(lambda h, v: C.tanh(0.5 * h + v) + normalised(h))(x)
    assert C.check_gradient(z, {x: [rs.uniform(-1, 1, (n, 3)) for n in (3, 1, 2)]})


def test_recurrences_with_layer_normalization_learn():
    """The figure is CNTK 2.7's."""
    x = C.sequence.input_variable(3)
    norm = C.layers.LayerNormalization()
    y = C.layers.Recurrence(lambda h, v: norm(C.tanh(h + v)))(x)
    trainer = C.Trainer(y, (C.squared_error(y, x), None), [C.sgd(y.parameters, 0.1)])
    trainer.train_minibatch({x: [np.arange(6, dtype=np.float32).reshape(2, 3)]})
    assert trainer.previous_minibatch_loss_average == pytest.approx(26.05211639404297, rel=1e-6)
