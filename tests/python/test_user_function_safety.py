"""User code inside of runs: errors, re-entrance, many calls, many threads, the collector; nothing may hang,
leak or print."""

import faulthandler
import gc
import os
import subprocess
import sys
import textwrap
import threading
import traceback
from pathlib import Path

import numpy as np
import pytest

import cantik as C

MANY = int(os.environ.get('CANTIK_MANY_CALLS', 20000))  # 1000000 for the long form
X = np.array([[1, -2, 3], [0.5, 4, -1]], np.float32)


@pytest.fixture(autouse=True)
def watchdog():
    faulthandler.dump_traceback_later(600 if MANY > 20000 else 240, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


class Code(C.UserFunction):
    """Runs any code in its methods."""

    def __init__(self, x, forward=lambda x: x, backward=lambda g: g, infer=None, name='code'):
        self._code = forward, backward, infer
        super().__init__([x], name=name)

    def infer_outputs(self):
        if self._code[2]:
            self._code[2]()
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, x, device=None, outputs_to_retain=None):
        return None, self._code[0](x)

    def backward(self, state, g):
        return self._code[1](g)


class Own(Exception):
    pass


def fails(*_):
    raise Own('the text of the user')


@pytest.mark.parametrize('where', ['forward', 'backward', 'infer'])
def test_an_exception_comes_with_its_traceback(where, capfd):
    x = C.input_variable(3, needs_gradient=True)
    with pytest.raises(RuntimeError, match='Own: the text of the user') as error:
        f = C.user_function(Code(x, **{where: fails})) + 1
        f.grad({x: X})
    cause = error.value.__cause__
    assert type(cause) is Own and traceback.extract_tb(cause.__traceback__)[-1].name == 'fails'
    text = str(error.value)
    assert (
        text.startswith(Code.__module__ + '.Code.' + ('infer_outputs' if where == 'infer' else where))
        and 'node     code, inputs ' in text
    )
    assert 'made at  ' in text and 'test_user_function_safety.py' in text
    assert capfd.readouterr() == ('', '')
    # The engine goes on.
    assert np.array_equal((C.user_function(Code(x)) + 1).grad({x: X}), np.ones_like(X))


def test_the_same_function_runs_again_after_an_error():
    x = C.input_variable(3, needs_gradient=True)
    bad = [True]
    f = C.user_function(Code(x * 2, forward=lambda a: fails() if bad[0] else a)) + 1
    for _ in range(3):
        bad[0] = True
        with pytest.raises(RuntimeError):
            f.grad({x: X})
        bad[0] = False
        assert np.array_equal(f.eval({x: X}), 2 * X + 1)


def test_errors_in_training_leave_the_parameters_alone():
    x = C.input_variable(3)
    w = C.parameter(3, init=1)
    f = C.user_function(Code(x * w, backward=fails))
    trainer = C.Trainer(None, C.reduce_sum(f), [C.sgd([w], C.learning_parameter_schedule(0.1))])
    with pytest.raises(RuntimeError, match='the text of the user'):
        trainer.train_minibatch({x: X})
    assert np.array_equal(w.value, [1, 1, 1])


@pytest.mark.parametrize('stop', [KeyboardInterrupt, SystemExit])
def test_what_ends_programs_passes_as_it_is(stop):
    def end(_):
        raise stop()

    x = C.input_variable(3)
    with pytest.raises(stop):
        C.user_function(Code(x, forward=end)).eval({x: X})


def test_user_code_may_evaluate_other_functions_and_itself():
    y = C.input_variable(3)
    inner = C.user_function(Code(y, forward=lambda a: a + 1)) * 2
    x = C.input_variable(3, needs_gradient=True)
    depth = [0]

    def again(a):
        if depth[0] == 5:
            return inner.eval({y: a})
        depth[0] += 1
        try:
            return f.eval({x: a}) + 1  # the very function that is running
        finally:
            depth[0] -= 1

    f = C.user_function(Code(x, forward=again, backward=lambda g: inner.eval({y: g})))
    assert np.array_equal(f.eval({x: X}), 2 * (X + 1) + 5)
    assert np.array_equal(f.grad({x: X}), np.full_like(X, 4))


def test_user_code_may_build_train_save_and_start_threads(tmp_path):
    def busy(a):
        v = C.input_variable(3)
        z = C.layers.Dense(2)(v)
        trainer = C.Trainer(
            None, C.reduce_sum(z * z), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))]
        )
        threads = [
            threading.Thread(target=run)
            for run in (
                lambda: trainer.train_minibatch({v: a}),
                lambda: z.eval({v: a}),
                lambda: z.eval({v: a}),
            )
        ]
        [t.start() for t in threads]
        [t.join(60) for t in threads]
        assert not any(t.is_alive() for t in threads)
        z.save(str(tmp_path / 'm'))
        C.Function.load(str(tmp_path / 'm')).eval(a)
        gc.collect()
        return a

    x = C.input_variable(3)
    f = C.user_function(Code(x, forward=busy))
    for _ in range(3):
        assert np.array_equal(f.eval({x: X}), X)


def test_user_code_computes_with_small_numbers():
    """Runs flush denormals; the user's arithmetic is his own."""
    tiny = np.float32(1e-40)
    x = C.input_variable(1)
    got = []
    f = C.user_function(
        Code(
            x,
            forward=lambda a: (
                got.append((tiny * np.float32(0.5) != 0, np.finfo(np.float32).tiny / 2 != 0)) or a
            ),
        )
    )
    f.eval({x: np.ones((1, 1), np.float32)})
    assert got == [(True, True)]


