"""mx.executor: what `bind` gives."""

from .symbol.executor import Executor as Executor
