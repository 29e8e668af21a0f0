"""Mistakes of new users. Each is an error at once, which says the given value and the expected kind.

test_wrong_calls.py goes over all public functions.
"""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse

import cantik as C
from building import PACKAGE, SOURCES, compiled, needs_compiler


def refused(call, text, kind=(TypeError, ValueError)):
    """The call's error is of this class, and has all these words."""
    with pytest.raises(kind) as caught:
        call()
    for part in [text] if isinstance(text, str) else text:
        assert part in str(caught.value), str(caught.value)


# ---- attributes ----

x = C.input_variable(4, name='x')
NOT_NUMBERS = [
    'a',
    b'a',
    None,
    [1, 'a'],
    [None],
    {},
    object(),
    np.array(['a']),
    1j,
    np.array([1j]),
    C.input_variable(3),
]


@pytest.mark.parametrize('value', NOT_NUMBERS, ids=lambda v: type(v).__name__)
def test_attributes_of_a_wrong_type(value):
    refused(lambda: C.leaky_relu(x, value), 'leaky_relu: the attribute alpha must be a number, not')
    refused(lambda: C.top_k(x, value), 'the attribute k must be a whole number, not')
    refused(lambda: C.one_hot(x, value), 'the attribute num_classes must be a whole number, not')
    if not isinstance(value, str):
        refused(lambda: C.clip(x, 0, 1, name=value), 'name')


def test_numbers_that_an_attribute_cannot_hold():
    refused(lambda: C.top_k(x, 1.5), ['top_k', 'k must be a whole number, not 1.5'])
    refused(lambda: C.top_k(x, 2**70), 'k must be a whole number, not')
    refused(lambda: C.top_k(x, float('nan')), 'k must be a whole number, not nan')
    refused(lambda: C.one_hot(x, [1, 2]), 'num_classes must be a whole number, not [1, 2]')
    refused(lambda: C.top_k(x, 0), 'k')
    assert C.top_k(x, 2.0).root_function.attributes['numItems'] == 2  # a whole number all the same
    assert C.leaky_relu(x, np.float64(0.5)).root_function.attributes['alpha'] == 0.5


def test_attributes_that_change():
    f = C.dropout(x, 0.5)
    for value in 'a', [0.1], 1j:
        refused(lambda: f.root_function.set_attribute('dropoutRate', value), 'dropout')
    f.root_function.set_attribute('dropoutRate', 0.25)
    assert f.root_function.attributes['dropoutRate'] == 0.25
    for g in (f, f.root_function, C.tanh(f)):  # of a network it is the function that makes its output
        with pytest.raises(
            RuntimeError, match=f'^{g.root_function.op_name} has no attribute rate that can be changed'
        ):
            g.set_attribute('rate', 0.25)


WRONG = dict(
    height=['a', [1], None, 1j, {}],
    copies=['a', [1], None, 1.5, 2**70, float('nan')],
    inked=['a', 2, None, [True]],
    ink=[1, None, ['a'], b'a'],
    steps=['a', None, [1.5], ['a'], {}, [None]],
    weights=['a', None, [1j], ['a'], [None]],
)


@needs_compiler
def test_attributes_of_loaded_operators(tmp_path):
    stamped = C.load_operators(compiled(tmp_path / 'stamped.so', SOURCES / 'stamped.cc')).stamped
    for key, values in WRONG.items():
        for value in values:
            for call in lambda: stamped(x, **{key: value}), lambda: C.call('stamped', x, **{key: value}):
                refused(call, [f'stamped: the attribute {key} must be ', "stamped(x, height=1.0, copies=1"])
    f = stamped(x, height=2, copies=3.0, inked=1, ink='red', steps=4, weights=[1, 0.5])
    assert f.root_function.attributes == dict(
        height=2.0, copies=3, inked=True, ink='red', steps=[4], weights=[1.0, 0.5]
    )
    np.testing.assert_array_equal(f.eval({x: np.ones((1, 4))}), np.full((1, 4), 2, np.float32))


# ---- settings ----


