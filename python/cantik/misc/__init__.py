"""Converters of networks."""

from .converter import convert as convert
from .optimized_rnnstack_converter import convert_optimized_rnnstack as convert_optimized_rnnstack
