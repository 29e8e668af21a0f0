"""Rates that fall while an agent learns."""

from __future__ import annotations


def linear_decay(initial: float, minimum: float, decay_steps: int, step: int) -> float:
    """initial - (initial - minimum) step / decay_steps, and no less than the minimum.

    Args:
        initial, minimum (float): where it begins and ends
        decay_steps (int): after how many steps it reaches the minimum
        step (int): the step

    Example:
        >>> linear_decay(0.5, 0.25, 100, 50), linear_decay(0.5, 0.25, 100, 1000)
        (0.375, 0.25)
    """
    return max(minimum, initial - (initial - minimum) * step / decay_steps)
