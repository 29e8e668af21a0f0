"""Spaces to try agents with. Tests of CNTK that lie in folders of this name are found as well, and first."""

from ....tests import beside_cntk

__path__ = beside_cntk(__path__, 'cntk.contrib.deeprl.tests')
