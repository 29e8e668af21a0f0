"""cantik.debugging: the debugger of networks, times of nodes, checked runs."""

import gc
import io
import weakref

import numpy as np
import pytest

import cantik as C
import cantik.layers as L
from cantik.debugging import debug_model, set_checked_mode, set_node_timing
from cantik.debugging.debug import DEBUG_USAGE, _DebugNode

PROMPTS = _DebugNode.PROMPT_FORWARD, _DebugNode.PROMPT_BACKWARD


def debugged(network, commands, **options):
    """The copy, and what a call writes after each prompt: (before the first, after the first, ...)."""
    written = io.StringIO()
    copy = debug_model(network, io.StringIO(''.join(c + '\n' for c in commands)), written, **options)

    def parts():
        text = written.getvalue()
        for prompt in PROMPTS:
            text = text.replace(prompt, '\0')
        written.seek(0), written.truncate()
        return [[line for line in part.splitlines() if line] for part in text.split('\0')]

    return copy, parts


def product():
    x = C.input_variable(2, needs_gradient=True, name='x')
    W = C.parameter((2, 3), init=np.arange(6).reshape(2, 3), name='W')
    return x, W, C.plus(C.times(x, W, name='t'), 1, name='s')


ROW = np.array([[1, 2]], np.float32)


def names(lines):
    return [
        next(n for n in ('forward', 'backward', "'x'", "'W'", 'Constant', 't: Times', 's: Plus') if n in line)
        for line in lines
    ]


def test_node_by_node():
    x, W, s = product()
    f, parts = debugged(s, ['n', 'n', 'n', 'n 2'])
    assert np.array_equal(f.eval({x: ROW}), [[7, 10, 13]])
    first, *others = parts()
    assert first[0] == ' forward  '.center(80, '=') and len(first) == 2
    seen = names(first[1:]) + [names(part)[0] for part in others]
    assert all(len(part) == 1 for part in others)
    assert seen.index('t: Times') > max(seen.index("'x'"), seen.index("'W'")) and seen.index(
        's: Plus'
    ) > seen.index('t: Times')
    g = f.grad({x: ROW}, wrt=[W, x])
    assert np.array_equal(g[W], [[1, 1, 1], [2, 2, 2]]) and np.array_equal(g[x], [[3, 12]])
    lines = [line for part in parts() for line in part]
    back = next(i for i, line in enumerate(lines) if 'backward' in line)
    assert lines[back] == ' backward '.center(80, '=')
    order = names(lines[back + 1 :])
    assert order[:2] == ['s: Plus', 't: Times'] and sorted(order[2:]) == ["'W'", "'x'"]
    uid = f.find_by_name('t').uid
    assert "t: Times(Tensor[2], " in lines[back + 2] and lines[back + 2].endswith(f" with uid '{uid}'")


def test_blocks_are_shown_with_what_they_take():
    x = C.input_variable(3, name='x')
    for z, text in (
        (L.Dense(4)(x), 'Dense(ParameterTensor[3,4], ParameterTensor[4], Tensor[3]) -> Tensor[4]'),
        (
            L.Dense(4, C.tanh, name='h')(x),
            'h: Dense(ParameterTensor[3,4], ParameterTensor[4], Tensor[3]) -> Tensor[4]',
        ),
        (
            L.LayerNormalization()(x),
            'LayerNormalization(np.float32, ParameterTensor[3], ParameterTensor[3], Tensor[3]) -> Tensor[3]',
        ),
    ):
        f, parts = debugged(z, ['n 100'])
        f.eval({x: np.ones((1, 3), np.float32)})
        assert parts()[-1][-1].startswith(text + " with uid 'Block")


def test_several_at_once():
    x, W, s = product()
    f, parts = debugged(s, ['n 3', 'n 100'])
    f.eval({x: ROW})
    assert [len(part) for part in parts()] == [2, 3, 1]
    f.grad({x: ROW}, wrt=[W])  # goes on counting
    assert len(parts()) == 1


def test_until():
    x, W, s = product()
    f, parts = debugged(
        s, ['u t', 'p', 'u b', 'p', 'u b', 'u f', 'u lambda arg, node: np.max(arg) > 12', 'p']
    )
    f.grad({x: ROW}, wrt=[W])
    parts = parts()
    assert parts[1][-1].startswith('t: Times')
    assert parts[2] == ['Input with shape (1, 3): ', '[[ 6.  9. 12.]]']
    assert names(parts[3])[-2:] == ['backward', 's: Plus']
    assert parts[4] == ['Root gradients with shape (1, 3): ', '[[1. 1. 1.]]']
    assert names(parts[5]) == ['t: Times']
    f, parts = debugged(s, ['u lambda arg, node: np.max(arg) > 12', 'p'])
    f.eval({x: ROW})
    parts = parts()
    assert names(parts[1])[-1] == 's: Plus' and parts[2][-1] == '[[ 7. 10. 13.]]'


def test_a_rule_may_be_true_at_once():
    x, _W, s = product()
    f, parts = debugged(s, ['u lambda arg, node: True', 'u lambda arg, node: node.shape == (1, 2, 3)', 'c'])
    f.eval({x: ROW})
    parts = parts()
    assert parts[1] == [] and names(parts[2])[-1] == 's: Plus'


