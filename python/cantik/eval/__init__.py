"""Evaluation of models."""

from .evaluator import Evaluator as Evaluator
