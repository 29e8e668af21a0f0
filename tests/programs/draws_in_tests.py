"""Random numbers of a trainer's tests: its steps go on behind them; evaluations have numbers of their
own."""

import numpy as np
import cntk as C

C.cntk_py.set_fixed_random_seed(1)
ones = np.ones((4, 8), 'f')
for name, draw in (
    ('bernoulli', lambda v: C.random.bernoulli_like(v, 0.5, seed=4)),
    ('dropout', lambda v: C.dropout(v, 0.5, seed=4)),
    ('normal', lambda v: C.random.normal_like(v, seed=4)),
    ('uniform', lambda v: v * C.random.uniform((8,), low=-1, high=1, seed=4)),
):
    x, y = (C.input_variable(8), C.input_variable(8))
    w = C.parameter(8, init=1.0)
    z = w * draw(x)
    loss, metric = (C.reduce_sum(C.square(z - y)), C.reduce_sum(z))  # the metric reads no y
    trainer = C.Trainer(z, (loss, metric), C.sgd([w], 0.0))
    separate = C.Evaluator(metric)
    data = {x: ones, y: ones}
    told = []
    for (
        what
    ) in 'trained trained tested trained tested alone tested trained evaluated trained apart tested'.split():
        if what == 'trained':
            trainer.train_minibatch(data)
            told.append(
                (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
            )
        elif what == 'tested':
            told.append((trainer.test_minibatch(data),))
        elif what == 'alone':
            told.append((trainer.test_minibatch({x: ones}),))
        elif what == 'evaluated':
            told.append((z.eval({x: ones}).sum() / 4,))
        else:
            told.append((separate.test_minibatch({x: ones}),))
    print(name, ' '.join('/'.join('%.3f' % v for v in numbers) for numbers in told))
