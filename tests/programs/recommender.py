"""A recommender: users and items as sparse numbers, factors, a wide part and a deep one; several learners
from the same beginning."""

import numpy as np
import scipy.sparse as sparse

import cntk as C

USERS, ITEMS, FACTORS, RATINGS = 40, 30, 5, 200
rng = np.random.RandomState(5)
user = C.input_variable(USERS, is_sparse=True, name='user')
item = C.input_variable(ITEMS, is_sparse=True, name='item')
rating = C.input_variable(1, name='rating')
u = C.layers.Embedding(FACTORS, init=C.normal(0.1, seed=1))(user)
i = C.layers.Embedding(FACTORS, init=C.normal(0.1, seed=2))(item)
wide = C.layers.Dense(1, init=C.normal(0.01, seed=3), bias=False)(user)
wide += C.layers.Dense(1, init=C.normal(0.01, seed=4))(item)
hidden = C.layers.Dense(8, activation=C.relu, init=C.glorot_uniform(seed=7))(C.splice(u, i))
deep = C.layers.Dense(1, init=C.glorot_uniform(seed=8))(hidden)
predicted = C.reduce_sum(u * i, axis=0) + wide + deep
print(predicted)


def one_hot(ids, n):
    return sparse.csr_matrix(
        (np.ones(len(ids), np.float32), ids, np.arange(len(ids) + 1)), shape=(len(ids), n)
    )


users, items = rng.randint(0, USERS, RATINGS), rng.randint(0, ITEMS, RATINGS)
ratings = rng.randint(1, 6, (RATINGS, 1)).astype(np.float32)
learners = [
    lambda p: C.sgd(p, C.learning_parameter_schedule_per_sample(0.02)),
    lambda p: C.adadelta(p, C.learning_parameter_schedule(1.0)),
    lambda p: C.momentum_sgd(p, C.learning_parameter_schedule(0.05), 0.9, l1_regularization_weight=0.001),
]
for learner in learners:
    model = predicted.clone('clone')
    inputs = {v.name: v for v in model.arguments}
    trainer = C.Trainer(
        model, (C.squared_error(model, rating), C.abs(model - rating)), [learner(model.parameters)]
    )
    for _ in range(2):
        for at in range(0, RATINGS, 40):
            part = slice(at, at + 40)
            trainer.train_minibatch(
                {
                    inputs['user']: one_hot(users[part], USERS),
                    inputs['item']: one_hot(items[part], ITEMS),
                    rating: ratings[part],
                }
            )
        print(
            '%.5f %.5f'
            % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
        )
    some = {inputs['user']: one_hot(users[:3], USERS), inputs['item']: one_hot(items[:3], ITEMS)}
    print(np.round(model.eval(some).ravel(), 4))
