"""What programs that write layers and learners of their own take from CNTK's modules, under its names.

What the names give is what CNTK 2.7 gives.
"""

import importlib

import numpy as np
import pytest

import cntk as C
from cntk.internal import _as_tuple
from cntk.layers.blocks import (
    _INFERRED,
    _get_initial_state_or_default,
    _initializer_for,
    _inject_name,
    identity,
)
from cntk.learners import (
    _infer_learning_parameter_schedule,
    _infer_learning_rate_schedule_and_ref_minibatch_size,
    _infer_ref_minibatch_size_from_legacy_use_mean_gradient,
    _verify_learning_rate_type,
    _verify_momentum_type,
)
from cntk.variables import Record

layers_module = importlib.import_module('cntk.layers.layers')
sequence_module = importlib.import_module('cntk.layers.sequence')


@pytest.mark.parametrize('module', ['layers.blocks', 'layers.layers', 'layers.sequence', 'learners'])
def test_stars_and_listings_show_none_of_them(module):
    brought = {}
    exec(f'from cntk.{module} import *', brought)
    listed = dir(importlib.import_module('cntk.' + module))
    for name in ('_INFERRED', '_inject_name', '_initializer_for', '_verify_momentum_type'):
        assert name not in brought and name not in listed


@pytest.mark.parametrize(
    'given, made',
    [
        (3, (3,)),
        ((3, 4), (3, 4)),
        ([3, 4], (3, 4)),
        ('ab', ('ab',)),
        (2.5, (2.5,)),
        ((), ()),
        (range(2), (0, 1)),
    ],
)
def test_one_or_several_as_a_tuple(given, made):
    assert _as_tuple(given) == made


def test_what_is_no_tuple():
    with pytest.raises(TypeError):
        _as_tuple(None)


def test_a_name_is_put_on_a_function():
    x = C.input_variable(3)
    one, two = C.sigmoid(x, name='own'), C.combine([C.sigmoid(x), C.relu(x)])
    assert _inject_name(one, '') is one and _inject_name(None, None) is None
    named = _inject_name(one, 'n')
    assert (named.name, named.root_function.op_name, one.name) == ('n', 'NoOp', 'own')
    named = _inject_name(two, 'n')
    assert (named.name, named.root_function.op_name, len(named.outputs)) == ('n', 'Combine', 2)
    layer = _inject_name(C.layers.Dense(2), 'scores')
    assert layer.W.shape == (-1, 2) and layer(x).name == 'scores'


def test_first_values_with_ranks():
    weights = np.ones(3)
    assert _initializer_for(weights) is weights and _initializer_for(0.5, Record(output_rank=1)) == 0.5
    drawn = _initializer_for(C.glorot_uniform(), Record(filter_rank=2, output_rank=-1))
    assert drawn == C.initializer_with_rank(C.glorot_uniform(), output_rank=-1, filter_rank=2)
    with pytest.raises(ValueError):
        _initializer_for(None)
    with pytest.raises(TypeError):
        _initializer_for(weights, Record(output_rank=1))


def test_initial_states():
    parameter, values = C.Parameter(3), np.ones(2)
    assert _get_initial_state_or_default(parameter) is parameter
    assert _get_initial_state_or_default(values) is values
    zero, half = _get_initial_state_or_default(None), _get_initial_state_or_default(0.5)
    assert (zero.shape, zero.value, half.shape, half.value.tolist()) == ((), 0, (1,), [0.5])
    assert [s.shape for s in _get_initial_state_or_default((0, None))] == [(1,), ()]
    with pytest.raises(TypeError):
        _get_initial_state_or_default('a')


def test_options_of_windows():
    pad = layers_module._pad_to_shape
    assert pad((3, 3), 1, 'strides') == (1, 1) and pad((3, 3), (1, 2), 'strides') == (1, 2)
    for shape, given in (((3,), (1, 2)), ((3, 3, 3), (1, 2)), ((), 1)):
        with pytest.raises(ValueError, match='strides parameter'):
            pad(shape, given, 'strides')


