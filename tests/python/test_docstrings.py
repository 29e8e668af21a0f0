"""Every public name says what it is, with an example; test_documents.py runs the examples."""

import importlib
import inspect

import pytest

import cantik

# Helpers that CNTK's users import from the top of the package; a line each says what they are for.
HELPERS = ('sanitize_', 'typemap', 'map_if_possible', 'data_type_to_dtype', 'get_data_type', 'not_there')
# What an example cannot show: it needs a machine of its own, or is only ever raised, passed on or found.
WITHOUT = {
    'lattice_sequence_with_softmax',  # the files of a recognizer: examples/sequence_training.py writes them
    'install_samples',
    'load_operators',
    'native_user_function',
    'register_native_user_function',
    'ShapeError',
    'MissingError',
    'OutOfMemoryError',
    'UntestedBranchError',
    'WorkerDescriptor',
    'mpi_communicator',
    'DistributedLearner',
    'Learner',
    'DeviceDescriptor',
    'Axis',
    'MinibatchData',
    'default_unit_gain_value',
    'set_default_unit_gain_value',
    'bilinear',
    'initializer_with_rank',
    'training_session',
    'TrainingSession',
    'TrainingParameterSchedule',
    'TrainingSummaryProgressCallback',
    # Annotations: layers.typing.Signature shows how they are used.
    'Tensor',
    'SparseTensor',
    'ParameterTensor',
    'Sequence',
    'SequenceOver',
    'SequenceOverMeta',
}
MODULES = [
    'cantik',
    'cantik.layers',
    'cantik.learners',
    'cantik.losses',
    'cantik.metrics',
    'cantik.ops',
    'cantik.ops.sequence',
    'cantik.random',
    'cantik.initializer',
    'cantik.logging',
    'cantik.train',
    'cantik.eval',
]


def public():
    seen = set()
    for place in MODULES:
        module = importlib.import_module(place)
        for name in dir(module):
            value = getattr(module, name)
            kind = inspect.isfunction(value) or inspect.isclass(value) or type(value).__name__ == 'nb_func'
            if (
                not kind
                or name.startswith(('_',) + HELPERS)
                or not (value.__module__ or '').startswith('cantik')
                or id(value) in seen
            ):
                continue
            seen.add(id(value))
            yield f'{place}.{name}', value


PUBLIC = dict(public())


def waits(value):
    """Whether its docstring says that it is not there yet: it raises, so there is nothing to show."""
    return 'not there yet' in (value.__doc__ or '').lower()


def test_all_of_the_package_is_looked_at():
    assert len(PUBLIC) > 300 and {
        'cantik.relu',
        'cantik.layers.Dense',
        'cantik.sgd',
        'cantik.Trainer',
    } <= set(PUBLIC)


@pytest.mark.parametrize('name', sorted(PUBLIC))
def test_says_what_it_is(name):
    doc = inspect.getdoc(PUBLIC[name])
    assert doc and doc.strip(), name + ' has no docstring'
    first = doc.strip().splitlines()[0]
    assert len(first) > 5 and len(first) <= 250, first


@pytest.mark.parametrize(
    'name', sorted(n for n, v in PUBLIC.items() if n.rpartition('.')[2] not in WITHOUT and not waits(v))
)
def test_shows_an_example(name):
    assert '>>>' in PUBLIC[name].__doc__, name + ' has no example'


def test_nothing_is_excused_that_has_an_example():
    names = {name.rpartition('.')[2]: value for name, value in PUBLIC.items()}
    assert not [n for n in WITHOUT if n in names and '>>>' in (names[n].__doc__ or '')]


@pytest.mark.parametrize(
    'function',
    [
        cantik.layers.Dense,
        cantik.relu,
        cantik.times,
        cantik.adam,
        cantik.layers.Convolution2D,
        cantik.reduce_sum,
    ],
)
def test_help_teaches(function):
    """What help() shows: the signature with its arguments, and an example."""
    doc = inspect.getdoc(function)
    assert inspect.signature(function).parameters
    assert '>>>' in doc and (function is cantik.layers.Convolution2D or 'Args:' in doc)
