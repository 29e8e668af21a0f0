"""lambda_rank over long lists, and negative samples of sequences."""

import numpy as np
import pytest

import cantik as C


def lambdas(scores, gains):
    """The formula, pair by pair."""
    n = len(scores)
    rank = np.array(
        [1 + sum(o > s or (o == s and j < i) for j, o in enumerate(scores)) for i, s in enumerate(scores)]
    )
    discount = 1 / np.log2(1.0 + rank)
    ideal = np.sum(gains / np.log2(2.0 + np.arange(n)))
    slopes = np.zeros(n)
    for i in range(n):
        for j in range(i + 1, n):
            gain = gains[i] - gains[j]
            if gain > 0:
                pull = gain * abs(discount[i] - discount[j]) / ideal / (1 + np.exp(scores[i] - scores[j]))
                slopes[i] -= pull
                slopes[j] += pull
    return 1 - np.sum(gains * discount) / ideal, slopes


@pytest.mark.parametrize('ties', [False, True])
def test_lists(ties):
    random = np.random.RandomState(0)
    lengths = [1, 2, 7, 60, 150]
    score, gain, group = (C.input_variable(1, dtype=np.float64, needs_gradient=i == 0) for i in range(3))
    loss = C.lambda_rank(score, gain, group)
    data, want, slopes = [], [], []
    for g, n in enumerate(lengths):
        s = random.randint(0, 5, n).astype(float) if ties else random.randn(n)
        gains = np.sort(random.randint(0, 4, n))[::-1].astype(float) + (n < 3)
        data.append((s, gains, np.full(n, g)))
        value, slope = lambdas(s, gains)
        want.append(value), slopes.append(slope)
    s, gains, groups = (np.concatenate(part).reshape(-1, 1).astype(np.float64) for part in zip(*data))
    gradient, value = loss.grad({score: s, gain: gains, group: groups}, [score], [loss.output])
    assert np.allclose(gradient.ravel(), np.concatenate(slopes), atol=1e-12)
    assert np.allclose(value, 100 * np.mean(want) * len(s))


@pytest.mark.parametrize(
    'scores, gains, groups, loss, slopes',
    [
        ([0.3], [0], [0], 100, [0]),
        ([0.3, 0.2, 0.1, 0.5], [3, 1, 0, 0], [0, 0, 1, 1], 200, [-0.096568, 0.096568, 0, 0]),
        ([0.3, 0.2, 0.1, 0.5], [3, 1, 2, 0], [0] * 4, 118.92104, [-0.177787, -0.042273, -0.120627, 0.340687]),
        ([0.3, 0.2, 0.1, 0.5], [0, 0, 3, 1], [0] * 4, -74.86558, [0, 0, -0.353085, 0.353085]),
        ([0.3, 0.2], [-1, -2], [0, 0], 0, [0, 0]),
    ],
)
def test_lists_without_gains_and_in_other_orders(scores, gains, groups, loss, slopes):
    """The figures are CNTK 2.7's."""
    score, gain, group = (C.input_variable(1, needs_gradient=i == 0) for i in range(3))
    f = C.lambda_rank(score, gain, group)
    feeds = {
        v: np.array(a, np.float32)[:, None] for v, a in zip((score, gain, group), (scores, gains, groups))
    }
    found, value = f.grad(feeds, [score], [f.output])
    np.testing.assert_allclose(value, loss, rtol=1e-6)
    np.testing.assert_allclose(found.ravel(), slopes, atol=2e-6)


def test_a_long_list():
    """Pairs are looked at once: with the ranks counted anew for each, this would be 5e11 steps."""
    n = 8000
    random = np.random.RandomState(1)
    score, gain, group = (C.input_variable(1, needs_gradient=i == 0) for i in range(3))
    loss = C.lambda_rank(score, gain, group)
    gains = np.zeros((n, 1), np.float32)
    gains[:40] = 1
    gradient = loss.grad(
        {score: random.randn(n, 1).astype(np.float32), gain: gains, group: np.ones((n, 1), np.float32)},
        [score],
    )
    assert np.all(gradient[:40] < 0) and np.all(gradient[40:] >= 0) and abs(gradient.sum()) < 1e-2


