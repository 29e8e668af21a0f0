"""mx.mod: symbols with their parameters, trained and used."""

from .base import BaseModule
from .bucketing import BucketingModule
from .module import Module
from .python_module import PythonLossModule, PythonModule
from .sequential import SequentialModule
