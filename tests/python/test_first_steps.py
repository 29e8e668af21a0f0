"""What a newcomer sees: names that complete, objects that say what they are, progress without figures that
mean nothing."""

import subprocess
import sys

import numpy as np
import pytest

import cantik as C

DATA = np.ones((100, 2), np.float32), np.ones((100, 1), np.float32)


def regression():
    x, y = C.input_variable(2, name='x'), C.input_variable(1, name='y')
    z = C.layers.Sequential([C.layers.Dense(3, name='hidden'), C.layers.Dense(1, name='top')])(x)
    return z, C.squared_error(z, y)


# ---- names


def test_names_of_layers_complete():
    z, _ = regression()
    names = dir(z)
    assert {'hidden', 'top', 'x', 'eval', 'parameters'} <= set(names)
    for name in ('hidden', 'top', 'x'):
        assert getattr(z, name).name == name
    assert {'W', 'b'} <= set(dir(z.hidden)) and z.hidden.W.shape == (2, 3)


def test_what_dir_shows_is_there():
    x = C.input_variable(2, name='x')
    twice = C.plus(C.relu(x, name='same'), C.relu(x + 1, name='same'), name='no name')
    assert 'same' not in dir(twice) and 'no name' not in dir(twice)  # z.same would be an error
    for f in (regression()[0], twice, C.layers.Dense(2, name='d')):
        for name in dir(f):
            if not name.startswith('_'):
                try:
                    getattr(f, name)
                except (AttributeError, TypeError, ValueError, RuntimeError) as error:
                    assert name not in str(error) or 'nothing in it is named' not in str(error), name


# ---- what objects say they are


def test_schedules():
    assert repr(C.learning_parameter_schedule(0.1)) == '<TrainingParameterSchedule: 0.1 per minibatch>'
    assert (
        repr(C.learning_parameter_schedule_per_sample(0.1)) == '<TrainingParameterSchedule: 0.1 per sample>'
    )
    assert (
        repr(C.learning_parameter_schedule([0.1, 0.01], 32))
        == '<TrainingParameterSchedule: 0.1 for 1 sweep, then 0.01, per 32 samples>'
    )
    rates = C.learning_parameter_schedule([(2, 0.1), (1, 0.05), (1, 0.01)], minibatch_size=1, epoch_size=10)
    assert (
        repr(rates)
        == '<TrainingParameterSchedule: 0.1 for 20 samples, then 0.05 for 10 samples, then 0.01, per sample>'
    )


@pytest.mark.filterwarnings('ignore:C.:UserWarning')
def test_learners():
    p = [C.parameter(2), C.parameter(3)]
    made = {
        'sgd': C.sgd(p, 0.1),
        'momentum_sgd': C.momentum_sgd(p, 0.1, 0.9),
        'nesterov': C.nesterov(p, 0.1, 0.9),
        'adagrad': C.adagrad(p, 0.1),
        'adadelta': C.adadelta(p, 0.1),
        'rmsprop': C.rmsprop(p, 0.1, 0.9, 1.2, 0.5, 10, 0.1),
        'adam': C.adam(p, 0.1, 0.9),
        'adamax': C.adam(p, 0.1, 0.9, adamax=True),
        'fsadagrad': C.fsadagrad(p, 0.1, 0.9),
    }
    for name, learner in made.items():
        assert repr(learner) == f'<Learner: {name} of 2 parameters, learning rate 0.1 per minibatch>'

    class Mine(C.UserLearner):
        def update(self, gradient_values, training_sample_count, sweep_end):
            return True

    assert (
        repr(Mine(p[:1], C.learning_parameter_schedule(0.2)))
        == '<Learner: Mine of 1 parameter, learning rate 0.2 per minibatch>'
    )
    assert 'universal of 1 parameter' in repr(
        C.universal(lambda p, g: C.combine([C.assign(a, a - b) for a, b in zip(p, g)]), p[:1])
    )


def test_trainers():
    z, loss = regression()
    trainer = C.Trainer(z, (loss, None), [C.sgd(z.parameters, 0.1)])
    trainer.train_minibatch({'x': DATA[0], 'y': DATA[1]})
    lines = repr(trainer).splitlines()
    assert lines[0] == '<Trainer, 100 samples seen' and len(lines) == 4
    assert lines[1] == '  model    ' + str(z) and lines[2] == '  loss     ' + str(loss)
    assert lines[3] == '  learner  sgd of 4 parameters, learning rate 0.1 per minibatch>'


# ---- progress


@pytest.mark.parametrize('freq', [None, 0, 1])
def test_a_training_without_a_metric_tells_of_none(freq, capsys):
    _, loss = regression()
    loss.train(
        DATA,
        parameter_learners=[C.sgd(loss.parameters, 0.01)],
        max_epochs=2,
        callbacks=[C.logging.ProgressPrinter(freq)],
    )
    lines = capsys.readouterr().out.splitlines()
    body = lines[3:] if freq == 0 else lines
    assert len(body) > 1 and not any('metric' in line for line in body)
    assert all(
        '( 0.0 samples/s' not in line and '(0.0 samples/s' not in line and ' 0.0 samples/s' not in line
        for line in lines
    )


def test_a_metric_is_told_of(capsys):
    _z, loss = regression()
    criterion = C.combine([loss, C.reduce_sum(loss)])
    criterion.train(
        DATA, parameter_learners=[C.sgd(loss.parameters, 0.01)], callbacks=[C.logging.ProgressPrinter()]
    )
    assert 'metric = ' in capsys.readouterr().out


def test_a_loss_that_is_not_a_number_is_said_once(capsys):
    z, loss = regression()
    trainer = C.Trainer(z, (loss, None), [C.sgd(z.parameters, 1e30)], [C.logging.ProgressPrinter(1)])
    for _ in range(6):
        trainer.train_minibatch({'x': DATA[0], 'y': DATA[1]})
    trainer.summarize_training_progress()
    lines = capsys.readouterr().out.splitlines()
    assert sum('not a number' in line for line in lines) == 1 and 'set_checked_mode' in ''.join(lines)
    assert any('loss = nan' in line for line in lines)


def test_the_bar_writes_nothing_into_files():
    program = '''
import numpy as np, cantik as C
x, y = C.input_variable(2), C.input_variable(1)
loss = C.squared_error(C.layers.Dense(1)(x), y)
loss.train((np.ones((100, 2)), np.ones((100, 1))), parameter_learners=[C.sgd(loss.parameters, 0.01)], max_epochs=3, callbacks=[C.logging.ProgressBar(100)])
'''
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
