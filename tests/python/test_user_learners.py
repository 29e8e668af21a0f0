"""Learners of the user's own: what they are called with, schedules, checkpoints, errors; and as graphs in the
training step."""

import gc
import sys
import threading
import traceback

import numpy as np
import pytest

import cantik as C


class Sgd(C.learners.UserLearner):
    """Writes the parameters' memory."""

    def update(self, gradient_values, training_sample_count, sweep_end):
        for p, g in gradient_values.items():
            w = np.asarray(p.data)
            w -= np.float32(self.learning_rate() / training_sample_count) * np.asarray(g)
        return True


class Momentum(C.learners.UserLearner):
    """Remembers something, which its checkpoints hold."""

    def __init__(self, parameters, rate, momentum):
        super().__init__(parameters, rate)
        self.momentum, self.velocity = momentum, [np.zeros(p.shape, np.float32) for p in parameters]

    def update(self, gradient_values, training_sample_count, sweep_end):
        for v, (p, g) in zip(self.velocity, gradient_values.items()):
            v *= self.momentum
            v += g / training_sample_count
            p.value = p.value - np.float32(self.learning_rate()) * v
        return True

    def create_checkpoint(self):
        return {**super().create_checkpoint(), 'velocity': [v.copy() for v in self.velocity]}

    def restore_from_checkpoint(self, checkpoint):
        super().restore_from_checkpoint(checkpoint)
        self.velocity = [np.array(v) for v in checkpoint['velocity']]


def network(make, shape=3):
    x = C.input_variable(shape, name='x')
    w = C.parameter(shape, init=np.arange(shape, dtype=np.float32), name='w')
    return x, w, C.Trainer(None, C.reduce_sum(x * w), [make([w])])


def test_what_an_update_is_called_with():
    seen = []

    class Looking(C.learners.UserLearner):
        def update(self, gradient_values, training_sample_count, sweep_end):
            seen.append((gradient_values, training_sample_count, sweep_end))
            return True

    x, w, trainer = network(lambda p: Looking(p, 0.1))
    trainer.train_minibatch({x: np.ones((4, 3), np.float32)})
    trainer.train_minibatch({x: np.full((2, 3), 3, np.float32)}, is_sweep_end=True)
    (first, n, end), (second, m, end2) = seen
    assert (n, end, m, end2) == (4, False, 2, True)
    assert list(first) == [w] and next(iter(first)).name == 'w'
    g = first[w]
    assert (
        isinstance(g, np.ndarray)
        and g.dtype == np.float32
        and not g.is_sparse
        and not g.is_read_only
        and g.device == C.cpu()
    )
    np.testing.assert_array_equal(g, [4, 4, 4])  # kept beyond its update: nobody writes over it
    np.testing.assert_array_equal(second[w], [6, 6, 6])
    # Programs for CNTK treat it as an NDArrayView.
    assert type(g.asarray()) is np.ndarray and np.shares_memory(g.asarray(), g)
    np.testing.assert_array_equal(g.slice_view([1], [2]).asarray(), [4, 4])
    assert g.as_shape((3, 1)).shape == (3, 1) and g.deep_clone().shape == (3,)
    np.testing.assert_array_equal(C.constant(g).value, [4, 4, 4])


def test_views_of_the_memory_itself():
    seen = []

    class Views(C.learners.UserLearner):
        def __init__(self, parameters, rate):
            super().__init__(parameters, rate, as_numpy=False)

        def update(self, gradient_values, training_sample_count, sweep_end):
            for p, g in gradient_values.items():
                seen.append(g)
                assert type(g) is C.NDArrayView and np.shares_memory(
                    np.asarray(g), np.asarray(g.slice_view([0], [2]))
                )
                np.asarray(p.data)[:] = 7  # in place, and without a word
            return True

    x, w, trainer = network(lambda p: Views(p, 0.1))
    y = C.reduce_sum(x * w)
    before = y.eval({x: np.ones((1, 3), np.float32)})
    trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
    assert before == 3 and y.eval({x: np.ones((1, 3), np.float32)}) == 21
    np.testing.assert_array_equal(seen[0].asarray(), [1, 1, 1])


