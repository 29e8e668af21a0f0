"""lattice_sequence_with_softmax against all paths of small lattices one by one, differences in float64, what
CNTK 2.7 makes of the same, and lattices and files that cannot be."""

import importlib.util
import itertools
import pathlib

import numpy as np
import pytest

import cantik as C

GOLDEN = pathlib.Path(__file__).parent.parent / 'golden'


def golden(name):
    spec = importlib.util.spec_from_file_location(name, GOLDEN / (name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


M = golden('lattice_cases')
STATES = len(M.STATES)
CASES = list(M.cases())
FIGURES = np.loadtxt(GOLDEN / 'lattices.txt')
DEFAULTS = dict(
    seqGammarAMF=14.0,
    seqGammarLMF=14.0,
    seqGammarWordPen=0.0,
    seqGammarBMMIFactor=0.0,
    seqGammarUsesMBR=False,
    hSmoothingWeight=0.95,
)


@pytest.fixture(scope='module')
def paths(tmp_path_factory):
    return M.write_files(tmp_path_factory.mktemp('units'))


def log_softmax(x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


# ---- all paths, one by one ----


def best_way(symbol, likelihoods):
    """The best of all ways through a unit's states: its score and its states."""
    names, given = M.UNITS[M.SYMBOLS[symbol]]
    n, frames = len(names), len(likelihoods)
    with np.errstate(divide='ignore'):
        go = np.log(np.array(given.split()[1:], dtype=np.float64).reshape(n + 1, n + 1))
    states = [M.STATES.index(name) for name in names]
    if frames == 0:
        return go[0, n], ()

    def score(way):
        between = sum(go[i + 1, j] for i, j in zip(way, way[1:]))
        seen = sum(likelihoods[t, states[i]] for t, i in enumerate(way))
        return go[0, way[0]] + between + go[way[-1] + 1, n] + seen

    best = max(itertools.product(range(n), repeat=frames), key=score)
    return score(best), tuple(states[i] for i in best)


def all_paths(lattice, spoken, log_p, options):
    """Of each path: its score, its states, how many of them were spoken."""
    o = {**DEFAULTS, **options}
    found = []

    def go_on(node, score, states):
        if node == len(lattice.times) - 1:
            found.append((score, states, sum(a == b for a, b in zip(states, spoken))))
        for begin, end, language, units, pause in lattice.arcs:
            if begin != node:
                continue
            acoustic, more, t = 0.0, (), lattice.times[begin]
            for symbol, frames in units:
                of_unit, way = best_way(symbol, log_p[t : t + frames])
                acoustic, more, t = acoustic + of_unit, more + way, t + frames
            if pause is not None:
                of_unit, way = best_way(M.SYMBOLS.index('sp'), log_p[t : lattice.times[end]])
                acoustic, more = acoustic + of_unit, more + way
            language = np.float32(language).astype(np.float64)
            of_arc = (language * o['seqGammarLMF'] + o['seqGammarWordPen'] + acoustic) / o['seqGammarAMF']
            at = lattice.times[begin]
            if not o['seqGammarUsesMBR']:
                correct = sum(a == b for a, b in zip(more, spoken[at:]))
                of_arc -= o['seqGammarBMMIFactor'] * correct
            go_on(end, score + of_arc, states + more)

    go_on(0, 0.0, ())
    return found


def by_hand(lattice, spoken, log_p, options):
    """The value, and log Z or c."""
    o = {**DEFAULTS, **options}
    log_p = np.asarray(log_p, dtype=np.float64)
    found = all_paths(lattice, spoken, log_p, o)
    log_z = np.logaddexp.reduce([score for score, _, _ in found])
    value = sum(log_p[t, s] for t, s in enumerate(spoken)) / o['seqGammarAMF']
    if o['seqGammarUsesMBR']:
        correct = sum(np.exp(score - log_z) * right for score, _, right in found)
        return value - correct, correct
    return value - log_z, log_z


def trained(prediction, log_priors, lattice, spoken, options):
    """H: what the gradient of the prediction is the gradient of."""
    o = {**DEFAULTS, **options}
    log_p = log_softmax(prediction)
    cross_entropy = -sum(log_p[t, s] for t, s in enumerate(spoken))
    value, of_paths = by_hand(lattice, spoken, log_p - log_priors, o)
    h = o['hSmoothingWeight']
    if o['seqGammarUsesMBR']:
        return (1 - h) * cross_entropy - h * of_paths
    return (1 - h) * cross_entropy - h * o['seqGammarAMF'] * value


# ---- the operator ----


def made(paths, dtype=np.float32, **options):
    label, x, log_p = (
        C.sequence.input_variable(STATES, dtype=dtype, needs_gradient=i == 1) for i in range(3)
    )
    packed = C.sequence.input_variable(1, sequence_axis=C.Axis.new_unique_dynamic_axis('lattice'))
    return C.lattice_sequence_with_softmax(label, x, log_p, packed, *paths, **options)


def feeds(f, lattice, spoken, prediction, log_p):
    def each(x):
        return x if isinstance(x, list) else [x]

    numbers = [x if isinstance(x, np.ndarray) else x.numbers() for x in each(lattice)]
    ones = [np.eye(STATES)[s].astype(f.arguments[0].dtype) for s in each(spoken)]
    given = [ones, each(prediction), each(log_p)]
    kept = [[np.asarray(v, dtype=f.arguments[0].dtype) for v in values] for values in given]
    return dict(zip(f.arguments, [*kept, numbers]))


def value_of(paths, lattice, spoken, prediction, log_p, **options):
    f = made(paths, **options)
    return float(f.eval(feeds(f, lattice, spoken, prediction, log_p)))


def gradient_of(paths, lattice, spoken, prediction, log_p, **options):
    f = made(paths, **options)
    return f.grad(feeds(f, lattice, spoken, prediction, log_p), wrt=[f.arguments[1]])


@pytest.mark.parametrize('case, figure', list(zip(CASES, FIGURES)))
def test_values_are_those_of_cntk(paths, case, figure):
    lattice, spoken, prediction, log_p, options = case
    assert value_of(paths, lattice, spoken, prediction, log_p, **options) == pytest.approx(figure, rel=2e-5)


@pytest.mark.parametrize('case', CASES)
def test_values_are_those_of_all_paths(paths, case):
    lattice, spoken, prediction, log_p, options = case
    for more in ({}, {'seqGammarBMMIFactor': 0.5}, {'seqGammarUsesMBR': True}):
        o = {**options, **more}
        expected = by_hand(lattice, spoken, log_p, o)[0]
        found = value_of(paths, lattice, spoken, prediction, log_p, dtype=np.float64, **o)
        assert found == pytest.approx(expected, rel=1e-9)
    other = (
        np.frombuffer(lattice.bytes(acoustic_scores=False), '<f4').reshape(-1, 1)
        if (len(lattice.bytes(acoustic_scores=False)) % 4 == 0)
        else lattice.numbers(acoustic_scores=False)
    )
    assert value_of(paths, other, spoken, prediction, log_p, **options) == pytest.approx(
        by_hand(lattice, spoken, log_p, options)[0], rel=2e-5
    )


@pytest.mark.parametrize('k', range(0, len(CASES), 2))
@pytest.mark.parametrize('more', [{}, {'seqGammarBMMIFactor': 0.3}, {'seqGammarUsesMBR': True}])
def test_gradients_are_differences_of_what_is_trained(paths, k, more):
    lattice, spoken, prediction, _, options = CASES[k]
    options = {**options, 'hSmoothingWeight': 0.75, **more}
    prediction = prediction.astype(np.float64)
    log_priors = np.log(np.arange(1, STATES + 1) / 36)
    log_p = log_softmax(prediction) - log_priors
    given = dict(dtype=np.float64, frameDropThresh=0, **options)
    found = gradient_of(paths, lattice, spoken, prediction, log_p, **given)[0]
    rs = np.random.RandomState(k)
    for t, s in zip(rs.randint(0, len(spoken), 6), rs.randint(0, STATES, 6)):
        moved = [prediction.copy(), prediction.copy()]
        moved[0][t, s] += 1e-6
        moved[1][t, s] -= 1e-6
        up, down = (trained(x, log_priors, lattice, spoken, options) for x in moved)
        assert found[t, s] == pytest.approx((up - down) / 2e-6, abs=1e-6)


def test_frames_whose_spoken_state_no_path_is_in_have_no_gradient(paths):
    lattice, spoken, prediction, log_p, options = CASES[0]
    seen = [set() for _ in spoken]
    for _, states, _ in all_paths(lattice, spoken, log_p.astype(np.float64), options):
        for t, s in enumerate(states):
            seen[t].add(s)
    dropped = np.array([s not in seen[t] for t, s in enumerate(spoken)])
    assert dropped.any() and not dropped.all()
    all_frames = gradient_of(paths, lattice, spoken, prediction, log_p, frameDropThresh=0, **options)[0]
    kept = gradient_of(paths, lattice, spoken, prediction, log_p, **options)[0]
    assert np.all(kept[dropped] == 0) and np.array_equal(kept[~dropped], all_frames[~dropped])
    assert np.all(np.any(all_frames != 0, axis=1))


def test_a_batch_is_the_sum_of_its_sequences(paths):
    chosen = [CASES[k] for k in (0, 3, 6)]
    parts = [list(part) for part in zip(*chosen)][:4]
    options = dict(seqGammarAMF=3.0, hSmoothingWeight=0.5)
    alone = [value_of(paths, *case[:4], **options) for case in chosen]
    assert value_of(paths, *parts, **options) == pytest.approx(sum(alone), rel=1e-5)
    together = gradient_of(paths, *parts, **options)
    for found, case in zip(together, chosen):
        assert np.array_equal(found, gradient_of(paths, *case[:4], **options)[0])


def test_sparse_labels(paths):
    lattice, spoken, prediction, log_p, options = CASES[2]
    f = made(paths, **options)
    dense = feeds(f, lattice, spoken, prediction, log_p)
    label, *others = f.arguments
    g = f.clone('share', {label: C.sequence.input_variable(STATES, is_sparse=True)})
    ones = C.Value.one_hot([list(map(int, spoken))], STATES)
    sparse = {g.arguments[0]: ones, **{b: dense[a] for a, b in zip(others, g.arguments[1:])}}
    assert g.eval(sparse) == f.eval(dense)


def test_no_way_through_a_lattice_is_an_infinite_value(paths):
    # b takes three frames at least
    lattice = M.Lattice([0, 2], [(0, 1, 0.0, [(2, 2)], None)])
    case = (lattice, np.array([0, 1]), np.zeros((2, STATES)), np.zeros((2, STATES)))
    assert value_of(paths, *case) == np.inf
    assert not gradient_of(paths, *case)[0].any()
    assert value_of(paths, *case, seqGammarUsesMBR=True) == 0
    assert np.isfinite(gradient_of(paths, *case, seqGammarUsesMBR=True)[0]).all()


def test_a_file_names_the_files(paths, tmp_path):
    lattice, spoken, prediction, log_p, options = CASES[0]
    config = tmp_path / 'LatticeNode.config'
    config.write_text(''.join(path + '\r\n' for path in paths))
    expected = value_of(paths, lattice, spoken, prediction, log_p, **options)
    elsewhere = ['nothere'] * 4
    found = value_of(elsewhere, lattice, spoken, prediction, log_p, latticeConfigPath=str(config), **options)
    assert found == expected
    config.write_text('one\ntwo\n')
    with pytest.raises(RuntimeError, match='names fewer than four files'):
        value_of(paths, lattice, spoken, prediction, log_p, latticeConfigPath=str(config))


def test_saved_and_loaded(paths, tmp_path):
    lattice, spoken, prediction, log_p, options = CASES[4]
    f = made(paths, hSmoothingWeight=0.5, **options)
    f.save(str(tmp_path / 'loss'))
    g = C.Function.load(str(tmp_path / 'loss'))
    given = feeds(f, lattice, spoken, prediction, log_p)
    assert g.eval(dict(zip(g.arguments, given.values()))) == f.eval(given)
    assert str(g) == str(f) and str(f).startswith('LatticeSequenceWithSoftmax(')


# ---- what cannot be ----


def test_lattices_cut_off_and_changed_are_errors_or_values(paths):
    lattice, spoken, prediction, log_p, _ = CASES[2]
    f = made(paths)
    whole = lattice.numbers().copy()
    given = feeds(f, lattice, spoken, prediction, log_p)
    packed = f.arguments[3]
    for n in range(1, len(whole)):
        with pytest.raises(RuntimeError, match='the lattice of sequence 0 cannot be read'):
            f.eval({**given, packed: [whole[:n]]})
    rs, refused = np.random.RandomState(0), 0
    for _ in range(400):
        data = bytearray(whole.tobytes())
        for at in rs.randint(0, len(data), rs.randint(1, 4)):
            data[at] = rs.randint(256)
        try:
            f.eval({**given, packed: [np.frombuffer(bytes(data), '<f4').reshape(-1, 1)]})
        except RuntimeError as e:
            assert 'the lattice of sequence 0' in str(e)
            refused += 1
    assert 100 < refused < 400


def changed(lattice, at, form, *values):
    import struct

    data = bytearray(lattice.bytes())
    struct.pack_into(form, data, at, *values)
    return np.frombuffer(bytes(data) + bytes(-len(data) % 4), '<f4').reshape(-1, 1)


LINE = M.Lattice([0, 4, 8], [(0, 1, 0.0, [(1, 4)], None), (1, 2, 0.0, [(0, 3)], 1)])
NODES, ARCS = 40 + 8, 40 + 8 + 6 + 8  # where the times, where the arcs begin


@pytest.mark.parametrize(
    'lattice, said',
    [
        (changed(LINE, 4, '<i', 1), 'its format is of version 1, version 2 is read'),
        (changed(LINE, 0, '4s', b'TAL '), '"LAT " does not stand where it should'),
        (changed(LINE, 8, '<I', 7), 'its header counts other nodes and arcs'),
        (changed(LINE, NODES, '<H', 1), 'do not lead from frame 0 to its end, frame 8'),
        (changed(LINE, NODES + 4, '<H', 9), 'do not lead from frame 0 to its end, frame 8'),
        (changed(LINE, NODES + 2, '<H', 0), 'its arc 0 takes no frames'),
        (changed(LINE, NODES + 2, '<H', 3), 'its arc 0 does not take as many frames as its units'),
        (changed(LINE, ARCS, '<Q', 1 | 1 << 20 | 2 << 40), 'its arc 0 does not lead to a later node'),
        (changed(LINE, ARCS, '<Q', 0 | 5 << 20 | 2 << 40), 'its arc 0 does not lead to a later node'),
        (changed(LINE, ARCS, '<Q', 0 | 2 << 20 | 2 << 40), 'its arc 1 ends before|as many frames'),
        (changed(LINE, ARCS, '<Q', 0 | 1 << 20 | 1 << 40), 'its arc 0 has no scores'),
        (changed(LINE, ARCS, '<Q', 0 | 1 << 20 | 900 << 40), 'its arc 0 has no scores'),
        (changed(LINE, ARCS + 16 + 8 + 4, '<f', np.nan), 'its arc 0 has a score that is not finite'),
        (changed(LINE, ARCS + 16 + 8 + 20, '<I', 3 << 19), 'its arc 1 has no last unit'),
        (M.Lattice([0], []), 'fewer than two nodes'),
        (M.Lattice([0, 8], []), 'it has no arcs'),
        (M.Lattice([0, 5], [(0, 1, 0.0, [(0, 5)], None)]), 'has 5 frames, and the sequence has 8'),
        (M.Lattice([0, 8], [(0, 1, 0.0, [(9, 8)], None)]), 'has the symbol 9, and the list has 5 symbols'),
        (np.zeros((3, 1), np.float32), '"LAT " does not stand where it should'),
    ],
)
def test_lattices_that_cannot_be(paths, lattice, said):
    case = (np.zeros(8, np.int64), np.zeros((8, STATES)), np.zeros((8, STATES)))
    assert np.isfinite(value_of(paths, LINE, *case))
    with pytest.raises(RuntimeError, match=said):
        value_of(paths, lattice, *case)


@pytest.mark.parametrize(
    'file, text, said',
    [
        (0, 'sil\nnone\n', 'symbols, line 2: there is no unit none'),
        (0, 'sil\nsil a\n', 'symbols, line 2: sil and a are two models'),
        (0, 'sil sil\na\n', 'symbols, line 2: single names stand before all pairs'),
        (0, 'sil a b\n', 'symbols, line 1: a line has one name or two'),
        (1, 'a T3 a1\n', 'phones, line 1: the unit has 1 states, its transitions are of 2'),
        (1, 'a T9 a1 a2\n', 'phones, line 1: there is no matrix of transitions T9'),
        (1, 'a T3 a1 c1\n', 'phones, line 1: there is no state c1'),
        (1, 'a T3 a1 a2\na T3 a1 a2\n', 'phones, line 2: a comes twice'),
        (1, 'a T3\n', 'phones, line 1: a line has a unit'),
        (2, 'a1\n\na2\n', 'states, line 2: the line is empty'),
        (2, 'a1\na1\n', 'states, line 2: a1 comes twice'),
        (2, 'a1 a2\n', 'states, line 1: a state is one word'),
        (2, ''.join(f's{i}\n' for i in range(9)), 'there is no state|has 9 states'),
        (3, 'T1 2 1 0 0\n', 'transitions, line 1: n states have'),
        (3, 'T1 x 1 0 0\n', 'transitions, line 1: "x" is not a number'),
        (3, 'T1 1 1 0 0 2\n', 'transitions, line 1: 2 is no probability'),
        (3, 'T1 99999999999999 1 0 0 2\n', 'transitions, line 1: n states have'),
        (3, 'T1\n', 'transitions, line 1: a line has a name'),
    ],
)
def test_files_that_cannot_be(tmp_path, file, text, said):
    paths = M.write_files(tmp_path)
    pathlib.Path(paths[file]).write_text(text)
    with pytest.raises(RuntimeError, match=said):
        value_of(paths, *CASES[0][:4])
    pathlib.Path(paths[file]).unlink()
    with pytest.raises(RuntimeError, match='cannot be read'):
        value_of(paths, *CASES[0][:4])


def test_pairs_of_symbols_that_are_one_model(tmp_path):
    paths = M.write_files(tmp_path)
    expected = value_of(paths, *CASES[0][:4])
    with open(paths[0], 'a') as file:
        file.write('a+b a\n')
    with open(paths[1], 'a') as file:
        file.write('a+b T3 a1 a2\n\n')
    assert value_of(paths, *CASES[0][:4]) == expected


def test_more_states_than_classes(paths):
    x = C.sequence.input_variable(3)
    packed = C.sequence.input_variable(1, sequence_axis=C.Axis.new_unique_dynamic_axis('lattice'))
    f = C.lattice_sequence_with_softmax(x, x, x, packed, *paths)
    with pytest.raises(RuntimeError, match='the file of states has 8 states, and the labels have 3 classes'):
        f.eval({x: [np.eye(3, dtype=np.float32)], packed: [LINE.numbers()]})


def test_calls_that_cannot_be(paths):
    x, packed = C.sequence.input_variable(3), C.sequence.input_variable(1)
    with pytest.raises(ValueError, match='must name files, and one of them is empty'):
        C.lattice_sequence_with_softmax(x, x, x, packed, '', *paths[1:])
    with pytest.raises(NotImplementedError, match='doReferenceAlign'):
        C.lattice_sequence_with_softmax(x, x, x, packed, *paths, doReferenceAlign=True)
    with pytest.raises(ValueError, match='seqGammarAMF must be greater than 0, and is 0'):
        C.lattice_sequence_with_softmax(x, x, x, packed, *paths, seqGammarAMF=0)
    with pytest.raises(ValueError, match='must have the same number of classes, and 3 and 4'):
        C.lattice_sequence_with_softmax(x, C.sequence.input_variable(4), x, packed, *paths)
    with pytest.raises(ValueError, match='the lattice must have one number a step'):
        C.lattice_sequence_with_softmax(x, x, x, x, *paths)
    with pytest.raises(ValueError, match='the lattice must be of float32'):
        other = C.sequence.input_variable(1, dtype=np.float64)
        C.lattice_sequence_with_softmax(x, x, x, other, *paths)
    with pytest.raises(RuntimeError, match='without a sequence axis'):
        C.lattice_sequence_with_softmax(x, C.input_variable(3), x, packed, *paths)
