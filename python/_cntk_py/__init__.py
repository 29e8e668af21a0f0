"""The name of CNTK's own binding, for programs that import it: cantik.cntk_py."""

import sys

import cntk

sys.modules[__name__] = cntk.cntk_py
