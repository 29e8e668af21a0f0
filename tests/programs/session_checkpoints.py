"""A training session over files with validation, checkpoints and a test; a second one goes on from the
checkpoint."""

import os

import numpy as np

import cntk as C
from cntk.io import CTFDeserializer, INFINITELY_REPEAT, MinibatchSource, StreamDef, StreamDefs
from cntk.logging import ProgressPrinter
from cntk.train.training_session import CheckpointConfig, CrossValidationConfig, TestConfig, training_session

EPOCH = 500
rng = np.random.RandomState(1)


def write(path, count):
    with open(path, 'w') as f:
        for _ in range(count):
            v = rng.randn(3)
            k = int(v.sum() > 0)
            f.write('|y %d %d |x %s\n' % (k, 1 - k, ' '.join('%.5f' % a for a in v)))


def source(path, **options):
    streams = StreamDefs(x=StreamDef('x', 3), y=StreamDef('y', 2))
    return MinibatchSource(CTFDeserializer(path, streams), **options)


def run(epochs, restore):
    C.cntk_py.set_fixed_random_seed(3)
    x, y = C.input_variable(3), C.input_variable(2)
    z = C.layers.Sequential([C.layers.Dense(5, C.tanh), C.layers.Dense(2)])(x)
    criterion = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    rates = C.learning_parameter_schedule([0.3, 0.1], epoch_size=EPOCH)
    learner = C.momentum_sgd(z.parameters, rates, C.momentum_schedule(0.7))
    trainer = C.Trainer(z, criterion, learner, ProgressPrinter(freq=5, tag='Training', num_epochs=epochs))
    train_source = source('train.ctf')
    cv_source = source('cv.ctf', randomize=False, max_sweeps=INFINITELY_REPEAT)
    test_source = source('test.ctf', randomize=False, max_sweeps=1)

    def streams(s):
        return {x: s.streams.x, y: s.streams.y}

    def cv_callback(index, average_error, cv_num_samples, cv_num_minibatches):
        print('validation', index, '%.5f' % average_error, cv_num_samples, cv_num_minibatches)
        return True

    training_session(
        trainer=trainer,
        mb_source=train_source,
        mb_size=C.minibatch_size_schedule([20, 50], EPOCH),
        model_inputs_to_streams=streams(train_source),
        max_samples=EPOCH * epochs,
        progress_frequency=EPOCH,
        checkpoint_config=CheckpointConfig(
            frequency=EPOCH, filename=os.path.join('models', 'net'), restore=restore, preserve_all=True
        ),
        cv_config=CrossValidationConfig(
            cv_source,
            minibatch_size=25,
            frequency=300,
            max_samples=100,
            model_inputs_to_streams=streams(cv_source),
            callback=cv_callback,
        ),
        test_config=TestConfig(test_source, minibatch_size=50, model_inputs_to_streams=streams(test_source)),
    ).train()
    print('weights %.5f' % np.abs(z.parameters[0].value).sum(), trainer.total_number_of_samples_seen)


for name, count in (('train', 500), ('cv', 100), ('test', 120)):
    write(name + '.ctf', count)
run(3, restore=False)
print(sorted(os.listdir('models')))
run(4, restore=True)
print(sorted(os.listdir('models')))
model = C.load_model(os.path.join('models', 'net'))
print(model.arguments, model.outputs[0].shape, [p.shape for p in model.parameters])
