"""What a rate of 0.01 means to each learner: the first step on 50 samples whose mean gradient is (1, 2), with
use_mean_gradient None, True and False. CNTK 2.7 wrote rates_cntk.txt: `python rates_cntk.py >
rates_cntk.txt`; tests/python/test_rates.py runs it with Cantik.
"""

import json
import numpy as np
import cntk as C

LEARNERS = {
    'sgd': lambda p, r, **k: C.sgd(p, r, **k),
    'momentum_sgd': lambda p, r, **k: C.momentum_sgd(p, r, 0.9, **k),
    'nesterov': lambda p, r, **k: C.nesterov(p, r, 0.9, **k),
    'adam': lambda p, r, **k: C.adam(p, r, 0.9, **k),
    'adamax': lambda p, r, **k: C.adam(p, r, 0.9, adamax=True, **k),
    'fsadagrad': lambda p, r, **k: C.fsadagrad(p, r, 0.9, **k),
    'rmsprop': lambda p, r, **k: C.rmsprop(p, r, 0.9, 1.2, 0.5, 10, 0.1, **k),
    'rmsprop, plain': lambda p, r, **k: C.rmsprop(p, r, 0.9, 1.2, 0.5, 10, 0.1, False, **k),
    'adagrad': lambda p, r, **k: C.adagrad(p, r, **k),
    'adagrad, plain': lambda p, r, **k: C.adagrad(p, r, False, **k),
    'adadelta': lambda p, r, **k: C.adadelta(p, r, **k),
}
RATES = {
    'a number': lambda: 0.01,
    'for 1 sample': lambda: C.learning_parameter_schedule_per_sample(0.01),
    'for 50 samples': lambda: C.learning_parameter_schedule(0.01, 50),
}


def steps():
    """[learner, meaning of the rate, three steps], one after the other."""
    for name, make in LEARNERS.items():
        for meaning, rate in RATES.items():
            row = []
            for mean in (None, True, False):
                w = C.parameter((2,), init=0.0)
                learner = make([w], rate(), use_mean_gradient=mean)
                learner.update({w: C.NDArrayView.from_dense(np.array([50.0, 100.0], np.float32))}, 50)
                row.append([float('%.5g' % -v) for v in w.value])
            yield [name, meaning, row]


if __name__ == '__main__':
    for row in steps():
        print(json.dumps(row))
