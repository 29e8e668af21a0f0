"""Callbacks of trainings, and what an interrupt leaves."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import cantik as C

N = 120


@pytest.fixture
def data():
    random = np.random.RandomState(0)
    x = random.randn(N, 3).astype(np.float32)
    return x, x[:, :1] - 2 * x[:, 1:2]


def network(init=0.1):
    x, y = C.input_variable(3, name='x'), C.input_variable(1, name='y')
    z = C.layers.Dense(1, init=init)(x)
    loss = C.squared_error(z, y)
    return z, C.combine([loss, C.reduce_mean(C.abs(z - y))]), (x, y)


def trained(data, callbacks=(), epochs=6, rate=0.02, shuffle=False, init=0.1, of=None):
    z, criterion, _ = of or network(init)
    learner = C.sgd(z.parameters, rate)
    progress = criterion.train(
        data, parameter_learners=[learner], minibatch_size=20, max_epochs=epochs, callbacks=callbacks,
        shuffle=shuffle,
    )  # fmt: skip
    return z, learner, progress


class Script(C.train.Callback):
    """Puts numbers of the test's into the records."""

    def __init__(self, name, values):
        super().__init__()
        self._name, self._values = name, values

    def on_epoch_end(self, session, record):
        record[self._name] = self._values[min(record.epoch, len(self._values)) - 1]


class Log(C.train.Callback):
    """Remembers calls; checkpoints keep how many records there were."""

    def __init__(self):
        super().__init__()
        self.calls, self.records, self.session = [], [], None

    def on_training_start(self, session):
        self.calls.append('start')
        self.session = session

    def on_training_end(self, session):
        self.calls.append('end')

    def on_minibatch_start(self, session):
        self.calls.append('(')

    def on_minibatch_end(self, session):
        self.calls.append(')')

    def on_epoch_end(self, session, record):
        self.calls.append(f'epoch {record.epoch}')
        self.records.append(record)

    def on_checkpoint_start(self, session, index):
        self.calls.append(f'checkpoint {index}')

    def on_cross_validation_start(self, session, index):
        self.calls.append(f'validation {index}')

    def state(self):
        return {'records': len(self.records)}

    def restore(self, state):
        self.calls.append(f'restored {state["records"]}')


def test_calls_and_records(data, tmp_path):
    of = network()
    log = Log()
    _, _, progress = trained(
        data,
        [
            log,
            C.CheckpointConfig(str(tmp_path / 'm'), frequency=N),
            C.CrossValidationConfig(data, frequency=N, criterion=of[1]),
        ],
        epochs=1,
        of=of,
    )
    assert log.calls == ['start', *['(', ')'] * 6, 'validation 0', 'epoch 1', 'checkpoint 0', '(', ')', 'end']
    (record,) = log.records
    assert list(record) == ['epoch', 'loss', 'metric', 'val_metric', 'rate', 'samples', 'seconds']
    assert record.samples == N and record.rate == 0.02 and record.seconds > 0
    assert record.loss == pytest.approx(progress.epoch_summaries[0].loss, rel=1e-5)
    assert record.metric == pytest.approx(progress.epoch_summaries[0].metric, rel=1e-5)
    assert log.session.trainer.total_number_of_samples_seen == N


def test_functions_of_the_record(data):
    seen = []
    _, learner, _ = trained(data, [lambda record: seen.append(record.epoch)])
    assert seen == [1, 2, 3, 4, 5, 6]
    _, learner, _ = trained(data, [lambda record: record.epoch < 3, lambda record: None])
    assert learner.total_number_of_samples_seen() == 3 * N
    with pytest.raises(LookupError, match='of the user'):
        trained(data, [lambda record: {}[1] if record.epoch == 2 else None, Failing()])


class Failing(C.train.Callback):
    def on_minibatch_end(self, session):
        raise LookupError('of the user')


def test_early_stopping(data):
    stop = C.train.EarlyStopping('val_accuracy', patience=2)
    z, learner, _ = trained(data, [Script('val_accuracy', [1, 3, 2, 2, 9]), stop])
    assert stop.best_epoch == 2 and stop.best == 3 and learner.total_number_of_samples_seen() == 4 * N
    shorter, _, _ = trained(data, epochs=2)
    np.testing.assert_array_equal(z.W.value, shorter.W.value)
    stop = C.train.EarlyStopping('val_accuracy', patience=2, larger_is_better=False, restore_best=False)
    z, learner, _ = trained(data, [Script('val_accuracy', [1, 3, 2, 2, 9]), stop])
    assert stop.best_epoch == 1 and learner.total_number_of_samples_seen() == 3 * N
    assert C.train.EarlyStopping().best_epoch is None


