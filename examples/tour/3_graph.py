"""The network of the chapter before, node by node: each line applies an operator to what is there."""

import cntk as C
import mnist

C.cntk_py.set_fixed_random_seed(1)
X, _, Y = mnist.read('train', 4000)
X_test, _, Y_test = mnist.read('t10k', 1000)


def convolved(x, size, filters, name, pad):
    """tanh(W * x + b), where * is a convolution over [channels, height, width]."""
    W = C.parameter((filters, x.shape[0], size, size), init=C.glorot_uniform(), name=name + '.W')
    b = C.parameter((filters, 1, 1), name=name + '.b')
    return C.tanh(C.convolution(W, x, auto_padding=[False, pad, pad]) + b)


def halved(x):
    return C.pooling(x, C.AVG_POOLING, (2, 2), strides=(2, 2))


def dense(x, size, name):
    W = C.parameter(x.shape + (size,), init=C.glorot_uniform(), name=name + '.W')
    b = C.parameter(size, name=name + '.b')
    return C.times(x, W, infer_input_rank_to_map=-1) + b


images = C.input_variable((28, 28), name='images')
labels = C.input_variable(10, is_sparse=True, name='labels')
r = C.reshape(images, (1, 28, 28))
r = halved(convolved(r, 5, 16, 'first', pad=True))
r = halved(convolved(r, 5, 32, 'second', pad=False))
r = C.dropout(C.tanh(dense(r, 96, 'hidden')), 0.5)
scores = C.alias(dense(r, 10, 'top'), 'scores')
criterion = C.combine([C.cross_entropy_with_softmax(scores, labels), C.classification_error(scores, labels)])
print(criterion)

# ---- A graph can be looked at: nodes are found by name, and searched in depth.
for p in sorted(scores.parameters, key=lambda p: p.name):
    print(f'{p.name:9}', p.shape)
print('before the top', criterion.find_by_name('scores').root_function.op_name)

learner = C.momentum_sgd(scores.parameters, C.learning_parameter_schedule(0.1), C.momentum_schedule(0.9))
printer = C.logging.ProgressPrinter(25)
criterion.train((X, Y), minibatch_size=64, parameter_learners=[learner], callbacks=[printer])
print(f'error {criterion.test((X_test, Y_test), callbacks=[printer]).metric:.4f}')
