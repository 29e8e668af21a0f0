"""progress: mnist_convnet in Function.train, samples a second: `silent`; `told`: with a ProgressPrinter for
every minibatch, into a file, and TensorBoard for every fiftieth."""

import shutil

from files import path_of
from nets import convnet
from timing import arguments, cantik_with, mnist, np, one_hot, rate, wanted

args = arguments(minibatches=100)
C = cantik_with(args.threads)
X, digits = mnist()
L, SIZE = one_hot(digits, 10), 256
COUNT = args.minibatches * SIZE
X, L = np.resize(X, (COUNT, 28, 28)), np.resize(L, (COUNT, 10))

x, y = C.input_variable((28, 28)), C.input_variable(10)
z = convnet(C)(x)
criterion = C.combine([C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)])
RATE = C.learning_parameter_schedule_per_sample(0.001)


def trained(callbacks):
    learner = C.momentum_sgd(z.parameters, RATE, 0.9)  # one that has seen the data would train no more
    criterion.train((X, L), minibatch_size=SIZE, parameter_learners=[learner], callbacks=callbacks)


def told():
    printer = C.logging.ProgressPrinter(1, log_to_file=path_of('log'))
    board = C.logging.TensorBoardProgressWriter(50, log_dir=path_of('board'), model=z)
    trained([printer, board])
    board.close()
    shutil.rmtree(path_of('board'))


for name, call in dict(silent=lambda: trained([]), told=told).items():
    if wanted(args, name):
        rate('progress', name, 'samples/s', call, COUNT, args, warmup=1, seconds=0)