def test_wrong_commands():
    x, _W, s = product()
    usage = [line for line in DEBUG_USAGE.splitlines() if line]
    f, parts = debugged(
        s,
        [
            'h',
            '',
            'n 0',
            'n -1',
            'n x',
            'u',
            'c 3',
            'u nobody',
            'u lambda arg',
            'u lambda arg, node: 1 / 0',
            'u lambda: 1',
        ],
    )
    f.eval({x: ROW})
    parts = parts()
    assert parts[1] == usage and parts[2] == [] and parts[3:8] == [usage] * 5
    assert parts[8] == ["no node is named 'nobody'"]
    assert 'invalid syntax' in parts[9][0] or "expected ':'" in parts[9][0]
    assert parts[10] == ['ZeroDivisionError: division by zero']
    assert (
        parts[11][0].startswith('TypeError: ') and len(parts) == 13 and len(parts[12]) == 4
    )  # the input was at its end


def test_quitting():
    x, _W, s = product()
    f, _ = debugged(s, ['q'])
    with pytest.raises(SystemExit) as end:
        f.eval({x: ROW})
    assert end.value.code == 0
    codes = []
    f, _ = debugged(s, ['q', 'c'], exit_func=codes.append)
    assert f.eval({x: ROW}).shape == (1, 3) and codes == [0]

    def fail(code):
        raise KeyError('away')

    f, _parts = debugged(s, ['q'], exit_func=fail)
    with pytest.raises(RuntimeError, match='away'):
        f.eval({x: ROW})
    assert f.eval({x: ROW}).shape == (1, 3)


def test_python_s_debugger(monkeypatch):
    entered = []
    monkeypatch.setattr('pdb.set_trace', lambda: entered.append(True))
    x, _W, s = product()
    f, _parts = debugged(s, ['d', 'n', 'd'])
    f.eval({x: ROW})
    assert len(entered) == 2


def test_nothing_is_written_elsewhere(capfd):
    x, W, s = product()
    f, _parts = debugged(s, ['n', 'p', 'h', 'c'])
    f.grad({x: ROW}, wrt=[W])
    assert capfd.readouterr() == ('', '')


NETWORKS = dict(
    dense=lambda s: L.Dense(3, activation=C.relu, name='hidden')(C.sequence.last(s)),
    normalized=lambda s: L.BatchNormalization()(s) + 1,
    recurrence=lambda s: L.Recurrence(L.RNNStep(3))(s),
    lstm=lambda s: L.Recurrence(L.LSTM(3))(s) * 2,
    back=lambda s: L.Recurrence(L.GRU(3), go_backwards=True)(s),
    two=lambda s: C.combine([s * 2, C.sequence.first(s)]),
    delay=lambda s: C.sequence.past_value(s) + s,
    lengths=lambda s: C.sequence.reduce_sum(C.sequence.gather(s, C.greater(C.reduce_max(s), 0.2))),
    sparse=lambda s: C.times(C.one_hot(C.argmax(s), 2), C.parameter((2, 3), init=0.5)),
)


@pytest.mark.parametrize('name', NETWORKS)
def test_the_copy_computes_the_same(name):
    s = C.sequence.input_variable(2, needs_gradient=True, name='s')
    data = [np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]], np.float32), np.array([[0.7, 0.8]], np.float32)]
    network = NETWORKS[name](s)
    f, parts = debugged(network, ['c'])
    assert f.parameters == network.parameters or set(f.parameters) == set(network.parameters)
    assert len(f.outputs) == len(network.outputs)

    def flat(value):
        return np.concatenate([np.ravel(v) for v in value])

    for a, b in zip(f.outputs, network.outputs):
        np.testing.assert_allclose(
            flat(f.eval({s: data}, [a])), flat(network.eval({s: data}, [b])), rtol=1e-6
        )
    assert len([line for part in parts() for line in part]) > 3
    if name not in ('two', 'sparse'):
        wrt = [s] + list(network.parameters)
        mine, theirs = f.grad({s: data}, wrt=wrt), network.grad({s: data}, wrt=wrt)
        if len(wrt) == 1:
            mine, theirs = {s: mine}, {s: theirs}
        for v in wrt:
            np.testing.assert_allclose(flat(mine[v]), flat(theirs[v]), rtol=1e-5, atol=1e-6)


def test_results_of_one_function_and_sequences():
    s = C.sequence.input_variable(2, name='s')
    step = L.LSTM(2, name='cell')(C.sequence.past_value(s), s, s)
    f, parts = debugged(C.plus(step.outputs[0], step.outputs[1], name='sum'), ['u sum', 'p', 'c'])
    f.eval({s: [np.ones((2, 2), np.float32), np.ones((1, 2), np.float32)]})
    parts = parts()
    cells = [line for line in parts[1] if line.startswith('cell: LSTM')]
    assert [c.split(' with uid')[0].split('] ')[-1] for c in cells] == ['output 0', 'output 1']
    assert (
        parts[2][0] == 'Input with 2 sequences'
        and parts[2][1] == 'Input with shape (2, 2): '
        and 'Input with shape (1, 2): ' in parts[2]
    )


