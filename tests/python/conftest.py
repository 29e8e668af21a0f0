"""The package that is tested: of PYTHONPATH or the environment, else that of the build folder."""
import sys
from pathlib import Path

try:
    import cantik
except ModuleNotFoundError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'build' / 'release' / 'python'))
