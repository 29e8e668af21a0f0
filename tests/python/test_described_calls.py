"""Calls around trainings, which are made of structs of C++: CNTK's arguments and defaults, ranges and their
texts."""

import inspect

import numpy as np
import pytest

import cantik as C

# As CNTK 2.7 has them; what follows a slash is ours.
CNTKS = {
    C.CheckpointConfig: 'filename, frequency=None, restore=True, preserve_all=False',
    C.CrossValidationConfig: 'minibatch_source=None, frequency=None, minibatch_size=32, callback=None, '
    'max_samples=None, model_inputs_to_streams=None, criterion=None, source=None, mb_size=None',
    C.TestConfig: 'minibatch_source=None, minibatch_size=32, model_inputs_to_streams=None, criterion=None, '
    'source=None, mb_size=None',
    C.Function.train: 'self, minibatch_source, minibatch_size=32, streams=None, '
    'model_inputs_to_streams=None, parameter_learners=[], callbacks=[], progress_frequency=None, '
    'max_epochs=None, epoch_size=None, max_samples=None / shuffle=False',
    C.Function.test: 'self, minibatch_source, minibatch_size=32, streams=None, '
    'model_inputs_to_streams=None, callbacks=None',
    C.momentum_as_time_constant_schedule: 'momentum, epoch_size=None',
    C.logging.ProgressPrinter: "freq=None, first=0, tag='', log_to_file=None, rank=None, "
    'gen_heartbeat=False, num_epochs=None, test_freq=None, test_first=0, metric_is_pct=True, '
    'distributed_freq=None, distributed_first=0',
    C.logging.TensorBoardProgressWriter: "freq=None, log_dir='.', rank=None, model=None",
    C.data_parallel_distributed_learner: 'learner, distributed_after=0, num_quantization_bits=32, '
    'use_async_buffered_parameter_update=False / elastic=False, communicator=None',
    C.block_momentum_distributed_learner: 'learner, block_size, block_momentum_as_time_constant=None, '
    'use_nestrov_momentum=True, reset_sgd_momentum_after_aggregation=True, block_learning_rate=1.0, '
    'distributed_after=0 / elastic=False, communicator=None',
}


def spelled(parameter):
    return str(parameter.replace(annotation=parameter.empty))


@pytest.mark.parametrize('call', CNTKS, ids=lambda call: call.__qualname__)
def test_arguments_are_cntks(call):
    found = [spelled(p) for p in inspect.signature(call).parameters.values()]
    assert found == CNTKS[call].replace(' /', ',').split(', ')


def test_every_argument_has_its_line_of_help():
    calls = [*CNTKS, C.train.EarlyStopping, C.train.ReduceOnPlateau, C.train.GradientNorm]
    calls += [
        C.logging.ProgressBar,
        C.train.find_learning_rate,
        C.learners.cosine_schedule,
        C.learners.warm_up,
    ]
    for call in calls:
        lines = inspect.getdoc(call).split('Args:\n')[1].split('\n\n')[0].split('\n')
        told = [line.strip().partition(':')[0].partition(' (')[0] for line in lines if line[4:5] != ' ']
        assert told == [name for name in inspect.signature(call).parameters if name != 'self'], call


@pytest.fixture(scope='module')
def network():
    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1)(x)
    data = np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)
    return C.squared_error(z, y), data, C.sgd(z.parameters, 0.01)


