// The server's clock, and its times as numbers of seconds.
#pragma once

#include <chrono>

namespace cantik::serve {

using Clock = std::chrono::steady_clock;

inline double in_seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

template <class Duration = Clock::duration>
Duration of_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace cantik::serve
