"""mx.lr_scheduler: learning rates by the number of updates."""

from __future__ import annotations

import logging
import math
from typing import Any


class LRScheduler:
    """Called with the number of updates, gives the learning rate. In the first warmup_steps it rises from
    warmup_begin_lr to base_lr."""

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: float = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = 'linear',
    ):
        if warmup_begin_lr > base_lr:
            raise ValueError('Base lr has to be higher than warmup_begin_lr')
        if warmup_steps < 0:
            raise ValueError('Warmup steps has to be positive or 0')
        if warmup_mode not in ('linear', 'constant'):
            raise ValueError('Supports only linear and constant modes of warmup')
        self.base_lr, self.warmup_steps, self.warmup_begin_lr, self.warmup_mode = (
            base_lr,
            warmup_steps,
            warmup_begin_lr,
            warmup_mode,
        )
        self.warmup_final_lr = base_lr

    def get_warmup_lr(self, num_update: int) -> float:
        if self.warmup_mode == 'constant':
            return self.warmup_begin_lr
        return (
            self.warmup_begin_lr
            + (self.warmup_final_lr - self.warmup_begin_lr) * num_update / self.warmup_steps
        )

    def __call__(self, num_update: int) -> float:
        return self.get_warmup_lr(num_update) if num_update < self.warmup_steps else self.after(num_update)

    def after(self, num_update: int) -> Any:
        raise NotImplementedError('must override this')


def _tell(num_update, rate):
    logging.info('Update[%d]: Change learning rate to %0.5e', num_update, rate)


class FactorScheduler(LRScheduler):
    """Every `step` updates the rate is multiplied by `factor`, down to stop_factor_lr."""

    def __init__(
        self,
        step: Any,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: float = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = 'linear',
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if step < 1:
            raise ValueError('Schedule step must be greater or equal than 1 round')
        if factor > 1.0:
            raise ValueError('Factor must be no more than 1 to make lr reduce')
        self.step, self.factor, self.stop_factor_lr, self.count = step, factor, stop_factor_lr, 0

    def after(self, num_update: int) -> float:
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr *= self.factor
            if self.base_lr < self.stop_factor_lr:
                self.base_lr = self.stop_factor_lr
                logging.info(
                    'Update[%d]: now learning rate arrived at %0.5e, will not change in the future',
                    num_update,
                    self.base_lr,
                )
            else:
                _tell(num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Behind each of the given numbers of updates the rate is multiplied by `factor`."""

    def __init__(
        self,
        step: Any,
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: float = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = 'linear',
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(step, list) or not step:
            raise AssertionError('step is a list of at least one number of updates')
        if any(b <= a for a, b in zip(step, step[1:])):
            raise ValueError('Schedule step must be an increasing integer list')
        if step[0] < 1:
            raise ValueError('Schedule step must be greater or equal than 1 round')
        self.step, self.factor, self.cur_step_ind, self.count = list(step), factor, 0, 0

    def after(self, num_update: int) -> float | int:
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            _tell(num_update, self.base_lr)
        return self.base_lr


class PolyScheduler(LRScheduler):
    """From base_lr to final_lr at max_update along a power."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: float = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = 'linear',
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if max_update < 1:
            raise ValueError('maximum number of updates must be strictly positive')
        self.power, self.base_lr_orig, self.max_update, self.final_lr = pwr, base_lr, max_update, final_lr
        self.max_steps = max_update - warmup_steps

    def after(self, num_update: int) -> Any:
        if num_update <= self.max_update:
            self.base_lr = (
                self.final_lr
                + (self.base_lr_orig - self.final_lr)
                * (1 - (num_update - self.warmup_steps) / self.max_steps) ** self.power
            )
        return self.base_lr


class CosineScheduler(LRScheduler):
    """From base_lr to final_lr at max_update along half a cosine."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: float = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = 'linear',
    ):
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if max_update < 1:
            raise ValueError('maximum number of updates must be strictly positive')
        self.base_lr_orig, self.max_update, self.final_lr = base_lr, max_update, final_lr
        self.max_steps = max_update - warmup_steps

    def after(self, num_update: int) -> float:
        if num_update <= self.max_update:
            self.base_lr = (
                self.final_lr
                + (self.base_lr_orig - self.final_lr)
                * (1 + math.cos(math.pi * (num_update - self.warmup_steps) / self.max_steps))
                / 2
            )
        return self.base_lr