RANGES = [
    (lambda: C.train.EarlyStopping(patience=0), 'patience must be at least 1, and is 0'),
    (lambda: C.train.EarlyStopping(min_delta=-1), 'min_delta must be at least 0, and is -1'),
    (lambda: C.train.EarlyStopping(''), "monitor must name an entry of the epochs' records"),
    (lambda: C.train.ReduceOnPlateau(factor=1.5), 'factor must be above 0 and below 1, and is 1.5'),
    (lambda: C.train.ReduceOnPlateau(cooldown=-1), 'cooldown must be at least 0, and is -1'),
    (lambda: C.train.GradientNorm(0), 'every must be at least 1, and is 0'),
    (lambda: C.logging.ProgressPrinter(freq=-1), 'freq must be at least 0, and is -1'),
    (lambda: C.logging.ProgressPrinter(log_to_file=''), "log_to_file must be the path of a file, not ''"),
    (lambda: C.logging.ProgressBar(width=2000), 'width must be at least 0 and at most 1000, and is 2000'),
    (lambda: C.logging.TensorBoardProgressWriter(freq=-1), 'freq must be at least 0, and is -1'),
    (lambda: C.learners.cosine_schedule(0.1, 0), 'samples must be at least 1, and is 0'),
    (lambda: C.learners.cosine_schedule(-0.1, 9), 'rate must be at least 0, and is -0.1'),
    (lambda: C.learners.cosine_schedule(0.1, 9, steps=0), 'steps must be at least 1, and is 0'),
    (lambda: C.learners.warm_up(0.1, 9, steps=0), 'steps must be at least 1, and is 0'),
    (
        lambda: C.block_momentum_distributed_learner(C.sgd([C.parameter(2)], 0.1), 0),
        'block_size must be at least 1, and is 0',
    ),
    (
        lambda: C.block_momentum_distributed_learner(C.sgd([C.parameter(2)], 0.1), 9, -1.0),
        'block_momentum_as_time_constant must be at least 0, and is -1',
    ),
    (
        lambda: C.data_parallel_distributed_learner(C.sgd([C.parameter(2)], 0.1), distributed_after=-1),
        'distributed_after must be at least 0, and is -1',
    ),
]


@pytest.mark.parametrize('call, text', RANGES, ids=[text for _, text in RANGES])
def test_numbers_out_of_their_range(call, text):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == text


@pytest.mark.parametrize('name', ['max_epochs', 'epoch_size', 'max_samples'])
def test_counts_of_a_training(network, name):
    criterion, data, learner = network
    with pytest.raises(ValueError, match=f'{name} must be at least 1, and is 0'):
        criterion.train(data, parameter_learners=[learner], **{name: 0})
    with pytest.raises(TypeError, match=f"{name} must be a whole number, not 'a'"):
        criterion.train(data, parameter_learners=[learner], **{name: 'a'})
    with pytest.raises(TypeError, match=f'{name} must be a whole number, not inf'):
        criterion.train(data, parameter_learners=[learner], **{name: float('inf')})
    with pytest.raises(ValueError, match='progress_frequency must be at least 0, and is -1'):
        criterion.train(data, parameter_learners=[learner], progress_frequency=-1, **{name: 1})


@pytest.mark.parametrize('endless', [C.io.INFINITELY_REPEAT, 2**70, np.uint64(2**64 - 1), 1e300])
def test_counts_without_an_end(network, endless):
    criterion, data, learner = network
    rounds = []

    def enough(record):
        rounds.append(record)
        return len(rounds) < 3

    criterion.train(
        data, parameter_learners=[learner], max_samples=endless, progress_frequency=8, callbacks=[enough]
    )
    assert len(rounds) == 3
    C.train.EarlyStopping(patience=endless)


def test_objects_that_are_none_of_ours():
    local = C.sgd([C.parameter(2)], 0.1)
    with pytest.raises(TypeError, match='communicator must be a Communicator, not 3'):
        C.data_parallel_distributed_learner(local, communicator=3)
    with pytest.raises(RuntimeError, match='Asynchronous parameter update is not yet supported'):
        C.data_parallel_distributed_learner(local, use_async_buffered_parameter_update=True)
    with pytest.raises(TypeError, match='learner must be a learner, not int'):
        C.local_sgd_distributed_learner(3, 10)
    with pytest.raises(TypeError, match="larger_is_better must be True or False, not 'no'"):
        C.train.EarlyStopping(larger_is_better='no')
