"""Models that PyTorch's exporters wrote (tests/golden/onnx_pytorch.py): they run as in ONNX Runtime with
batches and lengths of every size, learn as they do in PyTorch, and are written again."""

import io
import json
import pathlib
import sys

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'golden'))
from onnx_feeds import RATE, feeds_of
from onnx_models import runtime_session

FOLDER = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'onnx_pytorch'
MODELS = json.loads((FOLDER / 'models.json').read_text())

# What is read, and has no form in ONNX's files afterwards.
UNWRITTEN = {
    'bag_dynamo': 'the function Loop cannot be written',
    'bag_script': 'the function Loop cannot be written',
    'packed_script': 'no sequences of different lengths',
    'tagger_script': 'no sequences of different lengths',
}
# No gradient passes a loop that a run decides, to what it reads.
WITHOUT_GRADIENT = {'bag_dynamo', 'bag_script'}


def run(session, feeds):
    taken = {i.name for i in session.get_inputs()}
    return session.run(None, {name: v for name, v in feeds.items() if name in taken})


def given_to(network, feeds):
    return {v: feeds[v.name].astype(v.dtype) for v in network.arguments}


def results(network, feeds):
    """In ONNX's order of axes: steps before the batch."""
    made = network.eval(given_to(network, feeds))
    made = made if isinstance(made, dict) else {network.outputs[0]: made}
    arrays = [np.asarray(made[v]) for v in network.outputs]
    return [np.swapaxes(a, 0, 1) if len(v.dynamic_axes) == 2 else a for v, a in zip(network.outputs, arrays)]


def assert_same(found, due):
    assert len(found) == len(due)
    for a, b in zip(found, due):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize('name', MODELS)
def test_a_model_of_pytorch_runs_with_every_size(name):
    path = FOLDER / f'{name}.onnx'
    network, session = C.load_model(str(path)), runtime_session(path.read_bytes())
    for sizes in MODELS[name]['sizes']:
        feeds = feeds_of(MODELS[name]['inputs'], sizes)
        assert_same(results(network, feeds), run(session, feeds))


def losses_of(network, session, feeds, steps, constants=()):
    """Of gradient descent on the mean square between each result and a cosine of the place of each number."""
    real = [i for i, o in enumerate(session.get_outputs()) if o.type == 'tensor(float)']
    due = [np.cos(np.arange(y.size, dtype=np.float32)).reshape(y.shape) for y in run(session, feeds)]
    parts = []
    for i in real:
        y = network.outputs[i]
        target = C.input_variable(y.shape, y.dtype, dynamic_axes=y.dynamic_axes)
        parts.append((C.reduce_sum(C.square(y - target)) * (1 / due[i].size), target, due[i]))
    losses = []
    for _ in range(steps):
        total, gradients = 0, {p: 0 for p in network.parameters if p.name not in constants}
        for part, target, wanted in parts:
            given = given_to(network, feeds)
            given = {v: x for v, x in given.items() if v in part.arguments}
            given[target] = np.swapaxes(wanted, 0, 1) if len(target.dynamic_axes) == 2 else wanted
            reached = [p for p in part.parameters if p in gradients]
            found, value = part.grad(given, reached, [part.output], as_numpy=True)
            total += np.sum(value[part.output] if isinstance(value, dict) else value)
            for p, g in (found if isinstance(found, dict) else {reached[0]: found}).items():
                gradients[p] = gradients[p] + np.asarray(g)
        losses.append(total)
        for p, g in gradients.items():
            p.value = p.value - RATE * g
    return losses


@pytest.mark.parametrize('name', [n for n in MODELS if 'losses' in MODELS[n] and n not in WITHOUT_GRADIENT])
def test_a_model_of_pytorch_learns_as_there(name):
    path = FOLDER / f'{name}.onnx'
    network, session = C.load_model(str(path)), runtime_session(path.read_bytes())
    feeds = feeds_of(MODELS[name]['inputs'], MODELS[name]['sizes'][0])
    due = MODELS[name]['losses']
    losses = losses_of(network, session, feeds, len(due), MODELS[name]['constants'])
    np.testing.assert_allclose(losses, due, rtol=1e-4)


@pytest.mark.parametrize('name', [n for n in MODELS if n not in UNWRITTEN])
def test_a_model_of_pytorch_is_written_again(name):
    path = FOLDER / f'{name}.onnx'
    network, session = C.load_model(str(path)), runtime_session(path.read_bytes())
    to = io.BytesIO()
    network.save(to, format=C.ModelFormat.ONNX)
    onnx.checker.check_model(onnx.load_model_from_string(to.getvalue()), full_check=True)
    written = runtime_session(to.getvalue())
    types = {i.name: i.type for i in session.get_inputs()}
    assert {i.name: i.type for i in written.get_inputs()}.items() <= types.items()
    assert [o.type for o in written.get_outputs()] == [o.type for o in session.get_outputs()]
    for sizes in MODELS[name]['sizes']:
        feeds = feeds_of(MODELS[name]['inputs'], sizes)
        assert_same(run(written, feeds), run(session, feeds))


TUNED = [
    'mobile_dynamo',
    'classifier_script',
    'bert_script',
    'encoder_dynamo',
    'mingpt_dynamo',
    'translator_script',
]


@pytest.mark.parametrize('name', TUNED)
def test_a_model_of_pytorch_goes_back_tuned(name):
    """As a user has it: loaded, trained on by a trainer, saved, and run by ONNX Runtime."""
    network = C.load_model(str(FOLDER / f'{name}.onnx'))
    feeds = feeds_of(MODELS[name]['inputs'], MODELS[name]['sizes'][0])
    y, given = network.outputs[0], given_to(network, feeds)
    made = network.eval(given)
    made = np.asarray(made[y] if isinstance(made, dict) else made)
    target = C.input_variable(y.shape, y.dtype, dynamic_axes=y.dynamic_axes)
    given[target] = np.cos(np.arange(made.size)).reshape(made.shape).astype(y.dtype)
    rate = C.learning_parameter_schedule(0.01, minibatch_size=C.learners.IGNORE)
    learner = C.adam(network.parameters, rate, C.momentum_schedule(0.9), use_mean_gradient=True)
    trainer = C.Trainer(network, C.reduce_mean(C.square(y - target)), [learner])
    losses = []
    for _ in range(12):
        assert trainer.train_minibatch(
            {v: x for v, x in given.items() if v in trainer.loss_function.arguments}
        )
        losses.append(trainer.previous_minibatch_loss_average)
    assert losses[-1] < 0.99 * losses[0]
    to = io.BytesIO()
    network.save(to, format=C.ModelFormat.ONNX)
    written = runtime_session(to.getvalue())
    for sizes in MODELS[name]['sizes']:
        feeds = feeds_of(MODELS[name]['inputs'], sizes)
        assert_same(results(network, feeds), run(written, feeds))


@pytest.mark.parametrize('name', UNWRITTEN)
def test_what_cannot_be_written_again_is_refused_by_name(name):
    network = C.load_model(str(FOLDER / f'{name}.onnx'))
    with pytest.raises(NotImplementedError, match=UNWRITTEN[name]):
        network.save(io.BytesIO(), format=C.ModelFormat.ONNX)
