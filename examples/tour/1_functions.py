"""A network is a function: called like one, and it holds the parameters it has learnt.

Two clouds of points are told apart by a single layer (logistic regression).
"""

import numpy as np

import cntk as C
from mnist import one_hot

C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(0)


def points(count):
    """Points of class 0 lie around (3, 3), those of class 1 around (6, 6) and wider apart."""
    classes = rng.randint(0, 2, count)
    x = (rng.randn(count, 2) + 3) * (classes[:, None] + 1)
    return x.astype(np.float32), classes, one_hot(classes, 2)


X, _, Y = points(20000)
X_test, classes, Y_test = points(1024)

# ---- A layer is a function that does not know its input yet. Applied to one, it has parameters.
layer = C.layers.Dense(2)
x, y = C.input_variable(2), C.input_variable(2, is_sparse=True)
model = layer(x)
print('a model     ', model)
print('its weights ', model.W.shape, 'and bias', model.b.shape)

# ---- What it has to learn is a function too: of a point and its class, to a loss and to an error.
criterion = C.combine([C.cross_entropy_with_softmax(model, y), C.classification_error(model, y)])
print('a criterion ', criterion)

# ---- Learning: the learner changes the parameters so that the loss becomes small.
learner = C.sgd(model.parameters, C.learning_parameter_schedule(0.1))
printer = C.logging.ProgressPrinter(0)  # prints after 1, 3, 7, 15, ... minibatches
criterion.train((X, Y), parameter_learners=[learner], callbacks=[printer])
print('weights\n', model.W.value)

# ---- How good is it on points it has not seen?
print(f'error {criterion.test((X_test, Y_test), callbacks=[printer]).metric:.4f}')

# ---- It is called with data as any function is.
predicted = model(X_test[:20]).argmax(axis=1)
print('classes   ', *classes[:20])
print('predicted ', *predicted)

# ---- Parameters are shared by calling the same layer again; another layer has its own.
twice = layer(C.input_variable(2)) + layer(C.input_variable(2))
print('parameters of the layer applied twice', len(twice.parameters))
