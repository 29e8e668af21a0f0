"""mx.init: first values of parameters, by the endings of their names."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from . import ndarray as nd
from .fused_weights import FusedWeights
from .ndarray import NDArray
from .registry import by_name

_registry, register, alias = by_name()


class InitDesc(str):
    """A parameter's name with the attributes of its variable."""

    def __new__(cls, name, attrs=None, global_init=None):
        made = super().__new__(cls, name)
        made.attrs, made.global_init = attrs or {}, global_init
        return made


def create(name: str | None, **kwargs: Any) -> Initializer:
    """An initializer from its name, or from what `dumps` gave."""
    if isinstance(name, Initializer):
        return name
    if not isinstance(name, str):
        raise AssertionError(f'initializer must be of string type, not {type(name).__name__}')
    if name.startswith('['):
        name, kwargs = json.loads(name)
    if name.lower() not in _registry:
        raise AssertionError(
            f'{name} is not registered. Please register with initializer.register first; there are '
            + ', '.join(sorted(_registry))
        )
    return _registry[name.lower()](**kwargs)


class Initializer:
    """Called with a name and an array, fills the array. Derived classes have _init_weight."""

    def __init__(self, **kwargs: Any):
        self._kwargs = kwargs

    def dumps(self) -> str:
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __eq__(self, other):
        return type(self) is type(other) and self._kwargs == other._kwargs

    __hash__ = object.__hash__

    def set_verbosity(self, verbose: bool = False, print_func: Any = None) -> Initializer:
        return self

    def __call__(self, desc: Any, arr: Any) -> None:
        if not isinstance(desc, InitDesc):
            desc = InitDesc(desc)
        if desc.global_init is None:
            desc.global_init = self
        own = desc.attrs.get('__init__', '')
        if own:
            create(own)._init_weight(desc, arr)
            return
        for endings, fill in self._by_name:
            if desc.endswith(endings):
                getattr(self, fill)(desc, arr)
                return
        self._init_default(desc, arr)

    _by_name = [
        ('weight', '_init_weight'),
        ('bias', '_init_bias'),
        ('gamma', '_init_gamma'),
        ('beta', '_init_beta'),
        ('min', '_init_zero'),
        ('max', '_init_one'),
        ('moving_mean', '_init_zero'),
        ('running_mean', '_init_zero'),
        ('moving_var', '_init_one'),
        ('running_var', '_init_one'),
        ('moving_inv_var', '_init_zero'),
        ('moving_avg', '_init_zero'),
    ]

    def _init_zero(self, _, arr):
        arr[:] = 0

    def _init_one(self, _, arr):
        arr[:] = 1

    _init_bias = _init_beta = _init_zero
    _init_gamma = _init_one

    def _init_weight(self, name, arr):
        raise NotImplementedError('Must override it')

    def _init_default(self, name, _):
        raise ValueError(
            f'Unknown initialization pattern for {name}. Default initialization is now limited to "weight", '
            '"bias", "gamma" (1.0), and "beta" (0.0).Please use '
            'mx.sym.Variable(init=mx.init.*) to set initialization pattern'
        )


@alias('zeros')
class Zero(Initializer):
    def __init__(self):
        super().__init__()

    def _init_weight(self, _, arr):
        arr[:] = 0

    _init_default = _init_weight


@alias('ones')
class One(Initializer):
    def __init__(self):
        super().__init__()

    def _init_weight(self, _, arr):
        arr[:] = 1

    _init_default = _init_weight


@register
class Constant(Initializer):
    def __init__(self, value: Any):
        super().__init__(
            value=value.asnumpy().tolist() if isinstance(value, NDArray) else np.asarray(value).tolist()
        )
        self.value = value

    def _init_weight(self, _, arr):
        arr[:] = self.value

    _init_default = _init_weight


@register
class Uniform(Initializer):
    """Uniform between -scale and scale."""

    def __init__(self, scale: float = 0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, _, arr):
        nd.random.uniform(-self.scale, self.scale, out=arr)


@register
class Normal(Initializer):
    """Normal around 0."""

    def __init__(self, sigma: float = 0.01):
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, _, arr):
        nd.random.normal(0, self.sigma, out=arr)


@register
class Xavier(Initializer):
    """Scaled by the number of inputs, outputs, or their mean (Glorot, Bengio 2010)."""

    def __init__(self, rnd_type: str = 'uniform', factor_type: str = 'avg', magnitude: float = 3):
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, float(magnitude)

    def _init_weight(self, name, arr):
        shape = arr.shape
        if len(shape) < 2:
            raise ValueError(
                f'Xavier initializer cannot be applied to vector {name}. It requires at least 2D.'
            )
        taps = math.prod(shape[2:])
        factors = {
            'avg': (shape[1] * taps + shape[0] * taps) / 2,
            'in': shape[1] * taps,
            'out': shape[0] * taps,
        }
        if self.factor_type not in factors:
            raise ValueError('Incorrect factor type')
        scale = math.sqrt(self.magnitude / factors[self.factor_type])
        if self.rnd_type == 'uniform':
            nd.random.uniform(-scale, scale, out=arr)
        elif self.rnd_type == 'gaussian':
            nd.random.normal(0, scale, out=arr)
        else:
            raise ValueError('Unknown random type')