@pytest.mark.parametrize('way', ['numpy', 'graph'])
def test_packed_weights_follow_what_is_written(way):
    x, rs = C.input_variable(64), np.random.RandomState(0)
    z = C.layers.Dense(32)(x)
    data = rs.randn(8, 64).astype(np.float32)
    make = (
        (lambda p: Sgd(p, 0.1))
        if way == 'numpy'
        else (
            lambda p: C.universal(
                lambda ps, gs: C.combine([C.assign(p, p - 0.1 / 8 * g) for p, g in zip(ps, gs)]), p
            )
        )
    )
    trainer = C.Trainer(z, C.reduce_sum(z * z), [make(z.parameters)])
    for _ in range(3):
        z.eval({x: data})
        trainer.train_minibatch({x: data})
        np.testing.assert_allclose(z.eval({x: data}), data @ z.W.value + z.b.value, rtol=1e-4, atol=1e-4)


def test_rates_move_on_as_samples_go_by():
    x, w, trainer = network(lambda p: Sgd(p, C.learning_parameter_schedule([0.5, 0.25], epoch_size=4)))
    learner = trainer.parameter_learners[0]
    rates = []
    for _ in range(3):
        rates.append(learner.learning_rate())
        trainer.train_minibatch({x: np.ones((2, 3), np.float32)})
    assert (
        rates == [0.5, 0.5, 0.25]
        and learner.total_number_of_samples_seen() == 6 == trainer.total_number_of_samples_seen
    )
    np.testing.assert_array_equal(w.value, np.arange(3) - 1.25)
    learner.reset_learning_rate(C.learning_parameter_schedule(0.125))
    assert learner.learning_rate() == 0.125


def test_a_learner_beside_built_in_ones():
    x, y = C.input_variable(2), C.input_variable(1)
    h, out = C.layers.Dense(3, init=1), C.layers.Dense(1, init=1)
    z = out(h(x))
    graph = lambda ps, gs: C.combine([C.assign(p, p - 0.05 * g) for p, g in zip(ps, gs)])

    def parameters(*learners):
        for p in z.parameters:
            p.value = np.ones(p.shape)
        trainer = C.Trainer(
            z,
            C.squared_error(z, y),
            [make(ps) for make, ps in zip(learners, ([out.W], [out.b], [h.W], [h.b]))],
        )
        for i in range(4):
            trainer.train_minibatch({x: np.array([[1, i]], np.float32), y: np.array([[2]], np.float32)})
        return [p.value for p in z.parameters]

    sgd, own, universal = (
        (lambda p: C.sgd(p, 0.05)),
        (lambda p: Sgd(p, 0.05)),
        (lambda p: C.universal(graph, p)),
    )
    reference = parameters(sgd, sgd, sgd, sgd)
    for mixed in (
        (own, sgd, universal, sgd),
        (universal, own, universal, own),
        (sgd, universal, own, universal),
    ):
        for a, b in zip(reference, parameters(*mixed)):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_checkpoints_hold_what_a_learner_remembers(tmp_path):
    data = np.random.RandomState(0).randn(8, 4, 3).astype(np.float32)
    make = lambda p: Momentum(p, C.learning_parameter_schedule([0.1, 0.05], epoch_size=16), 0.9)

    def steps(trainer, x, these):
        for d in these:
            trainer.train_minibatch({x: d})

    x, w, trainer = network(make)
    steps(trainer, x, data)
    x2, _w2, trainer2 = network(make)
    steps(trainer2, x2, data[:5])
    trainer2.save_checkpoint(str(tmp_path / 'm'), {'where': 5})
    assert (
        sorted(p.name for p in tmp_path.iterdir()) == ['m', 'm.ckp']
        and (tmp_path / 'm.ckp').stat().st_size < 200
    )
    x3, w3, trainer3 = network(make)
    assert trainer3.restore_from_checkpoint(str(tmp_path / 'm')) == {'where': 5}
    assert trainer3.total_number_of_samples_seen == 20
    steps(trainer3, x3, data[5:])
    np.testing.assert_array_equal(w.value, w3.value)


def test_false_ends_a_training():
    class Once(C.learners.UserLearner):
        def update(self, *args):
            return self.total_number_of_samples_seen() == 0

    x, _w, trainer = network(lambda p: Once(p, 0.1))
    assert trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
    assert not trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
    assert trainer.total_number_of_samples_seen == 1


