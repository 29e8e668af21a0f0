"""mx.rnn: recurrent networks unrolled step by step, or as the one operator RNN; batches of sentences by their
lengths."""

from typing import Any as _Any

from ..inner_modules import add_inner as _add_inner
from .cells import BaseRNNCell, GRUCell, LSTMCell, RNNCell, RNNParams
from .checkpoints import do_rnn_checkpoint, load_rnn_checkpoint, rnn_unroll, save_rnn_checkpoint
from .fused import FusedRNNCell
from .modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from .sentences import BucketSentenceIter, encode_sentences
from .stacks import BidirectionalCell, SequentialRNNCell


def __getattr__(name) -> _Any:
    if name in ('BaseConvRNNCell', 'ConvRNNCell', 'ConvLSTMCell', 'ConvGRUCell'):
        raise AttributeError(
            f"mxnet.rnn.{name} is not there in Cantik's MXNet layer; docs/mxnet.md lists what is"
        )
    raise AttributeError(f"module 'mxnet.rnn' has no attribute '{name}'")


_add_inner(__name__)
