"""forward_backward against all alignments one by one, differences in float64, and what CNTK 2.7 makes of the
same."""

import itertools

import numpy as np
import pytest

import cantik as C

BLANK = 3
RS = np.random.RandomState(0)
X = RS.randn(6, 4).astype(np.float32)
Y = RS.randn(5, 4).astype(np.float32)


def graph(begins, labels, steps):
    """Each label from where it begins to where the next one does."""
    g = np.zeros((steps, 4), np.float32)
    for begin, end, label in zip(begins, [*begins[1:], steps], labels):
        g[begin:end, label] = 1
        g[begin, label] = 2
    return g


LX, LY = graph([0, 2, 4], [0, 1, 2], 6), graph([0, 3], [2, 0], 5)


def made(delay=-1, dtype=np.float32, blank=BLANK):
    features, labels = (
        C.sequence.input_variable(4, dtype=dtype, needs_gradient=True),
        C.sequence.input_variable(4, dtype=dtype),
    )
    return features, labels, C.forward_backward(C.labels_to_graph(labels), features, blank, delay)


def loss(x, g, delay=-1, **options):
    features, labels, f = made(delay, **options)
    return float(
        f.eval({features: x if isinstance(x, list) else [x], labels: g if isinstance(g, list) else [g]})
    )


def by_hand(x, labels, latest=None, latest_end=None, blank=BLANK):
    """Over all alignments. latest: of each label, the last step at which it may be read; latest_end: that of
    the blank behind all labels, which may be read at the last step too."""
    x = x.astype(np.float64)
    log_p = x - np.log(np.exp(x).sum(-1, keepdims=True))
    total = 0
    for path in itertools.product(range(4), repeat=len(x)):
        read, when, before = [], [], None
        for t, k in enumerate(path):
            if k != blank and k == before:
                when[-1] = t
            elif k != blank:
                read.append(k)
                when.append(t)
            before = k
        if read != labels:
            continue
        if latest_end is not None and any(t > latest_end for t in range(when[-1] + 1, len(x) - 1)):
            continue
        if latest is None or all(t <= last for t, last in zip(when, latest)):
            total += np.exp(log_p[range(len(x)), path].sum())
    return -np.log(total)


@pytest.mark.parametrize(
    'begins, labels', [([0, 2, 4], [0, 1, 2]), ([0, 2, 4], [0, 0, 1]), ([0], [2]), ([1, 3, 5], [2, 1, 2])]
)
def test_all_alignments(begins, labels):
    np.testing.assert_allclose(loss(X, graph(begins, labels, 6)), by_hand(X, labels), rtol=1e-6)
    for delay in range(8):  # of the blank behind all labels CNTK measures it from the beginning
        latest = [end + delay for end in [*begins[1:], 6]]
        expected = by_hand(X, labels, latest, latest_end=delay - 1 if delay else None)
        np.testing.assert_allclose(loss(X, graph(begins, labels, 6), delay), expected, rtol=1e-6)


def test_figures_of_cntk():
    np.testing.assert_allclose(loss(X, LX), 3.5431924, rtol=1e-6)
    np.testing.assert_allclose(loss(X, LX, 0), 3.600887, rtol=1e-6)
    np.testing.assert_allclose(loss([X, Y], [LX, LY]), 7.765781, rtol=1e-6)  # summed over the sequences
    np.testing.assert_allclose(
        loss(X, np.minimum(LX, 1)), 10.437562, rtol=1e-6
    )  # no label begins: blanks alone
    np.testing.assert_allclose(loss(X, LX * 1.5), 10.437562, rtol=1e-6)
    features, labels, f = made()
    assert f.shape == () and f.dynamic_axes == () and f.root_function.op_name == 'ForwardBackward'
    assert f.root_function.attributes == {'BlankTokenId': 3, 'DelayConstraint': -1}
    first = f.grad({features: [X], labels: [LX]}, [features])[0]
    np.testing.assert_allclose(first[0], [-0.11004987, 0.07694629, 0.13723415, -0.10413042], atol=2e-7)
    np.testing.assert_allclose(first[4], [0.6307817, -0.24979433, -0.32824218, -0.05274528], atol=2e-7)


