"""Configuration files, and names in them."""

from . import format, globalconf
