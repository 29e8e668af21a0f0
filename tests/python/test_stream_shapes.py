"""A stream's samples fit inputs of as many elements in any shape; arrays of the program's own do not."""

import numpy as np
import pytest

import cantik as C

PIXELS = np.arange(120, dtype=np.float32).reshape(10, 12) % 7
LABELS = np.arange(10, dtype=np.float32).reshape(10, 1)
SHAPES = [(12,), (3, 4), (1, 3, 4), (2, 1, 6)]


def text(name, tmp_path, sparse=False, sequences=1):
    path = tmp_path / (name + '.ctf')
    lines = []
    for i, row in enumerate(PIXELS):
        numbers = (
            ' '.join(f'{k}:{v:g}' for k, v in enumerate(row) if v)
            if sparse
            else ' '.join(f'{v:g}' for v in row)
        )
        lines.append(f'{i // sequences} |x {numbers} |y {LABELS[i, 0]:g}')
    path.write_text('\n'.join(lines) + '\n')
    return str(path)


def source(path, sparse=False, **options):
    streams = C.io.StreamDefs(x=C.io.StreamDef('x', 12, is_sparse=sparse), y=C.io.StreamDef('y', 1))
    return C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), randomize=False, max_sweeps=1, **options)


class Chunks(C.io.UserDeserializer):
    def stream_infos(self):
        return [
            C.io.StreamInformation('x', 0, 'dense', np.float32, (12,)),
            C.io.StreamInformation('y', 1, 'dense', np.float32, (1,)),
        ]

    def num_chunks(self):
        return 2

    def get_chunk(self, chunk):
        part = slice(5 * chunk, 5 * chunk + 5)
        return {'x': PIXELS[part], 'y': LABELS[part]}


def model(shape, sequence=False):
    make = C.sequence.input_variable if sequence else C.input_variable
    x, y = make(shape), make(1)
    W = C.parameter((12, 1), init=(np.arange(12, dtype=np.float32).reshape(12, 1) - 5) / 10)
    z = C.times(C.reshape(x, 12), W)
    return x, y, W, z, C.squared_error(z, y)


def trainer_of(z, loss):
    return C.Trainer(z, (loss, loss), [C.sgd(z.parameters, C.learning_parameter_schedule(0.001))])


def expected(rows):
    W = (np.arange(12, dtype=np.float32).reshape(12, 1) - 5) / 10
    return PIXELS[rows] @ W


def test_images_of_a_file_in_a_convolution(tmp_path):
    x, y = C.input_variable((1, 3, 4)), C.input_variable(1)
    z = C.layers.Dense(1)(C.layers.Convolution2D((2, 2), 2)(x))
    loss = C.squared_error(z, y)
    data = source(text('images', tmp_path))
    trainer = trainer_of(z, loss)
    batch = data.next_minibatch(4, input_map={x: data.streams.x, y: data.streams.y})
    want = z.eval({x: PIXELS[:4].reshape(4, 1, 3, 4)})
    np.testing.assert_array_equal(z.eval({x: batch[x]}), want)
    trainer.train_minibatch(batch)
    np.testing.assert_allclose(
        trainer.previous_minibatch_loss_average, ((want - LABELS[:4]) ** 2).mean(), rtol=1e-5
    )


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('sparse', [False, True])
def test_every_way_to_feed(shape, sparse, tmp_path):
    x, y, W, z, loss = model(shape)
    path = text('data', tmp_path, sparse)
    data = source(path, sparse)
    trainer, evaluator = trainer_of(z, loss), C.Evaluator(loss)
    error = ((expected(range(4)) - LABELS[:4]) ** 2).mean()
    batch = data.next_minibatch(4, input_map={x: data.streams.x, y: data.streams.y})
    for value in (batch[x], batch[x].data, batch[x].data.deep_clone(), batch[x].data.alias()):
        np.testing.assert_allclose(z.eval({x: value}), expected(range(4)), rtol=1e-5)
    np.testing.assert_allclose(z(batch[x]), expected(range(4)), rtol=1e-5)
    np.testing.assert_array_equal(np.reshape((x + 0).eval({x: batch[x]}), (4, 12)), PIXELS[:4])
    forward = z.forward({x: batch[x]}, [z.output])[1]
    np.testing.assert_allclose(forward[z.output], expected(range(4)), rtol=1e-5)
    wanted = 2 * PIXELS[:4].T @ (expected(range(4)) - LABELS[:4])
    np.testing.assert_allclose(loss.grad(batch, [W]), wanted, rtol=1e-4)
    np.testing.assert_allclose(trainer.test_minibatch(batch), error, rtol=1e-5)
    np.testing.assert_allclose(evaluator.test_minibatch(batch), error, rtol=1e-5)
    trainer.train_minibatch(batch)
    np.testing.assert_allclose(trainer.previous_minibatch_loss_average, error, rtol=1e-5)


