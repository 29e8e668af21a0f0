"""Models made of layers."""

from .attention import AttentionModel as AttentionModel