class Failing(C.learners.UserLearner):
    answer = None

    def update(self, gradient_values, training_sample_count, sweep_end):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def test_errors_in_an_update_keep_their_traceback():
    x, _w, trainer = network(lambda p: Failing(p, 0.1))
    learner = trainer.parameter_learners[0]
    learner.answer = ZeroDivisionError('by my own doing')
    for _ in range(3):  # and nothing is worse for it
        with pytest.raises(
            RuntimeError, match=r'^Failing\.update raised ZeroDivisionError: by my own doing$'
        ) as caught:
            trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
        cause = caught.value.__cause__
        assert type(cause) is ZeroDivisionError and 'in update' in ''.join(
            traceback.format_tb(cause.__traceback__)
        )
    assert trainer.total_number_of_samples_seen == 0
    learner.answer = True
    assert (
        trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
        and trainer.total_number_of_samples_seen == 1
    )
    learner.answer = None
    with pytest.raises(RuntimeError, match=r'Failing\.update returned None'):
        trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
    learner.answer = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        trainer.train_minibatch({x: np.ones((1, 3), np.float32)})


def test_wrong_use():
    with pytest.raises(RuntimeError, match='NotImplementedError: UserLearner has no method update'):
        network(lambda p: C.learners.UserLearner(p, 0.1))[2].train_minibatch(
            {'x': np.ones((1, 3), np.float32)}
        )
    with pytest.raises(ValueError, match='must not be empty'):
        Sgd([], 0.1)
    with pytest.raises(ValueError, match='schedule'):
        Sgd([C.parameter(1)], 'fast')
    with pytest.raises(TypeError, match='a learner needs parameters'):
        Sgd([C.input_variable(1)], 0.1)


def test_user_code_may_run_functions_and_other_threads_meanwhile():
    done = []

    class Running(C.learners.UserLearner):
        def update(self, gradient_values, training_sample_count, sweep_end):
            for p, g in gradient_values.items():
                p.set_value((p - 0.1 * C.constant(g)).eval())
            thread = threading.Thread(
                target=lambda: done.append(float(C.reduce_sum(C.constant([1, 2])).eval()))
            )
            thread.start()
            thread.join()
            gc.collect()
            return True

    x, w, trainer = network(lambda p: Running(p, 0.1))
    trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
    assert done == [3] and w.value[0] == pytest.approx(-0.1)


def test_nothing_is_left_behind():
    x, _w, trainer = network(lambda p: Sgd(p, 0.1))
    data = {x: np.ones((1, 3), np.float32)}
    for _ in range(10):
        trainer.train_minibatch(data)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(1000):
        trainer.train_minibatch(data)
    gc.collect()
    assert len(gc.get_objects()) - before < 50
    learner = trainer.parameter_learners[0]
    held = sys.getrefcount(learner)
    del trainer
    gc.collect()
    assert sys.getrefcount(learner) < held


# ---- learners as graphs ----


def adam_graph(parameters, gradients):
    """Adam without its corrections: two states, read and written in one step."""
    updates = []
    for p, g in zip(parameters, gradients):
        m, v = C.constant(0, shape=p.shape), C.constant(0, shape=p.shape)
        m2, v2 = C.assign(m, 0.9 * m + 0.1 * g), C.assign(v, 0.99 * v + 0.01 * g * g)
        updates += [m2, v2, C.assign(p, p - 0.05 * m2 / (C.sqrt(v2) + 1e-4))]
    return C.combine(updates)


def adam_numpy(w, gradients):
    m = v = np.zeros_like(w)
    for g in gradients:
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        w = w - 0.05 * m / (np.sqrt(v) + 1e-4)
    return w


@pytest.mark.parametrize('by_hand', [False, True])
def test_a_graph_in_the_training_step(by_hand):
    data = np.random.RandomState(0).randn(5, 4, 3).astype(np.float32)
    learners = []
    x, w, trainer = network(lambda p: learners.append(C.universal(adam_graph, p)) or learners[0])
    for d in data:
        if by_hand:
            learners[0].update({w: d.sum(0)}, 4)
        else:
            trainer.train_minibatch({x: d})
    np.testing.assert_allclose(
        w.value, adam_numpy(np.arange(3, dtype=np.float32), [d.sum(0) for d in data]), rtol=2e-5
    )
    assert learners[0].total_number_of_samples_seen() == 20


def sums_in_a_block(parameters, gradients):
    """AdaGrad; the assignment of its sums stands inside a block."""
    updates = []
    for p, g in zip(parameters, gradients):
        sums, given = C.constant(0, shape=p.shape), C.placeholder(shape=p.shape, dynamic_axes=[])
        new = C.as_block(C.assign(sums, sums + given * given), [(given, g)], 'Sums')
        updates += [new, C.assign(p, p - 0.1 * g / C.sqrt(new + 1e-3))]
    return C.combine(updates)