def test_a_plateau_reduces_the_rate(data):
    reduce = C.train.ReduceOnPlateau('val_metric', factor=0.5, patience=1, min_rate=0.004)
    log = Log()
    trained(data, [Script('val_metric', [1.0]), reduce, log])
    assert [record.rate for record in log.records] == [0.02, 0.02, 0.01, 0.005, 0.004, 0.004]


def test_norm_and_speed_in_the_log(data):
    class Writer(C.cntk_py.ProgressWriter):
        def __init__(self):
            super().__init__(1, 0, 1, 0, 1, 0)
            self.told = []

        def write(self, key, value):
            self.told.append((key, value))

    writer, log = Writer(), Log()
    trained(data, [writer, C.train.GradientNorm(every=3), C.train.Throughput(), log], epochs=1)
    assert [key for key, _ in writer.told] == [
        'Learning rate per minibatch', 'Gradient norm', 'Gradient norm', 'Samples per second',
    ]  # fmt: skip
    z, criterion, (x, y) = network()
    first = criterion.outputs[0].owner.grad({x: data[0][:20], y: data[1][:20]}, wrt=list(z.parameters))
    norm = np.sqrt(sum(np.sum(np.square(g, dtype=np.float64)) for g in first.values())) / 20
    assert writer.told[1][1] == pytest.approx(norm, rel=1e-5)
    (record,) = log.records
    assert record.gradient_norm == pytest.approx(np.mean([value for _, value in writer.told[1:3]]))
    assert record.samples_per_second == writer.told[3][1] > 0


def test_a_finished_training_with_the_norm_is_taken_up_again(data, tmp_path):
    checkpoints = C.CheckpointConfig(str(tmp_path / 'c'), frequency=50, restore=True)
    logs = Log(), Log()
    for log in logs:
        trained(data, [C.train.GradientNorm(every=1), checkpoints, log], epochs=2)
    assert len(logs[0].records) == 2 and not logs[1].records


def test_records_take_numbers_alone(data):
    class Wrong(C.train.Callback):
        def on_epoch_end(self, session, record):
            record['note'] = 'text'

    with pytest.raises(TypeError, match="an entry of an epoch's record must be a number, and 'note' is str"):
        trained(data, [Wrong()])


@pytest.mark.parametrize('make', [C.train.EarlyStopping, C.train.ReduceOnPlateau])
def test_wrong_arguments(data, make):
    with pytest.raises(ValueError, match='patience'):
        make(patience=0)
    with pytest.raises((TypeError, ValueError), match='monitor'):
        make(monitor=3)
    with pytest.raises(ValueError, match='min_delta'):
        make(min_delta=-1)
    with pytest.raises(
        ValueError, match="monitor must be one of loss, metric, rate, samples, seconds, not 'x'"
    ):
        trained(data, [make('x')])


def test_wrong_callbacks(data):
    for wrong in (3, C.train.EarlyStopping, 'loss', None):  # CNTK passes over what it does not know
        with pytest.warns(RuntimeWarning, match='one of the callbacks is left out'):
            trained(data, [wrong])
    with pytest.raises(ValueError, match='a test takes progress writers'):
        network()[1].test(data, callbacks=[print])


def test_a_callbacks_session_ends_the_training(data):
    class Ending(C.train.Callback):
        def on_minibatch_end(self, session):
            if session.trainer.total_number_of_samples_seen >= 80:
                session.end()

    _, learner, progress = trained(data, [Ending()])
    assert learner.total_number_of_samples_seen() == 80 and progress.epoch_summaries[-1].samples == 80


# ---- checkpoints


@pytest.mark.parametrize('shuffle', [False, True])
def test_a_training_with_callbacks_goes_on_bit_for_bit(data, tmp_path, shuffle):
    """Stopped between two checkpoints and within an epoch, with another seed in the second part."""

    def callbacks(name):
        return [
            Script('val_metric', [5, 4, 4.5, 4.4, 3.9, 5]),
            C.train.ReduceOnPlateau('val_metric', factor=0.5, patience=2, min_delta=0),
            C.train.EarlyStopping('val_metric', patience=4),
            Log(),
            C.CheckpointConfig(str(tmp_path / name), frequency=N),
        ]

    class Stop(C.train.Callback):
        def on_minibatch_end(self, session):
            if session.trainer.total_number_of_samples_seen == 3 * N + 40:
                session.interrupt()

    whole, _, _ = trained(data, [*callbacks('whole'), C.train.Callback()], shuffle=shuffle and 3)
    first = callbacks('parts')
    _, learner, _ = trained(data, [*first, Stop()], shuffle=shuffle and 3)
    assert learner.total_number_of_samples_seen() == 3 * N + 40
    second = callbacks('parts')
    again, _, _ = trained(data, [*second, C.train.Callback()], shuffle=shuffle and 4, init=0.7)
    np.testing.assert_array_equal(again.W.value, whole.W.value)
    assert second[3].calls[0] == 'restored 3' and len(second[3].records) == 3