def test_a_training_of_cntk():
    features, labels = C.sequence.input_variable(4), C.sequence.input_variable(4)
    z = C.layers.Dense(4, init=0.1)(features)
    criterion = C.forward_backward(C.labels_to_graph(labels), z, BLANK)
    errors = C.edit_distance_error(z, labels, squashInputs=True, tokensToIgnore=[BLANK])
    trainer = C.Trainer(
        z, (criterion, errors), C.sgd(z.parameters, C.learning_parameter_schedule_per_sample(0.05))
    )
    for loss_average, metric in ((0.6602794, 0.6), (0.6159292, 0.4), (0.5828610, 0.4)):
        trainer.train_minibatch({features: [X, Y], labels: [LX, LY]})
        np.testing.assert_allclose(trainer.previous_minibatch_loss_average, loss_average, rtol=1e-6)
        np.testing.assert_allclose(trainer.previous_minibatch_evaluation_average, metric, rtol=1e-6)


@pytest.mark.parametrize('delay', [-1, 0, 2])
def test_slopes(delay):
    features, labels, f = made(delay, np.float64)
    feeds = {features: [X.astype(float), Y.astype(float)], labels: [LX.astype(float), LY.astype(float)]}
    slopes = (f * 3).grad(feeds, [features])
    # With a delay CNTK's gradient leaves out the blank that the last step of a sequence, 5 or 4, may be.
    places = [(s, t) for s, t in itertools.product((0, 1), (0, 2, 4)) if delay < 1 or (s, t) != (1, 4)]
    for (s, t), k in itertools.product(places, range(4)):
        values = []
        for step in (-1e-6, 1e-6):
            moved = [a.copy() for a in feeds[features]]
            moved[s][t, k] += step
            values.append(float(f.eval({features: moved, labels: feeds[labels]})))
        np.testing.assert_allclose(slopes[s][t, k], 3 * (values[1] - values[0]) / 2e-6, atol=1e-7)


def test_labels_that_do_not_fit():
    features, labels, f = made()
    crowded = {features: [X], labels: [graph(list(range(6)), [0, 0, 1, 1, 2, 2], 6)]}
    assert float(f.eval(crowded)) == np.inf
    np.testing.assert_array_equal(f.grad(crowded, [features])[0], np.zeros((6, 4)))


def test_files(tmp_path):
    _features, _labels, f = made(2)
    path = str(tmp_path / 'ctc.model')
    f.save(path)
    again = C.load_model(path)
    by_shape = dict(zip(again.arguments, ([LX], [X])))
    np.testing.assert_allclose(float(again.eval(by_shape)), loss(X, LX, 2), rtol=1e-6)


SILENT = {  # labels: the losses of CNTK 2.7 without a delay, and with 0, 1 and 2
    (3, 1): (8.00421, 8.62663, 8.31246, 8.14406),
    (1, 3): (2.38006, 2.40514, 2.87789, 2.86471),
    (3,): (5.89644, 5.89644, 6.40726, 6.40726),
    (1, 3, 1): (5.82661, 7.55256, 6.64141, 5.88778),
    (1, 3, 3, 2): (5.38290, 6.75770, 6.77132, 6.06443),
    (3, 3): (9.12178, 9.81493, 9.73269, 9.45826),
    (0, 3, 2, 3): (7.29885, 8.71996, 8.80339, 7.63912),
    (1, 2): (3.59305, 3.74546, 3.79608, 3.78665),
}


def test_labels_that_are_the_blank():
    """Silence as a class, and as the blank."""
    draw = np.random.RandomState(0)
    for labels, expected in SILENT.items():
        steps = 2 * len(labels) + 3
        x, g = (
            draw.randn(steps, 4).astype(np.float32),
            graph([2 * i for i in range(len(labels))], labels, steps),
        )
        found = [loss(x, g, delay) for delay in (-1, 0, 1, 2)]
        np.testing.assert_allclose(found, expected, rtol=3e-6, err_msg=str(labels))
        features, given, f = made(-1, np.float64)
        feeds = {features: [x.astype(np.float64)], given: [g.astype(np.float64)]}
        slopes, step = f.grad(feeds)[0], 1e-5
        for place in ((0, 3), (1, labels[0]), (steps - 1, 3)):
            near = []
            for h in (step, -step):
                moved = x.astype(np.float64)
                moved[place] += h
                near.append(loss(moved, g.astype(np.float64), dtype=np.float64))
            np.testing.assert_allclose(slopes[place], (near[0] - near[1]) / (2 * step), atol=1e-7)


def test_mistakes():
    features, labels, _ = made()
    with pytest.raises(ValueError, match='blankTokenId must be a class from 0 to 3, and is 4'):
        C.forward_backward(C.labels_to_graph(labels), features, 4)
    with pytest.raises(ValueError, match='the same number of classes, and have 5 and 4'):
        C.forward_backward(C.labels_to_graph(C.sequence.input_variable(5)), features, 3)
    with pytest.raises(RuntimeError, match='without a sequence axis'):
        C.forward_backward(C.labels_to_graph(C.input_variable(4)), C.input_variable(4), 3)