@pytest.mark.parametrize('graph', [adam_graph, sums_in_a_block])
def test_a_checkpoint_has_what_a_graph_keeps(tmp_path, graph):
    data = np.random.RandomState(0).randn(6, 4, 3).astype(np.float32)
    path = str(tmp_path / 'checkpoint')

    def train(trainer, x, steps):
        for d in steps:
            trainer.train_minibatch({x: d})

    x, w, trainer = network(lambda p: C.universal(graph, p))
    train(trainer, x, data[:3])
    trainer.save_checkpoint(path)
    train(trainer, x, data[3:])
    y, again, other = network(lambda p: C.universal(graph, p))
    other.restore_from_checkpoint(path)
    train(other, y, data[3:])
    np.testing.assert_array_equal(again.value, w.value)
    other.restore_from_checkpoint(path)  # back, in the same training
    train(other, y, data[3:])
    np.testing.assert_array_equal(again.value, w.value)


def test_a_checkpoint_of_another_graph_changes_nothing():
    def one_sum(shape):
        def graph(parameters, gradients):
            sums = C.constant(0, shape=shape)
            updates = [C.assign(sums, sums + C.reduce_sum(gradients[0]))]
            return C.combine([*updates, C.assign(parameters[0], parameters[0] - gradients[0])])

        return lambda p: C.universal(graph, p)

    _, _, trainer = network(lambda p: C.universal(adam_graph, p))
    _, _, other = network(one_sum((2,)))
    learner = other.parameter_learners[0]
    with pytest.raises(RuntimeError, match='has 2 values that an update assigns, .* assigns 1 beside'):
        learner.restore_from_checkpoint(trainer.parameter_learners[0].create_checkpoint())
    _, _, trainer = network(one_sum((1,)))
    with pytest.raises(RuntimeError, match=r'is float32\[1\], but the update assigns float32\[2\]'):
        learner.restore_from_checkpoint(trainer.parameter_learners[0].create_checkpoint())
    assert learner.total_number_of_samples_seen() == 0


@pytest.mark.parametrize('sizes', ['steps', 'free', 'batch'])
def test_a_graph_in_a_step_whose_sizes_the_data_tell(sizes):
    # Such a step is compiled when they are known. Beside it a learner of the library.
    rng = np.random.RandomState(0)
    if sizes == 'steps':
        x = C.sequence.input_variable(2)
        h = C.reduce_mean(C.sequence.unpack(x, 0, no_mask_output=True), 0)
        data = [[rng.randn(n, 2).astype(np.float32) for n in lengths] for lengths in ((3, 1), (2, 4))]
        means = [np.stack([d.sum(0) / max(map(len, ds)) for d in ds]) for ds in data]
    elif sizes == 'free':
        x = C.input_variable((C.FreeDimension, 2))
        h = C.reduce_mean(x, 0)
        data = [rng.randn(3, n, 2).astype(np.float32) for n in (2, 5)]
        means = [d.mean(1) for d in data]
    else:
        x = C.input_variable(2)
        h = C.to_batch(C.unpack_batch(x)) * 1
        data = means = [rng.randn(n, 2).astype(np.float32) for n in (2, 3)]
    w, b = C.parameter(2, init=[1, -1]), C.parameter((), init=0.5)
    loss = C.reduce_sum(C.square(C.reduce_sum(C.reshape(h, (2,)) * w) + b))
    graph = lambda ps, gs: C.combine([C.assign(p, p - 0.05 * g) for p, g in zip(ps, gs)])
    rate = C.learning_parameter_schedule_per_sample(0.02)
    trainer = C.Trainer(None, loss, [C.universal(graph, [w]), C.sgd([b], rate)])
    values = np.array([1.0, -1.0]), 0.5
    for d, m in zip(data, means):
        trainer.train_minibatch({x: d})
        r = m @ values[0] + values[1]
        assert trainer.previous_minibatch_loss_average == pytest.approx((r * r).mean(), rel=1e-5)
        values = values[0] - 0.05 * (2 * r[:, None] * m).sum(0), values[1] - 0.02 * (2 * r).sum()
    np.testing.assert_allclose(w.value, values[0], rtol=2e-5)
    np.testing.assert_allclose(b.value, values[1], rtol=2e-5)


