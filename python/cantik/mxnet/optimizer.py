"""mx.optimizer: how gradients change parameters. The arithmetic is in operators (sgd_update and its like)."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .inner_modules import add_inner as _add_inner
from . import ndarray as nd
from .base import literal, missing
from .optimizer_states import read_states, write_states

if TYPE_CHECKING:
    from ..mxnet.ndarray.array import NDArray
    from ..mxnet.symbol.symbol import Symbol


class Optimizer:
    """Counts updates, knows the rates of each parameter. Derived classes have create_state(index, weight) and
    update(index, weight, grad, state)."""

    opt_registry = {}

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Any = None,
        wd: float = 0.0,
        clip_gradient: Any = None,
        learning_rate: Any = None,
        lr_scheduler: Any = None,
        sym: Symbol | None = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Any = None,
    ):
        self.rescale_grad, self.clip_gradient, self.wd, self.lr_scheduler = (
            rescale_grad,
            clip_gradient,
            wd,
            lr_scheduler,
        )
        self.lr = 0.01 if learning_rate is None and lr_scheduler is None else learning_rate
        if lr_scheduler is not None and learning_rate is not None:
            if lr_scheduler.base_lr != learning_rate:
                warnings.warn(
                    'learning rate from ``lr_scheduler`` has been overwritten by ``learning_rate`` in '
                    'optimizer.',
                    stacklevel=3,
                )
            lr_scheduler.base_lr = learning_rate
        self.lr_mult, self.wd_mult = {}, {}
        self.begin_num_update = self.num_update = begin_num_update
        self._index_update_count = {}
        self.multi_precision = multi_precision
        if param_idx2name is not None and not isinstance(param_idx2name, dict):
            raise AssertionError('param_idx2name should be a dict of param indexes to names.')
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = (sym.attr_dict(), sym.list_arguments()) if sym is not None else ()
        self.param_dict = param_dict or {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    @staticmethod
    def register(klass: Any) -> Any:
        Optimizer.opt_registry[klass.__name__.lower()] = klass
        return klass

    @staticmethod
    def create_optimizer(name: str | None, **kwargs: Any) -> Any:
        if name.lower() in Optimizer.opt_registry:
            return Optimizer.opt_registry[name.lower()](**kwargs)
        raise ValueError(f'Cannot find optimizer {name}')

    @property
    def learning_rate(self) -> float:
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        if self.lr_scheduler is not None:
            raise UserWarning(
                'LRScheduler of the optimizer has already been defined. Note that set_learning_rate can '
                'mutate the value of the learning rate of the optimizer only '
                'when the LRScheduler of the optimizer is undefined.'
            )
        self.lr = lr

    def create_state(self, index: Any, weight: NDArray) -> None:
        return None

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """The state of a parameter: of one of half precision also the parameter itself in float32, if that is
        asked for."""
        if self._is_half(weight):
            if self.multi_precision:
                master = weight.astype(np.float32)
                return self._paired(master, self.create_state(index, master))
            warnings.warn(
                'Accumulating with float16 in optimizer can lead to poor accuracy or slow convergence. '
                'Consider using multi_precision=True option of the optimizer',
                stacklevel=2,
            )
        return self.create_state(index, weight)

    @staticmethod
    def _is_half(weight):
        return weight.dtype == np.float16

    def _paired(self, master, state):
        return master, state

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> Any:
        raise NotImplementedError('an Optimizer has to overwrite update')

    def update_multi_precision(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        if not (self.multi_precision and self._is_half(weight)):
            self.update(index, weight, grad, state)
            return
        master, own = self._paired(*state)
        self.update(index, master, grad.astype(np.float32), own)
        weight[:] = master.astype(np.float16)

    def _from_symbol(self, key):
        attrs, arguments = self.sym_info or ({}, [])
        return {n: float(literal(attrs[n][key])) for n in arguments if key in attrs.get(n, {})}

    def set_lr_mult(self, args_lr_mult: Any) -> None:
        self.lr_mult = {**self._from_symbol('__lr_mult__'), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Any) -> None:
        """Decay of weights and gammas only, unless said otherwise."""
        names = self.idx2name.values()
        self.wd_mult = {
            **{n: 0.0 for n in names if not n.endswith(('_weight', '_gamma'))},
            **self._from_symbol('__wd_mult__'),
            **args_wd_mult,
        }

    def _update_count(self, index):
        for i in index if isinstance(index, (list, tuple)) else [index]:
            self._index_update_count[i] = self._index_update_count.get(i, self.begin_num_update) + 1
            self.num_update = max(self._index_update_count[i], self.num_update)

    def _multiplied(self, rate, multipliers, index):
        return rate * multipliers.get(index, multipliers.get(self.idx2name.get(index), 1.0))

    def _get_lr(self, index):
        return self._multiplied(self.learning_rate, self.lr_mult, index)

    def _get_wd(self, index):
        return self._multiplied(self.wd, self.wd_mult, index)

    def _rates(self, index):
        """Counts the update, gives what update operators take."""
        self._update_count(index)
        return {
            'lr': self._get_lr(index),
            'wd': self._get_wd(index),
            'rescale_grad': self.rescale_grad,
            'clip_gradient': self.clip_gradient or -1.0,
        }

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != 'sym_info'}

    def __setstate__(self, state):
        self.__dict__ = {'sym_info': (), **state}


register = Optimizer.register


def create(name: str | None, **kwargs: Any) -> Any:
    return Optimizer.create_optimizer(name, **kwargs)


def zeros_like(weight: NDArray) -> NDArray:
    return nd.zeros(weight.shape, weight.context, dtype=weight.dtype)


class _MasterLast(Optimizer):
    """The parameter in float32 stands behind the state, in files too."""

    def _paired(self, state, master):
        return master, state


@register
class SGD(_MasterLast):
    """Stochastic gradient descent, with momentum."""

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any):
        super().__init__(**kwargs)
        self.momentum, self.lazy_update = momentum, lazy_update

    def create_state(self, index: Any, weight: NDArray) -> NDArray | None:
        return zeros_like(weight) if self.momentum else None

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        if state is None:
            nd.sgd_update(weight, grad, out=weight, **rates)
        else:
            nd.sgd_mom_update(weight, grad, state, out=weight, momentum=self.momentum, **rates)


@register
class NAG(SGD):
    """Nesterov's accelerated gradient."""

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        if state is None:
            nd.sgd_update(weight, grad, out=weight, **rates)
        else:
            nd.nag_mom_update(weight, grad, state, out=weight, momentum=self.momentum, **rates)