@pytest.mark.parametrize('shape', SHAPES)
def test_training_loops(shape, tmp_path):
    path, losses = text('data', tmp_path), []
    for fed in ((12,), shape):
        x, y, W, z, loss = model(fed)
        trainer, data, found = trainer_of(z, loss), source(path), []
        streams = {x: data.streams.x, y: data.streams.y}
        validation = C.CrossValidationConfig(
            source(path), frequency=5, minibatch_size=4, callback=lambda *seen: found.append(seen)
        )
        C.training_session(
            trainer, data, 3, streams, cv_config=validation, test_config=C.TestConfig(source(path), 4)
        ).train()
        again, data = trainer_of(z, loss), source(path)
        summary = loss.train(
            data,
            minibatch_size=3,
            streams=(data.streams.x, data.streams.y),
            parameter_learners=again.parameter_learners,
            max_samples=9,
        )
        data = source(path)
        tested = loss.test(data, minibatch_size=3, streams=(data.streams.x, data.streams.y))
        losses.append(
            (
                trainer.previous_minibatch_loss_average,
                found,
                summary.epoch_summaries,
                tested,
                W.value.tolist(),
            )
        )
    assert losses[0] == losses[1] and losses[0][1]


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('sparse', [False, True])
def test_sequences_whole_and_in_parts(shape, sparse, tmp_path):
    path, seen = text('steps', tmp_path, sparse, sequences=4), []
    for fed in ((12,), shape):
        x, y, _W, z, loss = model(fed, sequence=True)
        data = source(path, sparse)
        found = z.eval({x: data.next_minibatch(8)[data.streams.x]})
        assert [len(s) for s in found] == [4, 4]
        np.testing.assert_allclose(np.concatenate(found), expected(range(8)), rtol=1e-5)
        data, trainer, parts = source(path, sparse, truncation_length=3), trainer_of(z, loss), []
        while True:
            batch = data.next_minibatch(6, input_map={x: data.streams.x, y: data.streams.y})
            if not batch:
                break
            trainer.train_minibatch(batch)
            parts.append(trainer.previous_minibatch_loss_average)
        seen.append(parts)
    assert len(seen[0]) == 2 and seen[0] == seen[1]


@pytest.mark.parametrize('shape', SHAPES)
def test_chunks_of_the_programs_own(shape):
    x, y, _W, z, loss = model(shape)
    data = C.io.MinibatchSource([Chunks()], randomize=False, max_sweeps=1)
    batch = data.next_minibatch(3, input_map={x: data.streams.x, y: data.streams.y})
    np.testing.assert_allclose(z.eval({x: batch[x]}), expected(range(3)), rtol=1e-5)
    trainer = trainer_of(z, loss)
    C.training_session(trainer, data, 3, {x: data.streams.x, y: data.streams.y}).train()
    assert trainer.total_number_of_samples_seen == 7


def test_sparse_inputs(tmp_path):
    pytest.importorskip('scipy')
    x = C.input_variable((3, 4), is_sparse=True)
    data = source(text('sparse', tmp_path, sparse=True), sparse=True)
    batch = data.next_minibatch(3)
    W = np.arange(8, dtype=np.float32).reshape(4, 2)
    found = C.times(x, C.constant(W)).eval({x: batch[data.streams.x]})
    np.testing.assert_allclose(found, PIXELS[:3].reshape(3, 3, 4) @ W)


# ---- what does not fit


@pytest.mark.parametrize('shape', SHAPES[1:])
def test_arrays_and_values_of_arrays_do_not(shape, tmp_path):
    x, _y, _W, z, loss = model(shape)
    data = source(text('data', tmp_path))
    batch = data.next_minibatch(4)[data.streams.x]
    computed = C.input_variable(12) + 0
    computed = computed.eval({computed.arguments[0]: PIXELS[:4]}, as_numpy=False)
    arrays = C.io.MinibatchSourceFromData(dict(x=PIXELS, y=LABELS))
    of_arrays = arrays.next_minibatch(4)[arrays.streams.x]
    for value in (
        PIXELS[:4],
        batch.asarray(),
        C.Value(PIXELS[:4]),
        C.Value.create(C.input_variable(12), PIXELS[:4]),
        computed,
        of_arrays,
        list(PIXELS[:4]),
    ):
        with pytest.raises(ValueError, match='do not match the Variable|rank'):
            z.eval({x: value})
    with pytest.raises(ValueError, match='do not match the Variable|rank'):
        loss.train((PIXELS, LABELS), parameter_learners=[C.sgd(z.parameters, 0.1)])


@pytest.mark.parametrize('shape', [(11,), (13,), (24,), (2, 5), (1, 1, 1)])
def test_other_numbers_of_elements_do_not(shape, tmp_path):
    x = C.input_variable(shape)
    data = source(text('data', tmp_path))
    batch = data.next_minibatch(4, input_map={x: data.streams.x})
    with pytest.raises(
        ValueError, match="The trailing dimensions of the Value shape '\\[4 x 1 x 12\\]' do not match"
    ):
        (x + 0).eval(batch)
