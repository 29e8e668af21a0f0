// What the library brings: the operators of its files, by name.
#include <cantik/op.h>

CANTIK_LIBRARY(swish, running_sum, rms_norm, sum_pool, lagged, user_times)