def test_what_reads_a_parameter_in_the_step_sees_its_old_value():
    x, w = C.input_variable(3), C.parameter(3, init=np.arange(3, dtype=np.float32))
    z = x * w
    loss = C.reduce_sum(z)
    trainer = C.Trainer(z, loss, [C.universal(lambda ps, gs: C.assign(ps[0], ps[0] - gs[0]), [w])])
    _, out = trainer.train_minibatch({x: np.ones((1, 3), np.float32)}, outputs=[z.output, loss.output])
    np.testing.assert_array_equal(out[z.output], [[0, 1, 2]])
    assert out[loss.output] == 3 and trainer.previous_minibatch_loss_average == 3
    np.testing.assert_array_equal(w.value, [-1, 0, 1])


def test_two_parameters_exchange_their_values():
    a, b, x = C.parameter(2, init=1), C.parameter(2, init=5), C.input_variable(2)

    def swap(parameters, gradients):
        p, q = parameters
        return C.combine([C.assign(p, q + 0 * gradients[0]), C.assign(q, p + 0 * gradients[1])])

    trainer = C.Trainer(None, C.reduce_sum(x * a * b), [C.universal(swap, [a, b])])
    trainer.train_minibatch({x: np.ones((1, 2), np.float32)})
    assert a.value.tolist() == [5, 5] and b.value.tolist() == [1, 1]


def test_gradients_of_a_deep_network_are_those_of_the_old_weights():
    rs = np.random.RandomState(0)
    X, Y = rs.randn(6, 10, 5).astype(np.float32), rs.randn(6, 10, 2).astype(np.float32)

    def weights(make):
        C.cntk_py.reset_random_seed(3)
        x, y = C.input_variable(5), C.input_variable(2)
        z = C.layers.Sequential(
            [C.layers.Dense(7, activation=C.tanh), C.layers.Dense(6, activation=C.tanh), C.layers.Dense(2)]
        )(x)
        trainer = C.Trainer(z, C.squared_error(z, y), [make(list(reversed(z.parameters)))])
        for a, b in zip(X, Y):
            trainer.train_minibatch({x: a, y: b})
        return [p.value for p in z.parameters]

    for a, b in zip(
        weights(lambda p: C.sgd(p, 0.1)),
        weights(
            lambda p: C.universal(
                lambda ps, gs: C.combine([C.assign(q, q - 0.01 * g) for q, g in zip(ps, gs)]), p
            )
        ),
    ):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_cntks_way_to_make_one():
    w, x = C.parameter(2, init=1), C.input_variable(2)
    gradient = C.constant(0, shape=(2,))  # a constant stands for it, as in CNTK's own learners.universal
    learner = C.cntk_py.universal_learner([w], [gradient], C.assign(w, w - 0.5 * gradient))
    trainer = C.Trainer(None, C.reduce_sum(x * w), [learner])
    trainer.train_minibatch({x: np.array([[1, 2], [1, 2]], np.float32)})
    assert w.value.tolist() == [0, -1]
    learner.update({w: np.ones(2, np.float32)}, 1)
    assert w.value.tolist() == [-0.5, -1.5]
    with pytest.raises(ValueError, match='cannot stand for the gradient'):
        C.cntk_py.universal_learner([w], [C.constant(0, shape=(3,))], C.assign(w, w - 0.5))
    with pytest.raises(ValueError, match='has 1 parameters, but was given 0 variables'):
        C.cntk_py.universal_learner([w], [], C.assign(w, w - 0.5))
    v = C.parameter(2)
    with pytest.raises(RuntimeError, match='Update function does not contain the parameter'):
        C.universal(lambda ps, gs: C.assign(ps[0], ps[0] - gs[0]), [w, v])


def test_no_samples_no_update():
    x, w, trainer = network(lambda p: C.universal(lambda ps, gs: C.assign(ps[0], ps[0] * 0.5 - gs[0]), p))
    with pytest.raises(RuntimeError, match='no samples'):
        trainer.train_minibatch({x: np.ones((0, 3), np.float32)})
    np.testing.assert_array_equal(w.value, np.arange(3))
    assert trainer.train_minibatch({x: np.ones((1, 3), np.float32)})
    np.testing.assert_array_equal(w.value, np.arange(3) * 0.5 - 1)


def test_a_nan_stops_the_step_before_anything_is_written():
    x, w, trainer = network(lambda p: C.universal(lambda ps, gs: C.assign(ps[0], ps[0] - gs[0]), p))
    with pytest.raises(Exception, match='NaN|nan'):
        trainer.train_minibatch({x: np.full((1, 3), np.nan, np.float32)}, check_nan=True)
    np.testing.assert_array_equal(w.value, np.arange(3))
