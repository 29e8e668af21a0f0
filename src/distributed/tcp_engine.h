// The engine of machines without MPI: one TCP connection between any two workers.
#pragma once

#include <memory>
#include <string>

#include "distributed/engine.h"
#include "base/socket.h"

namespace cantik::distributed {

// Where the workers meet, as their launcher says.
struct Meeting {
  int rank = 0, size = 1;
  Address main;         // of worker 0
  int descriptor = -1;  // worker 0's listening socket, where the launcher has opened it
  std::string job;      // the same of all workers of one training
  double seconds = 60;  // until all have come
};

std::unique_ptr<Engine> tcp_engine(const Meeting& meeting);

}  // namespace cantik::distributed