@register
class Signum(Optimizer):
    """The sign of the momentum."""

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum, self.wd_lh = momentum, wd_lh

    def create_state(self, index: Any, weight: NDArray) -> NDArray | None:
        return zeros_like(weight) if self.momentum else None

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        if state is None:
            nd.signsgd_update(weight, grad, out=weight, **rates)
        else:
            nd.signum_update(
                weight, grad, state, out=weight, momentum=self.momentum, wd_lh=self.wd_lh, **rates
            )


@register
class Adam(Optimizer):
    """Adam (Kingma, Ba 2014)."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon, self.lazy_update = beta1, beta2, epsilon, lazy_update

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        t = self._index_update_count[index]
        rates['lr'] *= math.sqrt(1 - self.beta2**t) / (1 - self.beta1**t)
        nd.adam_update(
            weight,
            grad,
            *state,
            out=weight,
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
            **rates,
        )


@register
class RMSProp(Optimizer):
    """RMSProp; centered: Graves' form, with momentum gamma2."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: Any = None,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1, self.gamma2, self.epsilon, self.centered, self.clip_weights = (
            gamma1,
            gamma2,
            epsilon,
            centered,
            clip_weights,
        )

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return tuple(zeros_like(weight) for _ in range(3 if self.centered else 1))

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        more = {
            'gamma1': self.gamma1,
            'epsilon': self.epsilon,
            'clip_weights': self.clip_weights or -1.0,
            **self._rates(index),
        }
        if self.centered:
            nd.rmspropalex_update(weight, grad, *state, out=weight, gamma2=self.gamma2, **more)
        else:
            nd.rmsprop_update(weight, grad, *state, out=weight, **more)


