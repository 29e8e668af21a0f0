"""Helpers for tests of operators. Tests of CNTK in folders of this name are found as well, and first."""

from ...tests import beside_cntk

__path__ = beside_cntk(__path__, 'cntk.ops.tests')
