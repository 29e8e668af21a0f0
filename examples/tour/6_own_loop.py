"""A minibatch loop of one's own, for data that are made as the training goes on."""

import cntk as C
import numpy as np

C.cntk_py.set_fixed_random_seed(1)
rng = np.random.RandomState(2)

x, y = C.input_variable(2), C.input_variable(2)
model = C.layers.Sequential([C.layers.Dense(16, C.tanh), C.layers.Dense(2)])(x)
loss, error = C.cross_entropy_with_softmax(model, y), C.classification_error(model, y)
learner = C.sgd(model.parameters, C.learning_parameter_schedule(0.5))
trainer = C.Trainer(model, (loss, error), [learner], [C.logging.ProgressPrinter(50)])


def rings(count):
    """Points inside the unit circle are of class 0, those around it of class 1."""
    points = rng.uniform(-1.5, 1.5, (count, 2)).astype(np.float32)
    outside = (np.square(points).sum(axis=1) > 1).astype(int)
    return points, np.eye(2, dtype=np.float32)[outside]


for _ in range(400):
    points, classes = rings(32)
    trainer.train_minibatch({x: points, y: classes})  # one step; gives whether there were data
trainer.summarize_training_progress()
print(
    'samples',
    trainer.total_number_of_samples_seen,
    f'loss of the last {trainer.previous_minibatch_loss_average:.5f}',
)

evaluator = C.Evaluator(error, [C.logging.ProgressPrinter()])
for _ in range(10):
    points, classes = rings(100)
    evaluator.test_minibatch({x: points, y: classes})
evaluator.summarize_test_progress()

# ---- Gradients, too, are at hand: the loss of one point with respect to the parameters.
points, classes = rings(1)
gradients = loss.grad({x: points, y: classes}, wrt=model.parameters)
for p in model.parameters:
    print('|gradient| of', p.shape, f'{np.abs(gradients[p]).sum():.5f}')
