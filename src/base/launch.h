// Who started this process as one of several, as the environment says.
#pragma once

#include <string>

namespace cantik {

// A variable of the environment; empty where it is not set.
std::string environment(const char* name);
// The same as a whole number from 0; -1 where it is none.
int environment_number(const char* name);

struct Launch {
  int size = 0;                // 0: by itself, or a launcher that does not say
  int rank = 0;                // which of them this process is
  const char* interface = "";  // the launcher's MPI; empty where any will do
  std::string text;            // "Open MPI (OMPI_COMM_WORLD_SIZE=4)"
};
// By a launcher of MPI.
Launch launch_by_mpi();
// By a launcher of any kind, such as torchrun, which sets RANK and WORLD_SIZE.
Launch launch();

}  // namespace cantik