def by_steps(x, labels):
    """The same, step by step with logarithms: for sequences that have too many alignments to go through."""
    log_p = x - np.logaddexp.reduce(x, axis=-1, keepdims=True)
    places = [BLANK]
    for label in labels:
        places += [label, BLANK]
    now = np.full(len(places), -np.inf)
    now[:2] = log_p[0, places[:2]]
    for row in log_p[1:]:
        come = now.copy()
        come[1:] = np.logaddexp(come[1:], now[:-1])
        for s in range(3, len(places), 2):
            if places[s] != places[s - 2]:
                come[s] = np.logaddexp(come[s], now[s - 2])
        now = come + row[places]
    return -np.logaddexp(now[-1], now[-2])


@pytest.mark.parametrize('size', [1, 30, 1000])
@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_probabilities_of_any_size(size, dtype):
    """No double holds them: of 200 steps e^-200000 at most."""
    rs = np.random.RandomState(5)
    x = (size * rs.randn(200, 4)).astype(dtype)
    begins = list(range(0, 200, 9))
    labels = [int(k) for k in rs.randint(0, 3, len(begins))]
    features, given, f = made(dtype=dtype)
    feeds = {features: [x], given: [graph(begins, labels, 200).astype(dtype)]}
    # the step's share of a loss of 200 steps in which each has an error of its type
    wanted = by_steps(x.astype(np.float64), labels)
    assert float(f.eval(feeds)) == pytest.approx(wanted, rel=2e-6 if dtype == np.float32 else 1e-12)
    slopes = np.asarray(f.grad(feeds, wrt=[features])[0], np.float64)
    assert np.isfinite(slopes).all() and abs(slopes.sum(axis=-1)).max() < 1e-5
    if dtype == np.float64 and size == 1:
        for t, k in ((0, 0), (77, 3), (150, 1), (199, 2)):
            more, less = x.copy(), x.copy()
            more[t, k] += 1e-5
            less[t, k] -= 1e-5
            slope = (by_steps(more, labels) - by_steps(less, labels)) / 2e-5
            assert slopes[t, k] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_edits_of_sequences_with_axes_of_their_own():
    """CNTK 2.7 gives 2 as well, where lengths are the same; other lengths it refuses in the run."""
    a = C.sequence.input_variable(4)
    b = C.sequence.input_variable(4, sequence_axis=C.Axis('labels'))
    tokens = lambda lists: [np.eye(4, dtype=np.float32)[k] for k in lists]
    f = C.edit_distance_error(a, b)
    assert float(f.eval({a: tokens([[0, 1, 2], [1, 1]]), b: tokens([[0, 2, 2], [1, 2]])})) == 2
    # one token is missing of 4: one edit, five steps
    assert float(f.eval({a: tokens([[0, 1, 2], [1, 1]]), b: tokens([[0, 1], [1, 1]])})) == pytest.approx(
        5 / 4
    )
    wide = C.sequence.input_variable(4, dtype=np.float64, sequence_axis=C.Axis('labels'))
    with pytest.raises(ValueError, match='element types|same data type'):
        C.edit_distance_error(a, wide)


@pytest.mark.parametrize('kind', ['edits', 'ranks', 'gains'])
def test_what_is_for_evaluation_only_is_no_loss(kind):
    """A training through it would learn nothing and say nothing; CNTK 2.7 refuses too."""
    x, y = C.input_variable(3), C.input_variable(3)
    w = C.parameter((3, 3), init=0.5)
    z = C.times(x, w)
    loss = {
        'edits': lambda: C.edit_distance_error(z, y),
        'ranks': lambda: C.ndcg_at_1(z[0], y[0], y[1]),
        'gains': lambda: C.lambda_rank(y[0], z[0], y[1]),
    }[kind]()
    with pytest.raises((RuntimeError, ValueError), match='has no gradient') as refused:
        C.Trainer(None, (loss,), [C.sgd([w], 0.1)])
    assert 'stop_gradient' in str(refused.value)
    assert (w.value == 0.5).all()
    # beside a loss it measures
    trainer = C.Trainer(z, (C.squared_error(z, y), C.edit_distance_error(z, y)), [C.sgd([w], 0.1)])
    assert trainer.train_minibatch({x: np.eye(3, dtype=np.float32), y: np.eye(3, dtype=np.float32)})