def test_instruction_sets():
    program = 'import cantik as C\nprint(C.plus(1, 2).eval())'

    def ran(value):
        return subprocess.run(
            [sys.executable, '-c', program],
            env={**os.environ, 'PYTHONPATH': PACKAGE, 'CANTIK_ISA': value},
            capture_output=True,
            text=True,
        )

    done = ran('nonsense')
    assert (
        done.returncode == 1
        and 'ValueError' in done.stderr
        and 'CANTIK_ISA' in done.stderr
        and 'nonsense' in done.stderr
    )
    assert 'baseline' in done.stderr and 'avx2' in done.stderr, done.stderr
    for value in 'baseline', '':
        done = ran(value)
        assert done.returncode == 0 and done.stdout == '3.0\n', done.stderr


# ---- sources and training ----


def task():
    features, label = C.input_variable(4), C.input_variable(3)
    z = C.layers.Dense(3)(features)
    loss = C.cross_entropy_with_softmax(z, label)
    return features, label, z, loss, C.sgd(z.parameters, C.learning_parameter_schedule(0.1))


DATA, LABELS = np.ones((10, 4), np.float32), np.eye(3, dtype=np.float32)[[0] * 10]


@pytest.mark.parametrize(
    'argument', ['max_epochs', 'epoch_size', 'max_samples', 'minibatch_size', 'progress_frequency']
)
@pytest.mark.parametrize('value', [0, -5, 1.5, 'a'])
def test_training_needs_sizes(argument, value):
    if (argument, value) == ('progress_frequency', 0):
        return  # only at the end
    _, _, z, loss, learner = task()
    before = z.W.value.copy()
    refused(
        lambda: loss.train((DATA, LABELS), parameter_learners=[learner], **{argument: value}),
        argument if argument != 'minibatch_size' else '',
    )
    np.testing.assert_array_equal(z.W.value, before)


def test_a_minibatch_of_no_samples_is_refused_as_in_cntk():
    x, y, z, loss, learner = task()
    trainer = C.Trainer(z, (loss, loss), [learner])
    nothing = {x: DATA[:0], y: LABELS[:0]}
    for act in (
        lambda: trainer.train_minibatch(nothing),
        lambda: trainer.train_minibatch(nothing, outputs=[z]),
        lambda: trainer.test_minibatch(nothing),
        lambda: C.Evaluator(loss).test_minibatch(nothing),
    ):
        refused(act, 'no samples', RuntimeError)
    assert not trainer.train_minibatch({})  # the end of the data
    for empty in (DATA[:0], sparse.csr_matrix((0, 3), dtype=np.float32)):
        refused(lambda: C.io.MinibatchSourceFromData(dict(x=empty)), 'data is empty', ValueError)


def test_data_of_several_inputs_are_given_by_input():
    """As in CNTK: a list would be paired by an order that nobody states."""
    _x, _y, z, loss, learner = task()
    trainer = C.Trainer(z, loss, [learner])
    for data in ([DATA, LABELS], (DATA, LABELS)):
        refused(lambda: trainer.train_minibatch(data), 'arguments', ValueError)
        refused(lambda: trainer.test_minibatch(data), 'arguments', ValueError)
    of_one = C.Trainer(z, C.reduce_sum(z), [learner])
    assert of_one.train_minibatch(list(DATA)) and of_one.train_minibatch(DATA)


def test_minibatches_of_no_samples():
    source = C.io.MinibatchSourceFromData(dict(x=np.arange(10, dtype=np.float32).reshape(10, 1)))
    for size in -1, 0, -100:
        batch = source.next_minibatch(size)
        assert batch[source.streams.x].num_samples == 0 and batch[source.streams.x].asarray().shape == (0, 1)
    np.testing.assert_array_equal(source.next_minibatch(4)[source.streams.x].asarray().ravel(), [0, 1, 2, 3])
    assert source.next_minibatch(40)[source.streams.x].num_samples == 6
    refused(lambda: source.next_minibatch('a'), 'num_samples')


def test_sizes_of_epochs():
    for size in -5, 'a', 1.5:
        refused(lambda: C.learning_parameter_schedule([0.1, 0.2], epoch_size=size), 'epoch_size')
    refused(lambda: C.learning_parameter_schedule([0.1, 'a']), 'a')


