"""How many processes were started together, as launchers tell each of them in its environment."""

from __future__ import annotations

import os

SIZES = {  # variable -> who sets it
    'OMPI_COMM_WORLD_SIZE': 'Open MPI',
    'PMI_SIZE': 'MPICH or Intel MPI',
    'MV2_COMM_WORLD_SIZE': 'MVAPICH',
    'JSM_NAMESPACE_SIZE': 'jsrun',
    # of srun; SLURM_NTASKS is the size of the whole job, also where one process runs in it
    'SLURM_STEP_NUM_TASKS': 'SLURM',
    'HOROVOD_SIZE': 'Horovod',
    'WORLD_SIZE': 'torchrun or a launcher like it',
}
RANKS = {'PMIX_RANK': 'PMIx'}  # tell no size: a rank above 0 has company


def _number(variable):
    try:
        return int(os.environ.get(variable, ''))
    except ValueError:
        return 0


def launched() -> str | None:
    """What says that this process was started as one of several, or None.

    Example:
        >>> os.environ['OMPI_COMM_WORLD_SIZE'] = '2'
        >>> launched()
        '2 processes were started by Open MPI (OMPI_COMM_WORLD_SIZE=2)'
        >>> del os.environ['OMPI_COMM_WORLD_SIZE']
        >>> launched()
    """
    for variable, launcher in SIZES.items():
        if _number(variable) > 1:
            return (
                f'{_number(variable)} processes were started by {launcher} '
                f'({variable}={os.environ[variable]})'
            )
    for variable, launcher in RANKS.items():
        if _number(variable) > 0:
            return f'several processes were started by {launcher} ({variable}={os.environ[variable]})'
    return None
