"""Helpers for tests. Tests of CNTK that lie in folders of this name are found as well, and first."""
import pkgutil

__path__ = [p for p in pkgutil.extend_path(__path__, 'cntk.tests') if p not in __path__] + list(__path__)
