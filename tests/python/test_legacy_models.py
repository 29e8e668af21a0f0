"""Models of CNTK 1: those that CNTK 2.7 wrote give what it computes with them, and ours come back."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import cantik as C

ARCHIVE = Path(__file__).parent.parent / 'golden' / 'legacy_cntk.zip'  # legacy_cntk.py makes it
with zipfile.ZipFile(ARCHIVE) as archive:
    FOUND = json.loads(archive.read('values.json'))


def values_of(model, arguments):
    """What a model makes of lists, output by output."""
    feeds = {}
    for a in model.arguments:
        given = arguments[a.name]
        is_sequence = len(a.dynamic_axes) > 1
        feeds[a] = [np.array(v, a.dtype) for v in given] if is_sequence else np.array(given, a.dtype)
        if a.is_sparse:
            feeds[a] = scipy.sparse.csr_matrix(feeds[a])
    results = model.eval(feeds)
    return [results[o] if isinstance(results, dict) else results for o in model.outputs]


def assert_same(values, wanted):
    assert len(values) == len(wanted)
    for ours, theirs in zip(values, wanted):
        for a, b in zip(ours, theirs) if isinstance(ours, list) else [(ours, theirs)]:
            a, b = np.asarray(a), np.asarray(b)
            assert a.size == b.size  # CNTK keeps axes of 1 that are reduced away
            np.testing.assert_allclose(a.ravel(), b.ravel(), rtol=2e-5, atol=1e-6)


def model_of(name, folder):
    path = folder / name
    with zipfile.ZipFile(ARCHIVE) as archive:
        path.write_bytes(archive.read(name))
    return C.load_model(str(path))


@pytest.mark.parametrize('name', sorted(FOUND))
def test_cntks_models(name, tmp_path):
    model = model_of(name, tmp_path)
    assert [a.name for a in model.arguments] == list(FOUND[name]['arguments'])
    assert_same(values_of(model, FOUND[name]['arguments']), FOUND[name]['outputs'])
    again = tmp_path / 'again'
    model.save(str(again))
    assert_same(values_of(C.load_model(str(again)), FOUND[name]['arguments']), FOUND[name]['outputs'])


def test_parameters_train_and_constants_do_not(tmp_path):
    model = model_of('dense', tmp_path)
    assert sorted(p.shape for p in model.parameters) == [(3, 4), (4,)]
    assert model_of('constant', tmp_path).parameters == ()
    learner = C.sgd(model.parameters, C.learning_parameter_schedule_per_sample(0.1))
    trainer = C.Trainer(model, C.reduce_sum(model), [learner])
    before = model.parameters[0].value
    trainer.train_minibatch({model.arguments[0]: np.ones((2, 3), np.float32)})
    assert np.abs(model.parameters[0].value - before).max() > 0.01


def written(function, tmp_path):
    path = str(tmp_path / 'model')
    C.debugging.save_as_legacy_model(function, path)
    return C.load_model(path)


WRITTEN = (
    'plus dense relu sigmoid softmax log_softmax hardmax cross_entropy error_of_two slice slice_axes '
    'slice_from_end splice splice_axis reduce_sum past_value_of_two clip element_select lambda_rank '
    'lstm gru_backwards combine constant embedding times_transpose layer_normalization double argmin '
).split()


@pytest.mark.parametrize('name', WRITTEN)
def test_what_is_written_comes_back(name, tmp_path):
    model = written(model_of(name, tmp_path), tmp_path)
    assert_same(values_of(model, FOUND[name]['arguments']), FOUND[name]['outputs'])


def test_blocks_are_opened(tmp_path):
    s = C.sequence.input_variable(3, name='s')
    model = C.layers.Sequential(
        [C.layers.Recurrence(C.layers.LSTM(4)), C.sequence.last, C.layers.Dense(2, activation=C.softmax)]
    )(s)
    with pytest.raises(NotImplementedError, match='cannot be written in the format of CNTK 1'):
        written(model, tmp_path)  # places of steps
    model = C.layers.Sequential(
        [C.layers.Recurrence(C.layers.LSTM(4)), C.layers.Dense(2, activation=C.softmax)]
    )(s)
    data = [np.random.RandomState(1).randn(n, 3).astype(np.float32) for n in (3, 5)]
    again = written(model, tmp_path)
    for a, b in zip(model.eval({s: data}), again.eval({again.arguments[0]: data})):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    assert not any(
        f.is_block for f in C.logging.graph.depth_first_search(again, lambda n: isinstance(n, C.Function))
    )


def test_what_cannot_be_written_is_named(tmp_path):
    image = C.input_variable((2, 8, 8))
    with pytest.raises(NotImplementedError, match='Convolution.* cannot be written in the format of CNTK 1'):
        written(C.layers.Convolution((3, 3), 4)(image), tmp_path)
    with pytest.raises(NotImplementedError, match='float16'):
        written(C.parameter(3, dtype=np.float16, name='h') + C.input_variable(3, dtype=np.float16), tmp_path)
    assert not (tmp_path / 'model').exists()


def test_an_operation_that_is_not_known_is_named(tmp_path):
    path = tmp_path / 'model'
    C.debugging.save_as_legacy_model(C.tanh(C.input_variable(2)), str(path))
    path.write_bytes(path.read_bytes().replace('Tanh'.encode('utf-16-le'), 'Tank'.encode('utf-16-le'), 1))
    with pytest.raises(NotImplementedError, match='the operation Tank of a model of CNTK 1 cannot be read'):
        C.load_model(str(path))