def chain(length):
    x = C.input_variable(10, needs_gradient=True)
    v = x
    for _ in range(length):
        v = C.user_function(Code(v))
    return x, v * 1


@pytest.mark.alone
def test_many_calls():
    x, f = chain(20)
    data = np.arange(10, dtype=np.float32).reshape(1, 10)
    import resource

    f.grad({x: data})
    before = None
    for i in range(MANY // 40 + 1):
        assert np.array_equal(f.grad({x: data}), np.ones((1, 10)))
        if i == MANY // 120:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 << 10  # KiB


def test_exceptions_by_the_thousand():
    count = [0]

    def sometimes(a):
        count[0] += 1
        if count[0] % 3 == 0:
            fails()
        return a

    x = C.input_variable(3, needs_gradient=True)
    f = C.user_function(Code(C.user_function(Code(x, forward=sometimes)), backward=lambda g: sometimes(g)))
    failed = 0
    for _ in range(MANY // 10):
        try:
            f.grad({x: X})
        except RuntimeError as e:
            failed += 1
            assert isinstance(e.__cause__, Own)
    assert 0 < failed < MANY // 10


def test_collector_pressure():
    """Cycles through arguments, states and functions are made and collected while runs go on, in calls
    too."""

    class Cyclic:
        def __init__(self, a):
            self.a, self.me = a, self

    made = [0]

    def cyclic(a):
        made[0] += 1
        keep = Cyclic(a)
        if made[0] % 50 == 0:
            gc.collect()
        return keep.a

    gc.set_threshold(5, 2, 2)
    try:
        for _ in range(30):
            x = C.input_variable(3, needs_gradient=True)
            m = Code(x, forward=cyclic, backward=cyclic)
            m.me = m
            f = C.user_function(m) + 0
            for _ in range(MANY // 2000):
                assert np.array_equal(f.grad({x: X}), np.ones_like(X))
    finally:
        gc.set_threshold(700, 10, 10)
    assert made[0] >= 30 * (MANY // 2000) * 2


def test_eight_threads_on_their_own_graphs_and_a_common_one():
    x, common = chain(5)
    data = np.ones((2, 10), np.float32)
    problems = []

    def work(i):
        try:
            for k in range(MANY // 400):
                if k % 10 == 0:
                    y, own = chain(3)
                assert np.array_equal(own.grad({y: data * i}), np.ones((2, 10)))
                assert np.array_equal(common.eval({x: data * i}), data * i)
                if k % 7 == i % 7:
                    try:
                        C.user_function(Code(y, forward=fails)).eval({y: data})
                        problems.append('no error')
                    except RuntimeError:
                        pass
        except BaseException:
            problems.append(traceback.format_exc())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join(200) for t in threads]
    assert not any(t.is_alive() for t in threads) and not problems, problems


def test_threads_compile_while_others_run():
    """Types of free dimensions are asked for while other threads wait for the same network's plan."""

    class Free(C.UserFunction):
        def infer_outputs(self):
            gc.collect(0)  # lets others run
            return [
                C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)
            ]

        def forward(self, a, device=None, outputs_to_retain=None):
            return None, a + 1

        def backward(self, state, g):
            return g

    x = C.input_variable(C.FreeDimension, needs_gradient=True)
    f = C.user_function(Free([x])) * 2
    problems = []

    def work(i):
        for n in range(1, 25):
            data = np.full((1, n + i % 3), i, np.float32)
            if not np.array_equal(f.eval({x: data}), 2 * (data + 1)):
                problems.append((i, n))
            state, _ = f.forward({x: data}, [f.output], {f.output})
            if not np.array_equal(
                f.backward(state, {f.output: np.ones_like(data)}, {x})[x], np.full_like(data, 2)
            ):
                problems.append((i, n))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join(200) for t in threads]
    assert not problems and not any(t.is_alive() for t in threads)


def test_process_ends_with_graphs_alive(tmp_path):
    """Functions and states in globals, a thread that evaluates last, a fork before use: the interpreter ends
    quietly."""
    program = tmp_path / 'program.py'
    program.write_text(
        textwrap.dedent('''
        import os, sys, threading
        import numpy as np
        import cantik as C

        class Plus(C.UserFunction):
            def infer_outputs(self):
                return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]
            def forward(self, a, device=None, outputs_to_retain=None):
                return object(), a + 1
            def backward(self, state, g):
                return g

        x = C.input_variable(2, needs_gradient=True)
        f = C.user_function(Plus([x])) * 2
        pid = os.fork()
        assert np.array_equal(f.grad({x: np.ones((1, 2), np.float32)}), [[2, 2]])
        state, _ = f.forward({x: np.ones((1, 2), np.float32)}, [f.output], {f.output})
        thread = threading.Thread(target=lambda: [f.eval({x: np.ones((1, 2), np.float32)}) for _ in range(100)])
        thread.start()
        if pid:
            assert os.waitpid(pid, 0)[1] == 0
        print('done')
    ''')
    )
    run = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, 'PYTHONPATH': str(Path(C.__file__).parents[1])},
    )
    assert run.returncode == 0 and run.stdout.split() == ['done', 'done'] and run.stderr == '', run.stderr