@register
class Ftrl(Optimizer):
    """Follow the regularized leader."""

    def __init__(self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1, self.beta = lamda1, beta

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        nd.ftrl_update(
            weight, grad, *state, out=weight, lamda1=self.lamda1, beta=self.beta, **self._rates(index)
        )


class _Composed(Optimizer):
    """Optimizers written in operators on arrays."""

    def _gradient(self, grad, rates):
        grad = grad * rates['rescale_grad']
        return nd.clip(grad, -self.clip_gradient, self.clip_gradient) if self.clip_gradient else grad


@register
class AdaGrad(_Composed):
    """AdaGrad (Duchi et al. 2011)."""

    def __init__(self, eps: float = 1e-7, **kwargs: Any):
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> NDArray:
        return zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        grad = self._gradient(grad, rates)
        state[:] = state + nd.square(grad)
        weight[:] = (
            weight - (grad / nd.sqrt(state + self.float_stable_eps) + weight * rates['wd']) * rates['lr']
        )


@register
class AdaDelta(_Composed):
    """AdaDelta (Zeiler 2012)."""

    def __init__(self, rho: float = 0.9, epsilon: float = 1e-5, **kwargs: Any):
        super().__init__(**kwargs)
        self.rho, self.epsilon = rho, epsilon

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        grad = self._gradient(grad, rates)
        squares, steps = state
        squares[:] = squares * self.rho + nd.square(grad) * (1 - self.rho)
        step = nd.sqrt(steps + self.epsilon) / nd.sqrt(squares + self.epsilon) * grad
        steps[:] = steps * self.rho + nd.square(step) * (1 - self.rho)
        weight[:] = weight - step - weight * rates['wd']


@register
class Adamax(_Composed):
    """Adam with the largest gradient (Kingma, Ba 2014)."""

    def __init__(self, learning_rate: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, **kwargs: Any):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2 = beta1, beta2

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        lr = rates['lr'] / (1 - self.beta1 ** self._index_update_count[index])
        grad = grad * rates['rescale_grad'] + weight * rates['wd']
        if self.clip_gradient:
            grad = nd.clip(grad, -self.clip_gradient, self.clip_gradient)
        mean, most = state
        mean[:] = mean * self.beta1 + grad * (1 - self.beta1)
        most[:] = nd.maximum(most * self.beta2, nd.abs(grad))
        weight[:] = weight - mean / (most + 1e-8) * lr


@register
class Nadam(_Composed):
    """Adam with Nesterov's momentum (Dozat 2016)."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon, self.schedule_decay = beta1, beta2, epsilon, schedule_decay
        self.m_schedule = 1.0

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        t = self._index_update_count[index]
        grad = grad * rates['rescale_grad'] + weight * rates['wd']
        if self.clip_gradient:
            grad = nd.clip(grad, -self.clip_gradient, self.clip_gradient)
        now, then = (self.beta1 * (1 - 0.5 * 0.96 ** (k * self.schedule_decay)) for k in (t, t + 1))
        self.m_schedule *= now
        mean, var = state
        mean[:] = mean * self.beta1 + grad * (1 - self.beta1)
        var[:] = var * self.beta2 + nd.square(grad) * (1 - self.beta2)
        step = grad * ((1 - now) / (1 - self.m_schedule)) + mean * (then / (1 - self.m_schedule * then))
        weight[:] = weight - step * rates['lr'] / (nd.sqrt(var / (1 - self.beta2**t)) + self.epsilon)


@register
class FTML(Optimizer):
    """Follow the moving leader (Zheng, Kwok 2017)."""

    def __init__(self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any):
        super().__init__(**kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return tuple(zeros_like(weight) for _ in range(3))

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        nd.ftml_update(
            weight,
            grad,
            *state,
            out=weight,
            lr=rates['lr'],
            wd=rates['wd'],
            rescale_grad=rates['rescale_grad'],
            clip_grad=rates['clip_gradient'],
            t=self._index_update_count[index],
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
        )


@register
class SGLD(_Composed):
    """Langevin dynamics: half a step down and a random one (Welling, Teh 2011)."""

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        noise = nd.random.normal(0, math.sqrt(rates['lr']), shape=weight.shape, dtype=weight.dtype)
        weight[:] = weight - (self._gradient(grad, rates) + weight * rates['wd']) * (rates['lr'] / 2) + noise


@register
class DCASGD(_Composed):
    """Delays are compensated by the square of the gradient (Zheng et al. 2016)."""

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any):
        super().__init__(**kwargs)
        self.momentum, self.lamda, self.weight_previous = momentum, lamda, {}

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight) if self.momentum else None, weight.copy()

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        grad = self._gradient(grad, rates)
        moment, before = state
        step = (grad + weight * rates['wd'] + nd.square(grad) * (weight - before) * self.lamda) * -rates['lr']
        if moment is not None:
            moment[:] = moment * self.momentum + step
            step = moment
        before[:] = weight
        weight[:] = weight + step


@register
class LAMB(Optimizer):
    """Adam whose step is as long as the layer's weights (You et al. 2019)."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: Any = None,
        upper_bound: Any = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon, self.bias_correction = beta1, beta2, epsilon, bias_correction
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def create_state(self, index: Any, weight: NDArray) -> tuple[Any, ...]:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        lr = rates.pop('lr')
        step = nd.lamb_update_phase1(
            weight,
            grad,
            *state,
            t=self._index_update_count[index],
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
            bias_correction=self.bias_correction,
            **rates,
        )
        nd.lamb_update_phase2(
            weight,
            step,
            weight.norm(),
            step.norm(),
            out=weight,
            lr=lr,
            lower_bound=self.lower_bound or -1.0,
            upper_bound=self.upper_bound or -1.0,
        )


@register
class LARS(SGD):
    """SGD whose rate follows the ratio of a layer's weights to its gradients (You et al. 2017); not of
    biases, gammas and betas."""

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ):
        super().__init__(momentum, lazy_update, **kwargs)
        self.eta, self.eps, self.momentum_correction = eta, eps, momentum_correction
        self._rate = None  # of the last update, before the layer's own factor

    def _layer(self, index, rates, weight, grad):
        if str(self.idx2name.get(index, index)).endswith(('gamma', 'beta', 'bias')):
            return 1.0
        size, slope = (float(x.norm().asscalar()) for x in (weight, grad))
        slope *= self.rescale_grad
        return self.eta * size / (slope + rates['wd'] * size + self.eps) if size > 0 and slope > 0 else 1.0

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        rates = self._rates(index)
        before, self._rate = self._rate, self.learning_rate
        momentum = (
            self.momentum * self._rate / before if self.momentum_correction and before else self.momentum
        )
        rates['lr'] *= self._layer(index, rates, weight, grad)
        if state is None:
            nd.sgd_update(weight, grad, out=weight, **rates)
        else:
            nd.sgd_mom_update(weight, grad, state, out=weight, momentum=momentum, **rates)


