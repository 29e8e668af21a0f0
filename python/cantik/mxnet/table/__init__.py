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

# MXNet refuses whole numbers here: rounded after each of these, results would say nothing.
for _name in (
    'Activation BatchNorm BilinearSampler CTCLoss Convolution Deconvolution Dropout FullyConnected '
    'GridGenerator GroupNorm InstanceNorm L2Normalization LRN LayerNorm LeakyReLU '
    'LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput MakeLoss Pooling RNN SVMOutput '
    'SoftmaxActivation SoftmaxOutput SpatialTransformer UpSampling _linalg_det _linalg_gelqf '
    '_linalg_gemm _linalg_gemm2 _linalg_inverse _linalg_potrf _linalg_potri _linalg_slogdet '
    '_linalg_sumlogdiag _linalg_syevd _linalg_syrk _linalg_trmm _linalg_trsm _sample_multinomial '
    'hard_sigmoid log_softmax softmax softmax_cross_entropy softmin'
).split():
    describe(_name, floating=True)
