"""Which learning rate to take: a short training whose rate grows shows it."""

from ._generated import find_learning_rate as find_learning_rate
from ._rate_curve import RateCurve as RateCurve

__all__ = ['RateCurve', 'find_learning_rate']
