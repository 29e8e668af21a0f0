"""Whether random numbers have the distribution that they should have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def gen_buckets_probs_with_ppf(ppf: Any, nbuckets: Any) -> Any:
    """Buckets of equal probability, from the inverse of a distribution function."""
    if nbuckets <= 0:
        raise AssertionError('at least one bucket is needed')
    limits = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(zip(limits[:-1], limits[1:])), [1.0 / nbuckets] * nbuckets


def mean_check(generator: Any, mu: Any, sigma: float, nsamples: float = 1000000) -> bool:
    """Whether the mean of generator(nsamples) is within three of its standard deviations of mu."""
    return bool(abs(np.array(generator(nsamples)).mean() - mu) < 3 * sigma / math.sqrt(nsamples))


def var_check(generator: Any, sigma: float, nsamples: float = 1000000) -> bool:
    """Whether the variance of generator(nsamples) is within three of its standard deviations of sigma^2, for
    normal numbers."""
    return bool(
        abs(np.array(generator(nsamples)).var(ddof=1) - sigma**2)
        < 3 * math.sqrt(2 * sigma**4 / (nsamples - 1))
    )


def _above(statistic, freedom):
    """The probability that a chi-square number is larger: the regularized incomplete gamma function Q(freedom
    / 2, statistic / 2)."""
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:  # by its series
        term = total = 1 / a
        k = a
        while abs(term) > 1e-15 * abs(total):
            k += 1
            term *= x / k
            total += term
        return 1 - total * scale
    tiny = 1e-300  # by its continued fraction (Lentz)
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    made = d
    for i in range(1, 10000):
        part = -i * (i - a)
        b += 2
        d, c = 1 / (part * d + b or tiny), b + part / c or tiny
        made *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return made * scale


def chi_square_check(generator: Any, buckets: Any, probs: Any, nsamples: float = 1000000) -> Any:
    """The p-value of the chi-square test, and the counts found and expected. Buckets are pairs of limits, or
    whole numbers."""
    samples = np.array(generator(nsamples)).ravel()
    if isinstance(buckets[0], (list, tuple)):
        limits = [buckets[0][0]] + [b for _, b in buckets]
        found = (
            np.histogram(samples, np.array(limits, float))[0]
            if np.isfinite(limits).all()
            else np.array([((samples >= low) & (samples < high)).sum() for low, high in buckets])
        )
    else:
        found = np.array([(samples == b).sum() for b in buckets])
    expected = np.asarray(probs) * nsamples
    statistic = float(((found - expected) ** 2 / expected).sum())
    return _above(statistic, len(buckets) - 1), found, expected.astype(np.int64)


def verify_generator(
    generator: Any,
    buckets: Any,
    probs: Any,
    nsamples: float = 1000000,
    nrepeat: float = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> Any:
    """That a share of chi-square tests does not refuse the generator; their p-values."""
    found = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values = [p for p, _, _ in found]
    if sum(p > alpha for p in values) < nrepeat * success_rate:
        raise AssertionError(
            f'Generator test fails, Chi-square p={values}, obs_freq={[o for _, o, _ in found]}, '
            f'expected_freq={[e for _, _, e in found]}.\nbuckets={buckets}, probs={probs}'
        )
    return values
