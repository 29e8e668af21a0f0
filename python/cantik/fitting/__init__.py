"""Training in one call: fit, predict, score, and what they give back."""

from .history import History as History
from .loop import fit as fit
from .prediction import predict as predict, score as score
from .seeds import set_seed as set_seed
