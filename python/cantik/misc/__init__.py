"""Converters of networks."""
from .converter import convert
from .optimized_rnnstack_converter import convert_optimized_rnnstack