def test_fit_goes_on_from_a_checkpoint(data, tmp_path):
    def fitted(name, **options):
        C.set_seed(1)
        model = C.layers.Dense(1)(C.input_variable(3))
        config = C.CheckpointConfig(str(tmp_path / name), frequency=(1, C.DataUnit.sweep))
        callbacks = [config, *options.pop('callbacks', ())]
        return C.fit(model, data, loss='mse', metrics='mae', callbacks=callbacks, **options)

    whole = fitted('whole', epochs=5, callbacks=[lambda record: None])
    part = fitted('parts', epochs=5, callbacks=[lambda record: record.epoch < 3])
    assert len(part) == 3
    again = fitted('parts', epochs=5, callbacks=[lambda record: None])
    assert [r.epoch for r in again] == [1, 2, 3, 4, 5]
    for name in ('loss', 'mae', 'rate'):
        assert again[name] == whole[name]
    np.testing.assert_array_equal(again.model.W.value, whole.model.W.value)


PROGRAM = """
    import sys
    import numpy as np
    import cantik as C

    path, samples, tell = sys.argv[1], int(sys.argv[2]), sys.argv[3] == 'tell'
    C.set_seed(1)
    x, y = C.input_variable(50), C.input_variable(1)
    z = C.layers.Sequential([C.layers.Dense(30, C.tanh), C.layers.Dropout(0.3), C.layers.Dense(1)])(x)
    loss = C.squared_error(z, y)
    X = np.random.RandomState(0).randn(400, 50).astype(np.float32)
    source = C.io.MinibatchSourceFromData(dict(x=X, y=X[:, :1]), max_samples=samples)
    learner = C.momentum_sgd(z.parameters, 0.01, 0.9)
    trainer = C.Trainer(z, (loss, loss), [learner])

    def told(record):
        if tell:
            print('epoch', flush=True)

    session = C.training_session(
        trainer, source, 25, {x: source.streams.x, y: source.streams.y}, progress_frequency=2000,
        checkpoint_config=C.CheckpointConfig(path, frequency=samples), callbacks=[told],
    )
    try:
        session.train()
    except KeyboardInterrupt:
        print('interrupted', trainer.total_number_of_samples_seen, flush=True)
    else:
        np.save(path + '.npy', np.concatenate([np.ravel(p.value) for p in z.parameters]))
        print('complete', trainer.total_number_of_samples_seen, flush=True)
"""


def run_program(tmp_path, name, samples, interrupt=False):
    script = tmp_path / 'program.py'
    script.write_text(textwrap.dedent(PROGRAM))
    arguments = [
        sys.executable,
        str(script),
        str(tmp_path / name),
        str(samples),
        'tell' if interrupt else '-',
    ]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    if interrupt:
        assert process.stdout.readline() == 'epoch\n'
        os.kill(process.pid, signal.SIGINT)
    said = [line for line in process.communicate(timeout=120)[0].splitlines() if line != 'epoch']
    assert process.returncode == 0
    return said


def test_ctrl_c_leaves_a_checkpoint(tmp_path):
    """A real process, and a real signal."""
    samples = 400_000
    (said,) = run_program(tmp_path, 'parts', samples, interrupt=True)
    how, seen = said.split()
    assert how == 'interrupted' and 2000 <= int(seen) < samples and int(seen) % 25 == 0
    assert C.load_model(str(tmp_path / 'parts')).outputs
    assert not [name for name in os.listdir(tmp_path) if name.endswith('.tmp')]
    assert run_program(tmp_path, 'parts', samples) == [f'complete {samples}']
    assert run_program(tmp_path, 'whole', samples) == [f'complete {samples}']
    np.testing.assert_array_equal(np.load(tmp_path / 'parts.npy'), np.load(tmp_path / 'whole.npy'))


# ---- order, rates, curves


