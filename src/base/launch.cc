#include "base/launch.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/text.h"

namespace cantik {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int environment_number(const char* name) {
  const std::string text = environment(name);
  char* end = nullptr;
  const long n = std::strtol(text.c_str(), &end, 10);
  return text.empty() || *end || n < 0 || n > 1000000 ? -1 : static_cast<int>(n);
}

Launch launch_by_mpi() {
  struct Sign {
    const char* size;
    const char* rank;
    const char* launcher;
    const char* interface;
  };
  static constexpr Sign kSigns[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI", "openmpi"},
                                    {"PMI_SIZE", "PMI_RANK", "a launcher of MPICH's kind", ""},
                                    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MVAPICH", "mpich"},
                                    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun", ""},
                                    {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK", "jsrun", ""}};
  for (const Sign& s : kSigns)
    if (const int n = environment_number(s.size); n > 0)
      return {n, std::max(0, environment_number(s.rank)), s.interface,
              cat(s.launcher, " (", s.size, "=", n, ")")};
  return {};
}

Launch launch() {
  const int world = environment_number("WORLD_SIZE"), rank = environment_number("RANK");
  if (world > 1) return {world, std::clamp(rank, 0, world - 1), "", cat("WORLD_SIZE=", world)};
  return launch_by_mpi();
}

}  // namespace cantik
