"""Exchange of values between models and toolkits: named variables are saved to a folder, loaded from it and
compared with it.

`crosstalk_cntk.instance` is for models of this package. A script for another toolkit derives from Crosstalk
and says by register_funcs how variables of its own are read and written.
"""

from .base import Crosstalk
from .kinds import Conv2DArgs, Conv2DAttr, EmbedAttr, RnnArgs, RnnAttr