def test_chunks_that_bring_nothing():
    class Empty(C.io.UserDeserializer):
        def stream_infos(self):
            return [C.io.StreamInformation('pixels', 0, 'dense', np.float32, (2,))]

        def num_chunks(self):
            return 1

        def get_chunk(self, chunk_id):
            pass

    source = C.io.MinibatchSource([Empty()], max_sweeps=1)
    refused(lambda: source.next_minibatch(1), ['get_chunk', 'pixels'], Exception)


# ---- complex numbers ----


def test_complex_numbers_are_refused():
    z = np.array([[1 + 2j, 0, 0, 0]])
    _, _, model, loss, learner = task()
    calls = [
        lambda: model.eval({model.arguments[0]: z}),
        lambda: model(z),
        lambda: C.constant(z),
        lambda: C.constant(1j),
        lambda: C.parameter(init=z),
        lambda: C.parameter((1, 4), init=1j),
        lambda: x + z,
        lambda: x + 1j,
        lambda: C.NDArrayView.from_dense(z),
        lambda: C.Value(z),
        lambda: C.Value.create(x, z),
        lambda: C.asarray(z),
        lambda: C.io.MinibatchSourceFromData(dict(x=z)),
        lambda: loss.train((z, LABELS), parameter_learners=[learner]),
        lambda: model.eval({model.arguments[0]: sparse.csr_matrix(z)}),
        lambda: C.NDArrayView.from_csr(sparse.csr_matrix(z)),
        lambda: setattr(model.W, 'value', np.ones((4, 3)) * 1j),
        lambda: C.leaky_relu(x, 1j),
        lambda: C.learning_parameter_schedule(1j),
        lambda: C.io.sequence_to_cntk_text_format(0, {'x': z}),
        lambda: C.layers.Dense(3, init=1j),
        lambda: C.input_variable(3, dtype=np.complex64),
    ]
    for i, call in enumerate(calls):
        with warnings.catch_warnings():
            warnings.simplefilter(
                'error', np.exceptions.ComplexWarning if hasattr(np, 'exceptions') else np.ComplexWarning
            )
            with pytest.raises((TypeError, ValueError, RuntimeError)):
                call()
                pytest.fail(f'call {i} took a complex number')


# ---- layers and initializers ----


@pytest.mark.parametrize(
    'layer', [C.layers.Convolution2D, C.layers.Convolution, C.layers.ConvolutionTranspose2D]
)
def test_convolutions_are_checked_where_they_are_made(layer):
    for wrong in (
        dict(dilation=0),
        dict(dilation=-1),
        dict(strides=0),
        dict(strides=(1, -2)),
        dict(groups=0),
        dict(groups=-1),
        dict(num_filters=-1),
        dict(filter_shape=(3, -3)),
    ):
        if layer is C.layers.ConvolutionTranspose2D and 'groups' in wrong:
            continue
        refused(
            lambda: layer(**{**dict(filter_shape=(3, 3), num_filters=4), **wrong}), str(next(iter(wrong)))[:4]
        )


def test_numbers_of_outputs():
    refused(lambda: C.layers.Dense(-1), ['Dense', '-1'])
    for wrong in (-2, -4):  # -2 is an unknown shape in CNTK's files
        refused(lambda: C.layers.Embedding(wrong), ['Embedding', str(wrong)])
    for layer in C.layers.LSTM, C.layers.GRU, C.layers.RNNStep:
        refused(lambda: layer(-1), '-1')
    for window in -1, (2, 0):
        refused(lambda: C.layers.MaxPooling(window), ['MaxPooling', 'window'])


def test_initializers():
    for make in lambda v: C.parameter((2, 3), init=v), lambda v: C.layers.Dense(3, init=v):
        refused(lambda: make('glorot'), ["'glorot'", 'glorot_uniform'])
    refused(lambda: C.constant('a'), "'a'")
    refused(lambda: C.layers.Dense(3, init=None)(x), 'init')
    for make in C.uniform, C.normal, C.truncated_normal:
        refused(lambda: make('a'), 'scale')
    refused(lambda: C.glorot_uniform(scale='a'), 'scale')


# ---- functions ----


