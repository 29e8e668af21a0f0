"""custom_op: MXNet's CustomOp through cantik.mxnet."""

from custom_op_calls import measure
from timing import arguments, cantik_with

args = arguments()
cantik_with(args.threads)
import cantik.mxnet as mx

measure(mx, args)
