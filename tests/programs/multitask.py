"""Two tasks on one body; each part of the network has a learner of its own."""

import numpy as np

import cntk as C

C.cntk_py.set_fixed_random_seed(2)
np.random.seed(1)
COUNT, MINIBATCH = 400, 25
X = np.random.randn(COUNT, 6).astype(np.float32)
VALUES = (X[:, :1] * X[:, 1:2] + np.sin(X[:, 2:3])).astype(np.float32)
CLASSES = np.eye(2, dtype=np.float32)[(X[:, 3] + X[:, 4] * X[:, 5] > 0).astype(int)]

x, value = C.input_variable(6, name='x'), C.input_variable(1, name='value')
label = C.input_variable(2, name='class')
body = C.layers.Sequential([C.layers.Dense(20, C.tanh), C.layers.Dense(12, C.relu, name='trunk')])(x)
regression = C.layers.Dense(1, name='regression')(body)
classification = C.layers.Dense(2, name='classification')(body)
alpha = C.constant(0.3)
entropy = C.cross_entropy_with_softmax(classification, label)
loss = C.squared_error(regression, value) * alpha + (1 - alpha) * entropy
metric = C.classification_error(classification, label)


def only(head):
    return [p for p in head.parameters if p not in body.parameters]


body_learner = C.sgd(body.parameters, C.learning_parameter_schedule(0.2))
regression_rates = C.learning_parameter_schedule([(3, 0.1), (1, 0.05)], epoch_size=100)
regression_learner = C.nesterov(only(regression), regression_rates, C.momentum_schedule(0.8))
classification_learner = C.adagrad(only(classification), C.learning_parameter_schedule_per_sample(0.01))
learners = [body_learner, regression_learner, classification_learner]
print([len(l.parameters) for l in learners])
try:
    C.Trainer(regression, (loss, metric), [body_learner, C.sgd(regression.parameters, 0.1)])
except ValueError as e:
    print('a parameter of two learners:', type(e).__name__)

heads = C.combine([regression, classification])
trainer = C.Trainer(heads, (loss, metric), learners, C.logging.ProgressPrinter(8))
for epoch in range(3):
    for k in range(0, COUNT, MINIBATCH):
        part = slice(k, k + MINIBATCH)
        trainer.train_minibatch({x: X[part], value: VALUES[part], label: CLASSES[part]})
    trainer.summarize_training_progress()
    print([round(l.learning_rate(), 5) for l in trainer.parameter_learners])

outputs = heads.eval({x: X[:3]})
print(outputs[regression.output].round(4), outputs[classification.output].round(4))
for learner in trainer.parameter_learners:
    learner.reset_learning_rate(C.learning_parameter_schedule_per_sample(0.001))
print([l.learning_rate() for l in trainer.parameter_learners])
part = slice(0, MINIBATCH)
updated, fetched = trainer.train_minibatch(
    {x: X[part], value: VALUES[part], label: CLASSES[part]}, outputs=[regression.output, loss.output]
)
print(updated, ['%.4f' % fetched[v].sum() for v in (regression.output, loss.output)])