def test_a_window_over_steps():
    x = C.sequence.input_variable(2)
    f = layers_module._window(x, -1, -1, 2, 1, 1, initial_state=7)
    assert f.eval({x: [np.arange(4, dtype=np.float32).reshape(2, 2)]})[0].tolist() == [
        [7, 7, 0, 1, 2, 3],
        [0, 1, 2, 3, 7, 7],
    ]
    with pytest.raises(NotImplementedError):
        layers_module._window(x, -1, -1, 2, 1, 2)


def test_steps_of_recurrences():
    cell = C.layers.GRU(3)
    for sanitize in (sequence_module._santize_step_function, sequence_module._sanitize_function):
        assert sanitize(cell) is cell and sanitize(3) == 3
        assert [v.name for v in sanitize(lambda h, x: h + x).signature] == ['h', 'x']


def test_a_layer_of_ones_own():
    """Of the parts that CNTK's own layers are made of."""

    def Scaled(shape, init=C.glorot_uniform(), name=''):
        shape = _as_tuple(shape)
        W = C.Parameter(
            _INFERRED + shape, init=_initializer_for(init, Record(output_rank=len(shape))), name='W'
        )

        @C.BlockFunction('Scaled', name)
        def scaled(x):
            return identity(C.times(x, W, output_rank=len(shape)))

        return scaled

    x = C.input_variable(4)
    y = Scaled(3, name='s')(x)
    assert (y.shape, y.W.shape, str(y)) == ((3,), (4, 3), 's: Scaled(Tensor[4]) -> Tensor[3]')
    assert y.root_function.block_root.op_name == 'Times'


def told(schedule):
    return schedule[0], schedule.minibatch_size, schedule.is_minibatch_size_explicitly_specified


def test_schedules_of_learners_of_ones_own():
    per_sample, for_seven = C.learning_parameter_schedule_per_sample, C.learning_parameter_schedule(0.1, 7)
    made = _infer_learning_parameter_schedule
    assert told(made(0.1, 32, None)) == (0.1, 32, True) and made(for_seven, 32, None) is for_seven
    assert told(made(per_sample(0.1), None, None, True))[1] == 0
    with pytest.raises(ValueError):
        made('a', None, None)
    both = _infer_learning_rate_schedule_and_ref_minibatch_size
    for given, size in (
        ((None, None, 0.1, None), None),
        ((True, None, 0.1, None), 0),
        ((True, 32, 0.1, None), 32),
        ((None, 16, for_seven, None), 16),
        ((False, 0, [0.1, 0.2], 4), 0),
    ):
        rate, meant_for = both(*given)
        assert rate[0] == 0.1 and meant_for == size
    sizes = [
        _infer_ref_minibatch_size_from_legacy_use_mean_gradient(*given)
        for given in ((None, None), (None, True), (None, False), (0, True), (32, False))
    ]
    assert sizes == [None, 0, None, 0, 32]
    for verify in (_verify_momentum_type, _verify_learning_rate_type):
        verify(C.momentum_schedule(0.9))
        with pytest.raises(ValueError, match='must be a training schedule'):
            verify(0.9)


S = C.learning_parameter_schedule
M = C.momentum_schedule
RAW = {
    'sgd': ('sgd_learner', (), {}),
    'momentum_sgd': ('momentum_sgd_learner', (M(0.9), True), {'momentum': 0.9, 'unit_gain': True}),
    'nesterov': ('nesterov_learner', (M(0.9), False), {'momentum': 0.9, 'unit_gain': False}),
    'adadelta': ('ada_delta_learner', (0.9, 1e-6), {'rho': 0.9, 'epsilon': 1e-6}),
    'adagrad': ('ada_grad_learner', (False,), {'need_ave_multiplier': False}),
    'fsadagrad': (
        'fsada_grad_learner',
        (M(0.9), True, M(0.99)),
        {'momentum': 0.9, 'unit_gain': True, 'variance_momentum': 0.99},
    ),
    'adam': (
        'adam_learner',
        (M(0.9), True, M(0.99), 1e-7, True),
        {'momentum': 0.9, 'unit_gain': True, 'variance_momentum': 0.99, 'epsilon': 1e-7, 'adamax': True},
    ),
    'rmsprop': (
        'rmsprop_learner',
        (0.9, 1.2, 0.7, 10, 1e-8, True),
        {'gamma': 0.9, 'inc': 1.2, 'dec': 0.7, 'max': 10, 'min': 1e-8},
    ),
}


