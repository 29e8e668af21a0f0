"""What a type checker is to refuse: a line for each error."""

import cntk as C

C.relu()  # no operand
C.no_such_operator(1)  # no such name
C.transpose(C.input_variable((2, 3)), perm=1.5)  # an axis is not a float
C.Axis(name=3)  # a name is a text