def test_truth_of_comparisons():
    for f in x > 5, x < 5, x >= 5, x <= 5:
        for use in lambda: bool(f), lambda: 1 if f else 0, lambda: not f, lambda: f and 1:
            refused(use, 'neither true nor false', TypeError)
    refused(lambda: 0 < x < 5, 'neither true nor false', TypeError)
    model = C.layers.Dense(2)(x)
    assert model and bool(model) and (model or None) is model


def test_paths():
    model = C.layers.Dense(2)(x)
    for path in None, 3, [], 'a\0b':
        refused(lambda: model.save(path), 'path')
        refused(lambda: C.load_model(path), '', Exception)


def test_devices():
    model = C.layers.Dense(2)(x)
    for device in 'gpu', 0, -1, object():
        refused(lambda: model.eval({x: DATA}, device=device), ['device', 'cpu()'])
    assert model.eval({x: DATA}, device=C.cpu()).shape == (10, 2)


def test_feeds_that_are_not_used():
    y = C.input_variable(3, name='unused')
    model = C.layers.Dense(2)(x)
    with pytest.warns(
        RuntimeWarning, match=r'provided values for \(1\) extra arguments which are not required(.|\n)*unused'
    ):
        model.eval({x: DATA, y: np.ones((10, 3))})
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        model.eval({x: DATA})
        features, label, z, loss, learner = task()
        trainer = C.Trainer(z, loss, learner)
        trainer.train_minibatch({features: DATA, label: LABELS})
        z.eval({features: DATA})


def test_what_is_no_network():
    for value in 3, 'a', None, [1]:
        refused(lambda: C.summary(value), 'Function')
        refused(lambda: C.debugging.debug_model(value), 'Function')
        refused(lambda: C.logging.log_number_of_parameters(value), 'Function')
    refused(lambda: C.layers.Sequential(['a']), ["'a'", 'Sequential'])
    refused(lambda: C.layers.Sequential(3), 'Sequential')


def test_sources_of_nothing(tmp_path):
    for value in None, 3, 'a', [None], []:
        refused(lambda: C.io.MinibatchSource(value), 'deserializer')
    (tmp_path / 'a.ctf').write_text('|x 1 2\n')
    reader = C.io.MinibatchSource(
        C.io.CTFDeserializer(str(tmp_path / 'a.ctf'), C.io.StreamDefs(x=C.io.StreamDef('x', 2))), max_sweeps=1
    )
    for wrong in {C.input_variable(2): 3}, {C.input_variable(2): None}, 3, ['a']:
        refused(lambda: reader.next_minibatch(1, input_map=wrong), 'input_map')


@pytest.mark.parametrize(
    'argument',
    [
        'l1_regularization_weight',
        'l2_regularization_weight',
        'gaussian_noise_injection_std_dev',
        'gradient_clipping_threshold_per_sample',
        'gradient_clipping_with_truncation',
        'gradient_clipping_global_norm',
        'use_mean_gradient',
    ],
)
def test_learners(argument):
    w = C.parameter(2)
    for value in 'a', [1], {}, 1j:
        if value != [1] or argument != 'gaussian_noise_injection_std_dev':  # a list is a schedule
            refused(lambda: C.sgd([w], 0.1, **{argument: value}), argument)


# ---- messages that teach ----


def test_recurrent_blocks_need_a_recurrence():
    refused(lambda: C.layers.LSTM(3)(C.sequence.input_variable(2)), 'Recurrence', TypeError)


def test_windows_have_axes():
    refused(lambda: C.layers.MaxPooling(2), '(2, 2)')


def test_channels_come_first():
    image = C.input_variable((28, 28, 1), name='image')
    refused(lambda: C.layers.Convolution2D((3, 3), 4)(image), ['channels', 'transpose'])
    refused(lambda: C.layers.MaxPooling((3, 3))(C.input_variable((28, 28, 1))), 'channels')


def test_trainers_say_what_is_missing():
    features, label, z, loss, learner = task()
    refused(lambda: C.Trainer(z, loss, []), ['These must be at least one learner.', 'parameters'], Exception)
    trainer = C.Trainer(z, loss, [learner])
    refused(lambda: trainer.test_minibatch({features: DATA, label: LABELS}), 'evaluation function', Exception)