def test_shuffled_arrays(data):
    straight, _, _ = trained(data)
    a, b, other, drawn = (trained(data, shuffle=shuffle)[0].W.value for shuffle in (7, 7, 8, True))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, straight.W.value) and not np.array_equal(a, other)
    assert not np.array_equal(drawn, straight.W.value)
    C.set_seed(5)
    first, _, _ = trained(data, shuffle=True)
    C.set_seed(5)
    second, _, _ = trained(data, shuffle=True)
    np.testing.assert_array_equal(first.W.value, second.W.value)
    with pytest.raises(ValueError, match='shuffle'):
        trained(data, shuffle=-1)
    z, criterion, _ = network()
    source = C.io.MinibatchSourceFromData(dict(x=data[0], y=data[1]), max_samples=N)
    with pytest.raises(ValueError, match='shuffle is for arrays'):
        criterion.train(source, parameter_learners=[C.sgd(z.parameters, 0.1)], max_samples=N, shuffle=True)


def test_the_rate_finder(data, tmp_path):
    z, criterion, _ = network()
    trainer = C.Trainer(z, criterion, [C.sgd(z.parameters, 0.02)])
    before = np.array(z.W.value)
    curve = C.train.find_learning_rate(trainer, data, minibatch_size=20, stop=10.0, minibatches=30)
    np.testing.assert_array_equal(z.W.value, before)
    assert trainer.total_number_of_samples_seen == 0
    assert trainer.parameter_learners[0].learning_rate() == 0.02
    assert len(curve.rates) == len(curve.losses) and curve.suggestion in curve.rates
    assert 'suggestion' in repr(curve) and curve._repr_svg_().startswith('<svg')
    for wrong in ({'start': 1.0, 'stop': 0.1}, {'minibatches': 1}, {'stop_at': 0.5}, {'smoothing': 1.0}):
        with pytest.raises(ValueError, match='at least|above|rise'):
            C.train.find_learning_rate(trainer, data, **wrong)
    with pytest.raises(TypeError, match='trainer must be a Trainer'):
        C.train.find_learning_rate(z, data)


def test_schedules_by_formula(data):
    rates = C.learners.warm_up(C.learners.cosine_schedule(0.1, 4 * N, 0.01), 2 * N, steps=2)
    log = Log()
    trained(data, [log], rate=rates)
    seen = [record.rate for record in log.records]
    assert seen[:2] == [0.1, 0.1] and seen[2:] == pytest.approx([0.0868, 0.055, 0.0232, 0.01], abs=2e-3)
    with pytest.raises(ValueError, match='samples'):
        C.learners.cosine_schedule(0.1, 0)
    with pytest.raises(ValueError, match='counts sweeps'):
        C.learners.warm_up([0.1, 0.2], 10)


def test_a_notebook_shows_the_progress(data, tmp_path):
    of = network()
    _, _, progress = trained(data, [C.TestConfig(data, criterion=of[1])], epochs=2, of=of)
    page = progress._repr_html_()
    assert page.startswith('<svg') and page.count('<tr>') == 3 and 'test: metric' in page
    progress.plot(str(tmp_path / 'curves.svg'))
    assert (tmp_path / 'curves.svg').read_text().startswith('<svg')
    assert set(progress) == {'updates', 'epoch_summaries', 'test_summary'}


def test_of_two_configurations_the_first_counts(data, tmp_path):
    configs = [C.CheckpointConfig(str(tmp_path / name), frequency=N) for name in 'ab']
    with pytest.warns(RuntimeWarning, match='only one CheckpointConfig'):
        trained(data, configs)
    assert (tmp_path / 'a').exists() and not (tmp_path / 'b').exists()


def test_a_training_that_has_stopped_early_stays_so(data, tmp_path):
    def callbacks():
        return [
            Script('val_metric', [5, 4, 4.5, 4.4, 3.9, 5]),
            C.train.EarlyStopping('val_metric', patience=2, restore_best=True),
            C.CheckpointConfig(str(tmp_path / 'model'), frequency=N),
        ]

    z, learner, _ = trained(data, callbacks())
    seen, best = learner.total_number_of_samples_seen(), z.W.value
    for _ in range(2):  # it trained one epoch more each time
        again, learner, _ = trained(data, callbacks(), init=0.7)
        assert learner.total_number_of_samples_seen() == seen
        np.testing.assert_array_equal(again.W.value, best)


@pytest.mark.parametrize('seed', range(4))
def test_the_suggested_rate_is_one_at_which_the_loss_falls(seed):
    """And not one of the first, whose losses differ by what is in their minibatches."""
    X = np.random.RandomState(seed).randn(400, 2).astype(np.float32)
    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1, init=C.glorot_uniform(seed=seed + 1))(x)
    trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 1.0)])
    curve = C.train.find_learning_rate(trainer, (X, X[:, :1]), minibatch_size=20, stop=1.0)
    assert 0.01 < curve.suggestion < 0.6