def steps(make):
    w = C.parameter(3, init=1)
    learner = make([w])
    for k in range(3):
        learner.update({w: np.array([1, -2, 3 + k], np.float32)}, 4)
    return w.value


@pytest.mark.filterwarnings('ignore:C.:UserWarning')
@pytest.mark.parametrize('size', [None, 2])
@pytest.mark.parametrize('name', list(RAW))
def test_the_bindings_learners_step_as_the_packages(name, size):
    raw, positional, keywords = RAW[name]
    options = C.cntk_py.AdditionalLearningOptions()
    options.l2_regularization_weight = 0.01
    options.gradient_clipping_threshold_per_sample = 0.5
    if size is not None:
        options.dict_options[C.cntk_py.Learner._MINIBATCH_SIZE] = C.cntk_py.SizeTWrapper(size)
    np.testing.assert_array_equal(
        steps(lambda p: getattr(C.cntk_py, raw)(p, S(0.1), *positional, options)),
        steps(
            lambda p: getattr(C, name)(
                p,
                S(0.1),
                l2_regularization_weight=0.01,
                gradient_clipping_threshold_per_sample=0.5,
                minibatch_size=size,
                **keywords,
            )
        ),
    )


def test_what_the_bindings_learners_refuse():
    w, make = C.parameter(3), C.cntk_py.sgd_learner
    assert make([w], S(0.1)).learning_rate() == 0.1
    with pytest.raises(ValueError, match='learning_rate must be a training schedule'):
        make([w], 0.1)
    with pytest.raises(TypeError, match='AdditionalLearningOptions'):
        make([w], S(0.1), {'l1_regularization_weight': 0.1})
    with pytest.raises(ValueError, match='momentum must be a training schedule'):
        C.cntk_py.momentum_sgd_learner([w], S(0.1), 0.9)
    options = C.cntk_py.AdditionalLearningOptions()
    options.dict_options['Speed'] = 3
    with pytest.raises(ValueError, match="no option 'Speed'"):
        make([w], S(0.1), options)
    options = C.cntk_py.AdditionalLearningOptions()
    options.l1_regularization_weight = 'a'
    with pytest.raises(TypeError):
        make([w], S(0.1), options)


def test_learners_tell_whether_their_minibatch_size_was_said():
    w = [C.parameter(3)]
    said = [
        C.sgd(w, 0.1, **how).is_minibatch_size_explicitly_specified
        for how in ({}, {'use_mean_gradient': True}, {'use_mean_gradient': False}, {'minibatch_size': 3})
    ]
    assert said == [False, True, False, True]


def test_objects_of_the_binding_take_attributes():
    x = C.input_variable(3)
    for made in (
        C.sgd([C.parameter(3)], 0.1),
        S(0.1),
        C.Value(np.ones((1, 2), np.float32)),
        C.Axis('a'),
        C.cpu(),
        C.glorot_uniform(),
        x,
        C.sigmoid(x),
    ):
        made.of_my_own = 3
        assert made.of_my_own == 3


def dense_like():
    """What options are for."""


@pytest.mark.parametrize('options', [C.default_options(bias=5), C.default_options_for(dense_like, bias=5)])
def test_options_hold_in_their_blocks(options):
    def bias():
        return C.get_default_override(dense_like, bias=C.default_override_or(0))

    with options as manager:
        assert manager is options and bias() == 5
        with options:
            assert bias() == 5
        assert bias() == 5
    assert bias() == 0
    with pytest.raises(KeyError), options:
        raise KeyError
    assert bias() == 0 and options(bias)() == 5 and bias() == 0
