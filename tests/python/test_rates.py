"""What a rate means: CNTK's steps of each learner; a warning where they are smaller than the rate says; what
help says."""

import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'
sys.path.insert(0, str(GOLDEN))
import rates_cntk

ADAPTIVE = {'adam', 'adamax', 'fsadagrad', 'adadelta', 'rmsprop, plain', 'adagrad, plain'}


@pytest.mark.filterwarnings('ignore:C.:UserWarning')
def test_steps_are_those_of_cntk():
    expected = [json.loads(line) for line in (GOLDEN / 'rates_cntk.txt').read_text().splitlines()]
    found = list(rates_cntk.steps())
    assert [row[:2] for row in found] == [row[:2] for row in expected] and len(found) == 33
    for ours, theirs in zip(found, expected):
        np.testing.assert_allclose(ours[2], theirs[2], rtol=2e-4, err_msg=str(ours[:2]))


MEAN, SUM, HALF = (0.16017, 0.256), (0.2215, 0.484), (0.18288, 0.3235)  # w after two steps, on CNTK 2.7
# Of each schedule: the steps for minibatch_size None, 0, 1 and 2, without and with use_mean_gradient.
SIZES = {
    'a number': (lambda: 0.05, (MEAN, MEAN, SUM, HALF), (MEAN, MEAN, SUM, HALF)),
    'open': (
        lambda: C.learning_parameter_schedule(0.05),
        (MEAN, MEAN, SUM, HALF),
        (MEAN, MEAN, MEAN, HALF),
    ),
    'for one sample': (lambda: C.learning_parameter_schedule(0.05, 1), (SUM,) * 4, (MEAN,) * 4),
    'per sample': (lambda: C.learning_parameter_schedule_per_sample(0.05), (SUM,) * 4, (MEAN,) * 4),
    'for two samples': (lambda: C.learning_parameter_schedule(0.05, 2), (HALF,) * 4, (HALF,) * 4),
    'for any': (lambda: C.learning_parameter_schedule(0.05, 0), (MEAN,) * 4, (MEAN,) * 4),
}


@pytest.mark.parametrize('mean', [None, False, True])
@pytest.mark.parametrize('place, size', enumerate([None, 0, 1, 2]))
@pytest.mark.parametrize('name', SIZES)
def test_sizes_that_rates_are_meant_for(name, place, size, mean):
    make, plain, with_mean = SIZES[name]
    x, y, w = C.input_variable(2), C.input_variable(1), C.parameter((2, 1), init=0.1)
    loss = C.squared_error(C.times(x, w), y)
    trainer = C.Trainer(None, loss, C.sgd([w], make(), use_mean_gradient=mean, minibatch_size=size))
    data = {x: np.float32([[1, 2], [3, -1], [0.5, 0.5]]), y: np.float32([[1], [0], [2]])}
    for _ in range(2):
        trainer.train_minibatch(data)
    np.testing.assert_allclose(w.value.ravel(), (with_mean if mean else plain)[place], atol=6e-6)


def told(make, rate, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        make([C.parameter(2)], rate, **options)
    return [str(w.message) for w in caught if w.category is UserWarning]


@pytest.mark.parametrize('name', list(rates_cntk.LEARNERS))
def test_a_rate_that_is_divided_is_told_of(name):
    make = rates_cntk.LEARNERS[name]
    for rate in (
        0.01,
        [0.1, 0.01],
        C.learning_parameter_schedule(0.01),
        C.learning_parameter_schedule(0.01, 50),
    ):
        said = told(make, rate)
        assert len(said) == (name in ADAPTIVE)
        if said:
            assert 'use_mean_gradient=True' in said[0] and 'use_mean_gradient=False' in said[0]
    for mean in (True, False):
        assert told(make, 0.01, use_mean_gradient=mean) == []
    assert told(make, C.learning_parameter_schedule_per_sample(0.01)) == []
    assert told(make, 0.01, minibatch_size=1) == []


def test_adadelta_without_a_rate_is_silent():
    assert told(lambda p, rate: C.adadelta(p), None) == []


def test_the_warning_is_at_the_line_of_the_program_and_there_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('default')
        for _ in range(3):
            C.adam([C.parameter(2)], 0.01, 0.9)
    caught = [w for w in caught if w.category is UserWarning]
    assert len(caught) == 1 and caught[0].filename == __file__


@pytest.mark.parametrize(
    'name', ['sgd', 'momentum_sgd', 'nesterov', 'adagrad', 'adadelta', 'rmsprop', 'adam', 'fsadagrad']
)
def test_help_says_what_a_rate_means(name):
    text = ' '.join(getattr(C, name).__doc__.split())
    assert 'mean gradient of a minibatch' in text or 'divided by the number of samples' in text
    assert 'use_mean_gradient' in text
    if name not in ('sgd', 'momentum_sgd', 'nesterov'):
        assert 'use_mean_gradient=True' in text


@pytest.mark.parametrize(
    'name',
    [
        'learning_parameter_schedule',
        'learning_parameter_schedule_per_sample',
        'training_parameter_schedule',
        'learning_rate_schedule',
    ],
)
def test_help_of_schedules_says_what_a_rate_means(name):
    text = getattr(C, name).__doc__
    assert re.search(r'[Aa]daptive', text)


def test_three_epochs_of_adam_learn():
    """With the remedy a network learns as fast as in other toolkits; with CNTK's meaning it has hardly
    begun."""
    rng = np.random.RandomState(0)
    points = rng.randn(1000, 2).astype(np.float32)
    labels = np.eye(2, dtype=np.float32)[(points.sum(axis=1) > 0).astype(int)]

    def error(mean):
        C.cntk_py.set_fixed_random_seed(1)
        x, y = C.input_variable(2), C.input_variable(2)
        z = C.layers.Dense(2)(x)
        criterion = C.combine([C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)])
        learner = C.adam(z.parameters, 0.01, 0.9, use_mean_gradient=mean)
        criterion.train((points, labels), minibatch_size=50, max_epochs=3, parameter_learners=[learner])
        return criterion.test((points, labels)).metric

    assert error(True) < 0.5 * error(False)


