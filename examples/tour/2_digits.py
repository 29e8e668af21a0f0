"""A convolutional network of layers learns to read handwritten digits.

It is built in the manner of LeNet-5 (LeCun et al. 1998).
"""

import cntk as C
import mnist

C.cntk_py.set_fixed_random_seed(1)
X, _, Y = mnist.read('train', 12000)
X_test, digits, Y_test = mnist.read('t10k', 2000)


def network():
    # Options that all layers of the block have, unless one says otherwise.
    with C.layers.default_options(activation=C.tanh, pad=False):
        return C.layers.Sequential(
            [
                C.layers.Convolution2D(
                    (5, 5), 16, reduction_rank=0, pad=True
                ),  # a grey image has no channels
                C.layers.AveragePooling((2, 2), strides=(2, 2)),
                C.layers.Convolution2D((5, 5), 32),
                C.layers.AveragePooling((2, 2), strides=(2, 2)),
                C.layers.Dense(96),
                C.layers.Dropout(0.5),
                C.layers.Dense(10, activation=None),  # scores; the loss makes probabilities of them
            ]
        )


model = network()
x, y = C.input_variable((28, 28)), C.input_variable(10, is_sparse=True)
scores = model(x)
criterion = C.combine([C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)])

# ---- Rates, momenta and sizes of minibatches change as the training goes on. Rates and momenta are those of
# one sample, so they mean the same for minibatches of any size.
N = len(X)
rates = C.learning_parameter_schedule_per_sample([0.002, 0.001], epoch_size=N)
momenta = C.momentum_schedule_per_sample([0.99, 0.999], epoch_size=N)
sizes = C.minibatch_size_schedule([128, 256], epoch_size=N)
learner = C.momentum_sgd(scores.parameters, rates, momenta)
printer = C.logging.ProgressPrinter(20)
criterion.train((X, Y), minibatch_size=sizes, max_epochs=2, parameter_learners=[learner], callbacks=[printer])
print(f'error {criterion.test((X_test, Y_test), callbacks=[printer]).metric:.4f}')
print('recognized', *scores(X_test[:12]).argmax(axis=1))
print('labels    ', *digits[:12])
