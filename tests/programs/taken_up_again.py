"""A training stopped and taken up again from a checkpoint, with Adam's and momentum's states, schedules and
counts; external state."""

import os
import numpy as np
import cntk as C


def build(seed):
    C.cntk_py.set_fixed_random_seed(seed)
    x, y = (C.input_variable(4, name='x'), C.input_variable(3, name='y'))
    z = C.layers.Sequential([C.layers.Dense(6, C.tanh, name='da'), C.layers.Dense(3, name='db')])(x)
    loss, err = (C.cross_entropy_with_softmax(z, y), C.classification_error(z, y))
    a, b = (z.da.parameters, z.db.parameters)
    l1 = C.adam(
        a,
        C.learning_parameter_schedule([0.05, 0.02, 0.01], minibatch_size=C.learners.IGNORE, epoch_size=50),
        C.momentum_schedule(0.9),
        variance_momentum=C.momentum_schedule(0.99),
    )
    l2 = C.momentum_sgd(
        b,
        C.learning_parameter_schedule_per_sample([(2, 0.02), (1, 0.01)], epoch_size=40),
        C.momentum_schedule_per_sample([0.95, 0.9], 30),
        l1_regularization_weight=0.001,
    )
    return (x, y, z, C.Trainer(z, (loss, err), [l1, l2]))


rng = np.random.RandomState(1)
data = [(rng.randn(10, 4).astype('f'), np.eye(3, dtype='f')[rng.randint(0, 3, 10)]) for _ in range(20)]


def go(t, x, y, part):
    for a, b in part:
        t.train_minibatch({x: a, y: b})
        print('%.5f' % t.previous_minibatch_loss_average, end=' ')
    print(t.total_number_of_samples_seen, [l.learning_rate() for l in t.parameter_learners])


x, y, z, t = build(1)
go(t, x, y, data[:10])
t.save_checkpoint('step.ckpt', external_state={'epoch': 3, 'best': 0.25, 'name': 'run', 'list': [1, 2]})
go(t, x, y, data[10:])
x2, y2, z2, t2 = build(1)
state = t2.restore_from_checkpoint('step.ckpt')
print(sorted(state.items(), key=lambda p: p[0]))
print(t2.total_number_of_samples_seen, np.allclose(z2.da.W.value, z.da.W.value))
go(t2, x2, y2, data[10:])
print(np.abs(z2.da.W.value - z.da.W.value).max() < 1e-06, sorted(os.listdir('.')))
m = C.load_model('step.ckpt')
print([p.name for p in m.parameters])
m2 = C.Function.load('step.ckpt')
print(np.allclose(m2.parameters[0].value, m.parameters[0].value))