def eight_at_a_time(learner, minibatches):
    """The rates after each of so many minibatches."""
    x = C.input_variable(1)
    (w,) = learner.parameters
    trainer = C.Trainer(None, C.squared_error(x * w, 0 * x), [learner])
    rates = []
    for _ in range(minibatches):
        trainer.train_minibatch({x: np.zeros((8, 1), np.float32)})
        rates.append(learner.learning_rate())
    return trainer, rates


def by_ten(values):
    return C.learning_parameter_schedule(values, minibatch_size=1, epoch_size=10)


def test_a_rate_that_is_reset_begins_then_and_goes_on_from_a_checkpoint(tmp_path):
    w = C.parameter(1)
    learner = C.sgd([w], by_ten([0.1, 0.2, 0.3]))
    assert eight_at_a_time(learner, 3)[1] == [0.1, 0.2, 0.3]
    learner.reset_learning_rate(by_ten([1, 2, 3]))
    assert learner.learning_rate() == 1
    trainer, rates = eight_at_a_time(learner, 3)
    assert rates == [1, 2, 3]
    learner.reset_learning_rate(by_ten([4, 5, 6]))
    trainer, rates = eight_at_a_time(learner, 1)
    assert rates == [4]
    trainer.save_checkpoint(str(tmp_path / 'c'))
    again = C.sgd([w], by_ten([0.1, 0.2, 0.3]))
    other, _ = eight_at_a_time(again, 1)
    other.restore_from_checkpoint(str(tmp_path / 'c'))
    assert again.learning_rate() == 4
    assert eight_at_a_time(again, 2)[1] == [5, 6]


def test_writers_are_told_the_rate_that_is_in_force():
    class Writer(C.cntk_py.ProgressWriter):
        def __init__(self):
            super().__init__(1, 0, 1, 0, 1, 0)
            self.told = []

        def write(self, key, value):
            self.told.append(value)

    writer, w, x = Writer(), C.parameter(1), C.input_variable(1)
    learner = C.sgd([w], by_ten([0.1, 0.2, 0.3]))
    trainer = C.Trainer(None, C.squared_error(x * w, 0 * x), [learner], [writer])
    for i in range(6):
        if i == 3:
            learner.reset_learning_rate(by_ten([1, 2, 3]))
        trainer.train_minibatch({x: np.zeros((8, 1), np.float32)})
    assert writer.told == [0.1, 0.2, 1, 2]


def test_the_rate_finder_leaves_the_schedule_alone():
    x, w = C.input_variable(1), C.parameter(1)
    learner = C.sgd([w], by_ten([0.1, 0.2, 0.3]))
    loss = C.squared_error(x * w, 0 * x + 1)
    trainer = C.Trainer(None, loss, [learner])
    data = np.random.RandomState(0).rand(400, 1).astype(np.float32)
    C.train.find_learning_rate(trainer, (data,), minibatch_size=10, stop=0.1)
    rates = []
    for _ in range(3):
        rates.append(learner.learning_rate())
        trainer.train_minibatch({x: data[:10]})
    assert rates == [0.1, 0.2, 0.3]


def test_the_size_that_a_schedule_of_sizes_is_meant_for():
    sizes = C.minibatch_size_schedule([3, 4], 100)
    assert sizes.get_minibatch_size() == 0 and (sizes[0], sizes[100]) == (3, 4)
    sizes.set_minibatch_size(5)
    assert sizes.get_minibatch_size() == 5 and sizes[0] == 3


def test_a_text_for_the_unit_is_for_minibatches():
    """In CNTK 2.7 the enumeration alone makes a rate for one sample."""

    def step(unit):
        w, x = C.parameter(1), C.input_variable(1)
        loss = C.reduce_sum(w * x)
        trainer = C.Trainer(None, loss, C.sgd([w], C.learning_rate_schedule(0.1, unit)))
        trainer.train_minibatch({x: np.ones((4, 1), np.float32)})
        return float(w.value[0])

    with pytest.warns(UserWarning, match="(?s)the unit 'sample', a text.*UnitType.sample"):
        assert step('sample') == pytest.approx(-0.1)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert step('minibatch') == step(C.UnitType.minibatch) == pytest.approx(-0.1)
        assert step(C.UnitType.sample) == pytest.approx(-0.4)
    with pytest.raises(ValueError, match="'Sample' is not a valid UnitType"):
        C.training_parameter_schedule(0.1, 'Sample')
