"""The table of MXNet's operators: what each is called, what it takes, and which calls of Cantik's registry it
is."""

from .entry import OPERATORS, Operator, describe, find, functions, operator
from . import (
    elementwise,
    index,
    layers,
    linalg,
    linear,
    losses,
    normalize,
    pictures,
    random,
    recurrent,
    reduce,
    regions,
    scalars,
    shape,
    steps,
    update,
)

describe(
    'BatchNorm',
    {'moving_mean': '["zero", {}]', 'moving_var': '["one", {}]'},
    hidden=lambda a: 0 if a.output_mean_var else 2,
)
describe('LeakyReLU', {'gamma': '["Constant", {"value": 0.25}]'})
for _name, _hidden in [('Dropout', 1), ('LRN', 1), ('InstanceNorm', 2), ('L2Normalization', 1), ('sort', 1)]:
    describe(_name, hidden=_hidden)
for _name in 'LayerNorm', 'GroupNorm':
    describe(_name, hidden=lambda a: 0 if a.output_mean_var else 2)
describe('Pooling', hidden=lambda a: int(a.pool_type == 'max'))
describe('topk', hidden=lambda a: int(a.ret_typ == 'value'))
