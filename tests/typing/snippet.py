"""What a type checker is to accept: tests/wheel_test.sh runs mypy on it where mypy is installed."""

import numpy as np

import cantik
import cntk as C
from cantik.layers import Dense, Sequential
from cntk.learners import sgd


def train() -> float:
    x, y = C.input_variable(2), C.input_variable(2)
    z: C.Function = Sequential([Dense(4, activation=C.relu), Dense(2)])(x)
    loss: cantik.Function = C.cross_entropy_with_softmax(z, y)
    error = C.classification_error(z, y)
    learner = sgd(z.parameters, C.learning_parameter_schedule(0.1))
    trainer = C.Trainer(z, (loss, error), [learner])
    data = np.eye(2, dtype=np.float32)
    trainer.train_minibatch({x: data, y: data})
    total = C.reduce_sum(C.times(z, np.ones((2, 1), np.float32)), axis=0)
    W = C.Parameter((2, 3), init=C.glorot_uniform())
    assert W.shape == (2, 3) and total.name == ''
    return float(trainer.previous_minibatch_loss_average)


value: float = train()