@register
class ccSGD(SGD):
    """SGD under its former name."""


@register
class Test(Optimizer):
    """Adds the gradient up; for tests of the machinery around optimizers."""

    def create_state(self, index: Any, weight: NDArray) -> NDArray:
        return zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        weight[:] = weight + grad * self.rescale_grad
        state[:] = weight


class Updater:
    """Keeps each parameter's state for an optimizer."""

    def __init__(self, optimizer: Any):
        self.optimizer, self.states = optimizer, {}

    def __call__(self, index: Any, grad: NDArray, weight: NDArray) -> None:
        """Of one parameter, or of lists of them."""
        if isinstance(index, (list, tuple)):
            for i, g, w in zip(index, grad, weight):
                self(i, g, w)
            return
        if index not in self.states:
            self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
        self.optimizer.update_multi_precision(index, weight, grad, self.states[index])

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """The states as bytes of MXNet's format."""
        if dump_optimizer:
            missing(
                'a file with an optimizer in it (get_states(dump_optimizer=True)): the program makes its '
                'optimizer, files keep numbers'
            )
        return write_states(self.states)

    def set_states(self, states: Any) -> None:
        """States that get_states has written, here or in MXNet."""
        self.states = read_states(states)


def get_updater(optimizer: Any) -> Updater:
    return Updater(optimizer)


_add_inner(__name__)
