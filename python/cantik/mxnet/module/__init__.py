"""mx.mod: symbols with their parameters, trained and used."""

from ..inner_modules import add_inner as _add_inner
from .base import BaseModule
from .bucketing import BucketingModule
from .module import Module
from .python_module import PythonLossModule, PythonModule
from .sequential import SequentialModule

_add_inner(__name__)
