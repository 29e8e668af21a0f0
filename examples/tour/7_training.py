"""A training that lasts: a log, TensorBoard, checkpoints, validation that changes the rate, a test."""

import glob
import os

import cntk as C
import mnist

C.cntk_py.set_fixed_random_seed(1)
X, _, Y = mnist.read('train', 5000)
X_validate, Y_validate = X[4000:], Y[4000:]
X, Y = X[:4000], Y[:4000]
X_test, _, Y_test = mnist.read('t10k', 1000)
EPOCH = len(X)

x, y = C.input_variable((28, 28)), C.input_variable(10, is_sparse=True)
scores = C.layers.Sequential([C.layers.Dense(100, C.tanh), C.layers.Dense(10)])(x)
criterion = C.combine([C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)])
learner = C.momentum_sgd(
    scores.parameters, C.learning_parameter_schedule_per_sample(0.005), C.momentum_schedule_per_sample(0.98)
)

# ---- The log goes into a file: the first five minibatches, then every fiftieth, and each epoch.
log = C.logging.ProgressPrinter(50, first=5, log_to_file='training.log')
# ---- `tensorboard --logdir board` shows curves and the network.
board = C.logging.TensorBoardProgressWriter(50, log_dir='board', model=criterion)
# ---- A training that is started again goes on where the last checkpoint was, with restore=True.
checkpoints = C.CheckpointConfig('digits.model', EPOCH, preserve_all=True, restore=False)

# ---- After each second epoch: where the validation error fell by less than a twentieth, the rate is halved.
# After three times the training ends.
last_error, halved = 1.0, 0


def validated(index, error, samples, minibatches):
    global last_error, halved
    print(f'validation {index}: error {error:.3f} of {samples} samples')
    if error > 0.95 * last_error:
        halved += 1
        rate = learner.learning_rate() / 2
        learner.reset_learning_rate(C.learning_parameter_schedule(rate, minibatch_size=1))
        print('the rate is now', learner.learning_rate())
    last_error = error
    return halved < 3


validation = C.CrossValidationConfig(
    (X_validate, Y_validate), 2 * EPOCH, minibatch_size=256, callback=validated, criterion=criterion
)
test = C.TestConfig((X_test, Y_test), criterion=criterion)

progress = criterion.train(
    (X, Y),
    minibatch_size=C.minibatch_size_schedule([64, 128], epoch_size=2 * EPOCH),
    max_epochs=20,
    parameter_learners=[learner],
    callbacks=[log, board, checkpoints, validation, test],
)
board.close()

print('losses', ', '.join(f'{epoch.loss:.3f}' for epoch in progress.epoch_summaries))
print(f'error of the test {progress.test_summary.metric:.3f}')
with open('training.log') as file:
    print(file.read().strip())
print('TensorBoard reads a file of events:', len(glob.glob('board/*tfevents*')) == 1)
print('checkpoints', *sorted(name for name in os.listdir('.') if name.startswith('digits')))

# ---- A checkpoint is a model with the state of its training beside it.
saved = C.Function.load('digits.model')
print('saved: a criterion of', *[a.shape for a in saved.arguments])