def test_whole_numbers_are_no_type_of_inputs():
    for dtype in np.int32, np.int64, bool:
        refused(lambda: C.input_variable(3, dtype=dtype), ['float32', 'one_hot'])


def test_operators_of_python_that_are_missing(tmp_path):
    program = '''
import cantik as C
@C.op
def doubled(x):
    return 2 * x
doubled(C.input_variable(3)).save({!r})
'''.format(str(tmp_path / 'm'))
    done = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'PYTHONPATH': PACKAGE},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    z = C.load_model(str(tmp_path / 'm'))  # it can be looked at, and saved again
    refused(lambda: z.eval({z.arguments[0]: np.ones((1, 3))}), ['doubled', '@cantik.op'], NotImplementedError)


def test_what_looks_wrong_and_is_right():
    # As CNTK 2.7 takes it.
    w = C.parameter(1, init=3)
    C.sgd([w], C.learning_parameter_schedule_per_sample(0.5)).update({w: np.array([[2.0]], np.float32)}, 100)
    assert w.value.tolist() == [2]
    assert C.io.transforms.crop(crop_size=(512, 424))['cropSize'] == '512:424'
    assert C.input_variable(3, True).dtype is np.float32


def test_shapes_with_negative_sizes():
    with pytest.raises(ValueError, match='a dimension of the new shape must be at least 0, and is -6'):
        C.reshape(C.input_variable(6), (-6,))


@pytest.mark.parametrize(
    'call',
    [
        lambda p, x: (p + 1).eval(),
        lambda p, x: (p + x).eval({x: [[1, 2, 3]]}),
        lambda p, x: (p * x).grad({x: [[1, 2, 3]]}, [p]),
        lambda p, x: C.layers.LayerNormalization()(p).eval(),
        lambda p, x: C.times(x, C.parameter((3, C.InferredDimension))).eval({x: [[1, 2, 3]]}),
        lambda p, x: C.sgd((p + x).parameters, 0.1),
        lambda p, x: p.value,
    ],
)
def test_parameters_whose_sizes_nothing_tells(call):
    p, x = C.parameter((C.InferredDimension, 3), name='p'), C.input_variable(3)
    with pytest.raises(ValueError, match='that has unknown dimensions for any of its axes') as error:
        call(p, x)
    assert 'node     Parameter(' in str(error.value) and 'remedy' in str(error.value)


def test_messages_name_the_argument():
    z = C.layers.Dense(2)(C.input_variable(3))
    for call in (z.find_by_name, z.find_all_with_name):
        with pytest.raises(TypeError, match='^name must be a str, not 3'):
            call(3)
    with pytest.raises(TypeError, match='^node_name must be a str, not 3'):
        C.logging.graph.find_by_name(z, 3)
    for wrong in (3, 'ab'):
        with pytest.raises(TypeError, match='custom_attributes must be a dictionary'):
            z.custom_attributes = wrong
    with pytest.raises(ValueError, match='device_id must be at least 0, and is -1'):
        C.gpu(-1)
    with pytest.raises(ValueError, match='function expects 2 arguments\n  remedy   give data for x, y'):
        C.internal.sanitize_var_map([C.input_variable(1, name='x'), C.input_variable(1, name='y')], None)


def test_what_is_no_model_is_named(tmp_path):
    for content, kind in (
        (b'a,b\n1,2\n', 'a text'),
        (b'\x89PNG\r\n\x1a\n' + bytes(20), 'a PNG picture'),
        (b'PK\3\4' + bytes(20), 'a zip archive'),
        (b'\x80\2}q\0' + bytes(20), "a pickle of Python's"),
    ):
        (tmp_path / 'x.model').write_bytes(content)
        with pytest.raises(RuntimeError, match=f'(?s)looks    like {kind}'):
            C.load_model(tmp_path / 'x.model')
        with pytest.raises(RuntimeError, match=f'looks    like {kind}'):
            C.load_model(content)
    C.save_weights({'w': np.ones(3)}, tmp_path / 'w.safetensors')
    with pytest.raises(RuntimeError, match='like weights of the safetensors format'):
        C.load_model(tmp_path / 'w.safetensors')
