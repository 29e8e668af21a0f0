"""Epochs and minibatches of Function.train: their sizes, and where a training ends."""

import numpy as np
import pytest

import cantik as C


def test_epochs_of_a_size_of_their_own_in_a_training_of_so_many_samples():
    """As CNTK 2.7 counts them."""
    x, y = C.input_variable(2), C.input_variable(2)
    data = np.eye(2, dtype=np.float32)[[0, 1] * 12]
    for options, epochs in (
        (dict(epoch_size=24, max_samples=60), [24, 24, 12]),
        (dict(max_samples=60), [60]),
        (dict(epoch_size=20, max_epochs=2), [24, 16]),
    ):
        z = C.layers.Dense(2, init=0.1)(x)
        found = C.cross_entropy_with_softmax(z, y).train(
            (data, data), minibatch_size=8, parameter_learners=[C.sgd(z.parameters, 0.1)], **options
        )
        assert [e['samples'] for e in found.epoch_summaries] == epochs, options


def test_a_source_of_arrays_without_an_end_needs_one():
    x, y = C.input_variable(2), C.input_variable(2)
    data = np.eye(2, dtype=np.float32)
    source = C.io.MinibatchSourceFromData(dict(x=data, y=data))
    z = C.layers.Dense(2)(x)
    with pytest.raises(ValueError, match='epoch_size must be specified'):
        C.cross_entropy_with_softmax(z, y).train(
            source,
            model_inputs_to_streams={x: source.streams.x, y: source.streams.y},
            parameter_learners=[C.sgd(z.parameters, 0.1)],
        )


def test_a_minibatch_beyond_all_counting_is_all_there_is():
    x = C.input_variable(1)
    z = C.layers.Dense(1, init=0.5)(x)
    found = C.squared_error(z, x).train(
        (np.ones((6, 1), np.float32),), minibatch_size=1e30, parameter_learners=[C.sgd(z.parameters, 0.1)]
    )
    assert found.epoch_summaries[0]['samples'] == 6


def test_a_sweep_is_no_number_of_samples(tmp_path):
    """Of an endless source such an epoch would not end."""
    path = tmp_path / 'data.ctf'
    path.write_text('|a 1 0 |b 1 0\n|a 0 1 |b 0 1\n')
    x, y = C.input_variable(2), C.input_variable(2)
    z = C.layers.Dense(2)(x)
    streams = C.io.StreamDefs(a=C.io.StreamDef('a', 2), b=C.io.StreamDef('b', 2))
    for sweeps in (C.io.INFINITELY_REPEAT, 3):
        source = C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), max_sweeps=sweeps)
        with pytest.raises(ValueError, match='epoch_size is a number of samples'):
            C.cross_entropy_with_softmax(z, y).train(
                source,
                streams=(source.streams.a, source.streams.b),
                parameter_learners=[C.sgd(z.parameters, 0.1)],
                epoch_size=C.io.FULL_DATA_SWEEP,
                max_epochs=2,
            )


@pytest.mark.parametrize('order', ['xy', 'yx'])
def test_sources_to_test_on_beside_arrays(order):
    """Their streams go to the arguments of their names."""
    X, Y = np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32)[[0, 1, 1]]
    x, y = C.input_variable(3, name='x'), C.input_variable(3, name='y')
    z = C.layers.Dense(3, init=0)(x)
    criterion = C.combine([C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)])

    def held():
        data = dict(x=X, y=Y)
        return C.io.MinibatchSourceFromData({name: data[name] for name in order}, max_samples=3)

    measured = []
    validation = C.CrossValidationConfig(
        held(),
        frequency=3,
        callback=lambda i, average, samples, n: measured.append((average, samples)) or True,
    )
    found = criterion.train(
        (X, Y),
        max_epochs=40,
        parameter_learners=[C.sgd(z.parameters, 0.5)],
        callbacks=[C.TestConfig(held()), validation],
    )
    assert found.test_summary == {'metric': 0.0, 'samples': 3}
    assert measured[-1] == (0.0, 3)
    criterion.train(held(), parameter_learners=[C.sgd(z.parameters, 0.1)])


@pytest.mark.parametrize(
    'every, ends, epochs',
    [
        (2, (41, 60), [19]),
        (2, (45, 79), [34]),
        (3, (45, 79), [34]),
        (1, (45, 79), []),
        (1, (85, 115), []),
        (2, (85, 115), []),
        (3, (85, 115), [30]),
        (1, (45, 130), [48, 32]),
        (2, (45, 130), [48, 37]),
        (3, (85, 170), [48, 37]),
    ],
)
def test_summaries_of_a_training_that_goes_on(every, ends, epochs, tmp_path, capsys):
    """Of sweeps over 40 rows by 16, as CNTK 2.7 counts them after a checkpoint."""
    path = tmp_path / 'data.ctf'
    path.write_text(''.join(f'|x {i % 3} 1 |y 1\n' for i in range(40)))
    streams = C.io.StreamDefs(x=C.io.StreamDef('x', 2), y=C.io.StreamDef('y', 1))

    def train(samples, restore):
        x, y = C.input_variable(2), C.input_variable(1)
        z = C.times(x, C.parameter((2, 1), init=0.1))
        loss = C.squared_error(z, y)
        writer = C.logging.ProgressPrinter()
        trainer = C.Trainer(z, (loss, loss), C.sgd(z.parameters, 0.01), [writer])
        source = C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), randomize=False)
        C.training_session(
            trainer,
            source,
            16,
            {x: source.streams.x, y: source.streams.y},
            max_samples=samples,
            progress_frequency=(every, C.DataUnit.sweep),
            checkpoint_config=C.CheckpointConfig(str(tmp_path / 'k'), restore=restore),
        ).train()
        return capsys.readouterr().out

    train(ends[0], False)
    finished = [line for line in train(ends[1], True).splitlines() if line.startswith('Finished Epoch')]
    assert [int(line.split(' * ')[1].split(',')[0]) for line in finished] == epochs
