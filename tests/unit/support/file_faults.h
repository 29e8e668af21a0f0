// System calls on files that fail when a test wants it: the test program's own open, read, write and fsync
// stand before the C library's.
#pragma once

#include <atomic>

namespace cantik::support {

struct FileFaults {
  std::atomic<int> signals{0};          // so many calls are cut short by a signal
  std::atomic<int> writes_until{-1};    // after so many writes there is no room on the device
  std::atomic<int> sync_file{0};        // what fsync of a file fails with
  std::atomic<int> sync_folder{0};      // ... of a folder
  std::atomic<bool> quick_sync{false};  // fsync does nothing: disks are slow
  std::atomic<int> calls{0};            // how many were cut short or failed
};

// Of this process; set anew at the end of a test.
FileFaults& file_faults();

struct Faulty {
  ~Faulty() {
    FileFaults& f = file_faults();
    f.signals = 0, f.writes_until = -1, f.sync_file = 0, f.sync_folder = 0, f.quick_sync = false, f.calls = 0;
  }
  FileFaults* operator->() const { return &file_faults(); }
};

}  // namespace cantik::support
