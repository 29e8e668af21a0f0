"""Smaller and faster networks: convolutions of bits, factored dense layers."""

from __future__ import annotations


from ... import _cantik, ops as ops
from . import (
    custom_convolution_ops as custom_convolution_ops,
    factorization as factorization,
    quantization as quantization,
)

native_convolve_function_registered = False


def try_register_native_convolve_function() -> None:
    """Registers the native convolution of bits under CNTK's name for it, NativeBinaryConvolveFunction, unless
    it is there. It is built in.

    Example:
        >>> import cantik as C
        >>> C.contrib.netopt.try_register_native_convolve_function()
        >>> C.contrib.netopt.native_convolve_function_registered
        True
    """
    global native_convolve_function_registered
    if not _cantik.is_native_user_function_registered('NativeBinaryConvolveFunction'):
        ops.register_native_user_function(
            'NativeBinaryConvolveFunction', 'Cntk.BinaryConvolution', 'CreateBinaryConvolveFunction'
        )
    native_convolve_function_registered = True


try_register_native_convolve_function()