def test_saved_and_loaded_it_no_longer_stops(tmp_path, capfd):
    _x, _W, s = product()
    f, parts = debugged(s, ['n'])
    f.save(str(tmp_path / 'debugged.model'))
    again = C.load_model(str(tmp_path / 'debugged.model'))
    assert np.array_equal(again.eval({again.arguments[0]: ROW}), [[7, 10, 13]])
    assert parts() == [[]] and capfd.readouterr() == ('', '')


def test_only_networks():
    for value in C.input_variable(2), 3, None, 'a':
        with pytest.raises(TypeError, match='must be a Function, not'):
            debug_model(value)


def test_node_timing(capfd):
    x, _W, s = product()
    t = s.find_by_name('t')
    set_node_timing(True)
    try:
        for _ in range(3):
            s.eval({x: ROW})
    finally:
        set_node_timing(False)
    s.eval({x: ROW})
    s.print_node_timing()
    out, err = capfd.readouterr()
    lines = err.splitlines()
    assert out == '' and any(line.startswith(t.uid) and line.endswith('(3 calls)') for line in lines)
    C.log(x).print_node_timing()
    assert capfd.readouterr() == ('', '')
    y = C.input_variable(3)
    trainer = C.Trainer(s, C.squared_error(s, y), [C.sgd(s.parameters, C.learning_parameter_schedule(0.1))])
    set_node_timing(True)
    try:
        trainer.train_minibatch({x: ROW, y: np.ones((1, 3), np.float32)})
    finally:
        set_node_timing(False)
    trainer.print_node_timing()
    err = capfd.readouterr().err
    assert (
        sum(line.startswith(t.uid + ' ') for line in err.splitlines()) >= 2
    )  # forward, and the gradient of W


@pytest.fixture
def checked():
    set_checked_mode(True)
    yield
    set_checked_mode(False)


BAD = np.array([[np.nan]], np.float32)


def test_checked_mode_concerns_networks_that_run_for_the_first_time():
    x = C.input_variable(1)
    ran, made, w = x * 2, x * 3, C.parameter(1, init=1)
    assert np.isnan(ran.eval({x: BAD})).all()
    trainer, _other = (C.Trainer(x * w, C.reduce_sum(x * w), [C.sgd([w], 0.1)]) for _ in range(2))
    trainer.train_minibatch({x: np.ones((1, 1))})
    for switch in (set_checked_mode, C.cntk_py.set_checked_mode):
        switch(True)
        try:
            assert np.isnan(ran.eval({x: BAD})).all()
            new = x + 1
            for run in (
                lambda: made.eval({x: BAD}),
                lambda: new.eval({x: BAD}),
                lambda: C.as_composite(ran.root_function).eval({x: BAD}),
                lambda: C.combine([ran, ran + 1]).eval({x: BAD}),
                lambda: (x * w).grad({x: BAD}, [w]),
                lambda: (x - 1).forward({x: BAD}, None, None),
                lambda: C.Evaluator(C.reduce_sum(x)).test_minibatch({x: BAD}),
            ):
                with pytest.raises(RuntimeError, match='NaN'):
                    run()
            assert new.eval({x: np.ones((1, 1))}) == 2
        finally:
            switch(False)
        with pytest.raises(RuntimeError, match='NaN'):  # it goes on as it began
            new.eval({x: BAD})
        assert np.isnan((x * 5).eval({x: BAD})).all()


def test_checked_mode_and_trainers(checked):
    x, w = C.input_variable(1), C.parameter(1, init=1)
    set_checked_mode(False)
    ran, new = (C.Trainer(x * w, C.reduce_sum(x * w), [C.sgd([w], 0.1)]) for _ in range(2))
    assert ran.train_minibatch({x: np.ones((1, 1))})
    set_checked_mode(True)
    assert ran.train_minibatch({x: BAD})
    w.value = np.ones(1)
    with pytest.raises(RuntimeError, match='NaN'):
        new.train_minibatch({x: BAD})
    assert w.value == 1
    f = x * w
    with pytest.raises(RuntimeError, match='NaN'):
        f.backward(f.forward({x: np.ones((1, 1), np.float32)}, f.outputs, f.outputs)[0], {f.output: BAD}, {w})


def test_checked_mode_takes_truth_values():
    for wrong in ('a', None, 2):
        with pytest.raises(TypeError, match='True or False'):
            set_checked_mode(wrong)
    with pytest.raises(TypeError):
        set_checked_mode()
    assert C.cntk_py.set_checked_mode is set_checked_mode


def test_the_copy_of_a_recurrence_goes_with_its_last_handle():
    x = C.sequence.input_variable(2)
    z = C.layers.Recurrence(C.layers.RNNStep(3))(x)
    written = io.StringIO()
    copy = C.debugging.debug_model(z, io.StringIO(), written)
    copy.eval({x: [np.ones((3, 2), np.float32)]})
    gone = weakref.ref(written)
    del copy, written
    gc.collect()
    assert gone() is None