@register
class MSRAPrelu(Xavier):
    """For leaky rectifiers (He et al. 2015)."""

    def __init__(self, factor_type: str = 'avg', slope: float = 0.25):
        super().__init__('gaussian', factor_type, 2.0 / (1 + slope**2))
        self._kwargs = {'factor_type': factor_type, 'slope': slope}


@register
class Orthogonal(Initializer):
    """Orthogonal rows, scaled (Saxe et al. 2013)."""

    def __init__(self, scale: float = 1.414, rand_type: str = 'uniform'):
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale, self.rand_type = scale, rand_type

    def _init_weight(self, _, arr):
        rows = arr.shape[0]
        columns = math.prod(arr.shape[1:])
        draw = (
            nd.random.uniform(-1, 1, (rows, columns))
            if self.rand_type == 'uniform'
            else nd.random.normal(0, 1, (rows, columns))
        )
        u, _, v = np.linalg.svd(draw.asnumpy(), full_matrices=False)
        arr[:] = (self.scale * (u if u.shape == (rows, columns) else v)).reshape(arr.shape)


@register
class Bilinear(Initializer):
    """Weights of a Deconvolution that interpolates."""

    def __init__(self):
        super().__init__()

    def _init_weight(self, _, arr):
        size = arr.shape[3]
        f = math.ceil(size / 2)
        centre = (2 * f - 1 - f % 2) / (2 * f)
        line = 1 - np.abs(np.arange(size) / f - centre)
        rows = 1 - np.abs(np.arange(arr.shape[2]) / f - centre)
        arr[:] = np.broadcast_to(np.outer(rows, line), arr.shape)


@register
class LSTMBias(Initializer):
    """0, and forget_bias for the forget gate, the second quarter."""

    def __init__(self, forget_bias: float = 1.0):
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, _, arr):
        arr[:] = 0
        quarter = arr.shape[0] // 4
        arr[quarter : 2 * quarter] = self.forget_bias

    _init_bias = _init_default = _init_weight


@register
class FusedRNN(Initializer):
    """The weights of the operator RNN, gate by gate: by `init`, without one by the initializer of the other
    parameters; an LSTM's forget gates have biases of their own."""

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: Any,
        mode: Any,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ):
        self._init = create(init) if isinstance(init, str) else init
        super().__init__(
            init=None if self._init is None else self._init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )

    def _init_weight(self, desc, arr):
        sizes = (self._kwargs[k] for k in ('num_hidden', 'num_layers', 'mode', 'bidirectional'))
        vector = FusedWeights(*sizes, prefix='')
        weights = vector.unpacked(arr)
        for name, weight in weights.items():
            if self._kwargs['mode'] == 'lstm' and name.endswith('_f_bias'):
                weight[:] = self._kwargs['forget_bias']
            else:
                (self._init or desc.global_init)(InitDesc(name, global_init=desc.global_init), weight)
        arr[:] = vector.packed(weights)


@register
class Mixed:
    """The initializer whose pattern is found first in a name."""

    def __init__(self, patterns: Any, initializers: Any):
        if len(patterns) != len(initializers):
            raise AssertionError('as many initializers as patterns are needed')
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers)]

    def __call__(self, name: str | None, arr: Any) -> None:
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ValueError(
            f'Parameter name {name} did not match any pattern. Consider adding a ".*" pattern at the end '
            'with default Initializer.'
        )


@register
class Load:
    """Values from a file or a dictionary; others by default_init."""

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False):
        param = nd.load(param) if isinstance(param, str) else param
        self.param = {n[4:] if n.startswith(('arg:', 'aux:')) else n: v for n, v in param.items()}
        self.default_init = default_init

    def __call__(self, name: str | None, arr: Any) -> None:
        if name in self.param:
            if arr.shape != self.param[name].shape:
                raise AssertionError(
                    f'Parameter {name} cannot be initialized from loading. Shape mismatch, target '
                    f'{arr.shape} vs loaded {self.param[name].shape}'
                )
            arr[:] = self.param[name]
        elif self.default_init is None:
            raise AssertionError(
                f'Cannot Initialize {name}. Not found in loaded param and no default Initializer is provided.'
            )
        else:
            self.default_init(name, arr)