def test_a_score_that_is_no_number():
    score, gain, group = (C.input_variable(1, needs_gradient=i == 0) for i in range(3))
    loss = C.lambda_rank(score, gain, group)
    feeds = {
        score: np.array([[1], [np.nan], [2]], np.float32),
        gain: np.array([[3], [1], [0]], np.float32),
        group: np.ones((3, 1), np.float32),
    }
    assert np.isnan(loss.grad(feeds, [score])).any()


# ---- negative samples


def columns(lengths):
    """Where CNTK 2.7 lays rows: (column of each row, number of columns)."""
    longest, slots, where = max(lengths), [], []
    for n in lengths:
        slot = next((i for i, used in enumerate(slots) if used + n <= longest), len(slots))
        if slot == len(slots):
            slots.append(0)
        where.append((slot, slots[slot]))
        slots[slot] += n
    return [
        (begin + t) * len(slots) + slot for (slot, begin), n in zip(where, lengths) for t in range(n)
    ], longest * len(slots)


def expected(x, y, lengths, shift, count):
    unit_x, unit_y = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y))
    column, size = columns(lengths)
    row_at = {c: r for r, c in enumerate(column)}
    result = np.zeros((len(x), count + 1))
    for i in range(len(x)):
        result[i, 0] = unit_x[i] @ unit_y[i]
        for k in range(count):
            j = row_at.get((column[i] + shift + k) % size)
            result[i, k + 1] = 0 if j is None else unit_x[i] @ unit_y[j]
    return result


def split(rows, lengths):
    return np.split(rows, np.cumsum(lengths)[:-1])


def test_rows_that_cntk_takes():
    """The rows that its results were found to stand for."""
    seen = {
        (2, 3): [[2, 1], [3, None], [1, 3], [None, 4], [0, 2]],
        (3, 2): [[3, 1], [4, 2], [None, 0], [1, 4], [2, None]],
        (4, 1, 3): [[4, 1], [5, 2], [6, 3], [7, 0]],
        (1, 4): [[1, None], [None, 2], [None, 3], [None, 4], [0, 1]],
    }
    for lengths, rows in seen.items():
        column, size = columns(lengths)
        row_at = {c: r for r, c in enumerate(column)}
        for i, want in enumerate(rows):
            assert [row_at.get((column[i] + 1 + k) % size) for k in range(2)] == want


@pytest.mark.parametrize('seed', range(12))
def test_negatives_of_sequences(seed):
    random = np.random.RandomState(seed)
    lengths = [int(n) for n in random.randint(1, 7, random.randint(1, 9))]
    shift, count = int(random.randint(0, 5)), int(random.randint(0, 4))
    x, y = (C.sequence.input_variable(3, dtype=np.float64, needs_gradient=True) for _ in range(2))
    a, b = random.randn(sum(lengths), 3), random.randn(sum(lengths), 3)
    f = C.cosine_distance_with_negative_samples(x, y, shift, count)
    feeds = {x: split(a, lengths), y: split(b, lengths)}
    assert np.allclose(np.concatenate(f.eval(feeds)), expected(a, b, lengths, shift, count), atol=1e-12)
    weights = random.randn(count + 1)
    total = C.reduce_sum(f * C.constant(weights))
    gradients = total.grad(feeds, [x, y])
    step = 1e-6
    for v, data in ((x, a), (y, b)):
        for _ in range(4):
            at = tuple(random.randint(0, d) for d in data.shape)
            ends = []
            for sign in (1, -1):
                moved = data.copy()
                moved[at] += sign * step
                both = (moved, b) if v is x else (a, moved)
                ends.append(np.sum(expected(*both, lengths, shift, count) * weights))
            assert np.allclose(np.concatenate(gradients[v])[at], (ends[0] - ends[1]) / (2 * step), atol=1e-6)


def test_many_sequences():
    """As many slots as sequences: finding one takes logarithmic time."""
    lengths = [2, 1] * 20000
    x, y = C.sequence.input_variable(2), C.sequence.input_variable(2)
    rows = np.random.RandomState(0).randn(sum(lengths), 2).astype(np.float32)
    f = C.cosine_distance_with_negative_samples(x, y, 1, 2)
    got = np.concatenate(f.eval({x: split(rows, lengths), y: split(rows, lengths)}))
    assert got.shape == (sum(lengths), 3) and np.allclose(got[:, 0], 1, atol=1e-6)
