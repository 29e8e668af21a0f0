// What the library brings: the operators of its files, by name.
#include <cantik/op.h>

CANTIK_LIBRARY(swish, running_sum, rms_norm, sum_pool, lagged, distinct, keep_largest, stretch, vector_times,
               gamma_sign, user_times)
