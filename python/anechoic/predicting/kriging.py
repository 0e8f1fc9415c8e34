"""Values between measured ones, and how far off they may be.

Kriging (G. Matheron 1963; C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine
Learning", 2006, chapters 2, 4 and 5): what a closed form leaves of the logarithm of a quantity is
taken for a Gaussian process with Matérn's covariance 5/2 and a length for each factor.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

Floats = NDArray[numpy.float64]


@dataclass(frozen=True)
class Covariance:
    """How alike two points are: of each feature the length over which that fades."""

    lengths: Floats
    noise: float
    """Variance of a measurement, in those of the process."""

    def between(self, one: Floats, other: Floats) -> Floats:
        """Give it for each point of one and each of the other."""
        one, other = one / self.lengths, other / self.lengths
        squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
        far = numpy.sqrt(5 * numpy.maximum(squares, 0.0))
        return numpy.asarray((1 + far + far * far / 3) * numpy.exp(-far))


@dataclass(frozen=True)
class Fitted:
    """What is known of a quantity: points, their weights, how far off each is without itself."""

    covariance: Covariance
    points: Floats
    weights: Floats
    misses: Floats
    mean: float

    def at(self, points: Floats) -> tuple[Floats, Floats]:
        """Give the value at each point and the half-width of its 95 % interval.

        The half-width is what 95 % of the points around miss by no more than that when they are
        left out, each counted by its covariance: no normal distribution, as some cells collapse.
        """
        alike = self.covariance.between(points, self.points)
        order = numpy.argsort(numpy.abs(self.misses))
        near = (alike**NEAR + 1e-12)[:, order].cumsum(axis=1)
        enough = (near < 0.95 * near[:, -1:]).sum(axis=1)
        return self.mean + alike @ self.weights, numpy.abs(self.misses)[order[enough]]


def fit(points: Floats, values: Floats, few: int = 700) -> Fitted:
    """Fit lengths and noise to so few of the points by their likelihood; take in all of them.

    A value that is apart, such as of a cell that collapsed, is taken for no more than `APART` off
    the middle: it would bend what is said of all around it. The misses count it in full.
    """
    # What is asked about has been fitted before: a prediction need not wait for SciPy.
    from scipy.linalg import cho_solve

    mean = float(numpy.median(values))
    held = numpy.clip(values - mean, -APART, APART)
    covariance = _likeliest(points[:few], held[:few])
    factor, inverse = _inverse(covariance, points)
    weights = cho_solve(factor, held)
    # Rasmussen and Williams, equation 5.12: each value without itself.
    misses = weights / numpy.diag(inverse) + (values - mean - held)
    return Fitted(covariance, points, weights, misses, mean)


NEAR = 4
"""How sharply what lies around is told from what does not: the power of the covariance by which a
point's miss counts (inferred; held-out scenarios show whether intervals hold what they should)."""
APART = 0.7
"""Twice as much or half as much, in logarithms (inferred)."""


def _inverse(covariance: Covariance, points: Floats) -> tuple[Any, Floats]:
    from scipy.linalg import cho_factor, cho_solve

    own = covariance.between(points, points) + covariance.noise * numpy.eye(len(points))
    factor = cho_factor(own, lower=True)
    return factor, cho_solve(factor, numpy.eye(len(points)))


def _likeliest(points: Floats, values: Floats) -> Covariance:
    """Find the lengths and the noise under which the values are likeliest (equation 5.8)."""
    from scipy.linalg import cho_factor, cho_solve

    def unlikely(logs: Floats) -> float:
        covariance = Covariance(numpy.exp(logs[:-1]), float(numpy.exp(logs[-1])))
        own = covariance.between(points, points) + covariance.noise * numpy.eye(len(points))
        factor = cho_factor(own, lower=True)
        scale = values @ cho_solve(factor, values) / len(values)
        return float(2 * numpy.log(numpy.diag(factor[0])).sum() + len(values) * numpy.log(scale))

    begin = numpy.append(numpy.log(numpy.ones(points.shape[1])), numpy.log(0.05))
    bounds = [*[(-2.0, 4.0)] * points.shape[1], (-3.0, 1.0)]
    found = _descend(unlikely, begin, bounds)
    return Covariance(numpy.exp(found[:-1]), float(numpy.exp(found[-1])))


def _descend(
    function: Callable[[Floats], float], begin: Floats, bounds: list[tuple[float, float]]
) -> Floats:
    from scipy.optimize import minimize

    found = minimize(
        function, begin, method="L-BFGS-B", bounds=bounds, options={"maxiter": 40, "eps": 1e-4}
    )
    return numpy.asarray(found.x)
