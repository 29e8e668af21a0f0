"""Attention. Recurrences are not there yet, see docs/status.md."""
from ...default_options import default_override_or
from ...initializer import glorot_uniform
from ...internal.waiting import not_there

__all__ = ['AttentionModel']


def AttentionModel(attention_dim, attention_span=None, attention_axis=None, init=default_override_or(glorot_uniform()), go_backwards=default_override_or(False),
                   enable_self_stabilization=default_override_or(True), name=''):
    """Attention over a sequence (Bahdanau et al. 2015). Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.AttentionModel')
