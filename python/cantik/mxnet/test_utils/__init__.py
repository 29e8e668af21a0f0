"""mx.test_utils: what tests of operators are written with: random arrays, comparisons within tolerances,
checks of values and gradients."""

from .arrays import (
    assign_each,
    assign_each2,
    collapse_sum_like,
    create_2d_tensor,
    create_vector,
    get_identity_mat,
    get_identity_mat_batch,
    new_matrix_with_real_eigvals_2d,
    new_matrix_with_real_eigvals_nd,
    new_orthonormal_matrix_2d,
    new_sym_matrix_with_real_eigvals_2d,
    new_sym_matrix_with_real_eigvals_nd,
    np_reduce,
    rand_coord_2d,
    rand_ndarray,
    rand_shape_2d,
    rand_shape_3d,
    rand_shape_nd,
    random_arrays,
    random_sample,
    random_uniform_arrays,
)
from .around import (
    DummyIter,
    assert_exception,
    default_context,
    default_dtype,
    discard_stderr,
    environment,
    is_op_runnable,
    list_gpus,
    retry,
    set_default_context,
)
from .compare import (
    almost_equal,
    assert_allclose,
    assert_almost_equal,
    assert_almost_equal_ignore_nan,
    assert_almost_equal_with_err,
    compare_ndarray_tuple,
    same,
    same_array,
)
from .generators import chi_square_check, gen_buckets_probs_with_ppf, mean_check, var_check, verify_generator
from .optimizers import compare_optimizer
from .symbols import (
    check_consistency,
    check_numeric_gradient,
    check_speed,
    check_symbolic_backward,
    check_symbolic_forward,
    numeric_grad,
    same_symbol_structure,
    simple_forward,
)
from .tolerances import (
    default_atols,
    default_numeric_eps,
    default_rtols,
    effective_dtype,
    get_atol,
    get_etol,
    get_rtol,
    get_tolerance,
    get_tols,
)

__all__ = [
    name
    for name in dir()
    if not name.startswith('_')
    and name not in ('arrays', 'around', 'compare', 'generators', 'optimizers', 'symbols', 'tolerances')
]


def __getattr__(name):
    raise AttributeError(
        "module 'mxnet.test_utils' has no attribute '{}': Cantik's MXNet layer has {}; nothing is "
        "downloaded, and there are no sparse arrays".format(name, ', '.join(__all__))
    )
