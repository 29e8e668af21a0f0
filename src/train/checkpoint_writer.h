// Writes checkpoints behind the training's back: the numbers are copied, and a thread brings them onto the
// disk.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <cantik/trainer.h>

namespace cantik {

// One checkpoint at a time. The copy's memory is kept for the next one.
class CheckpointWriter {
 public:
  CheckpointWriter();
  ~CheckpointWriter();  // the file is whole by then, or was not written

  // Copies the trainer's state with the caller's own, and begins to write it, once the last one is there.
  void write(const Trainer& trainer, const std::string& path, const Dictionary& external_state);
  // Whether a checkpoint was begun whose file is there by now.
  bool is_written() const;
  // Waits for the file; false where none was begun. Throws what went wrong.
  bool wait();
  // Waits for the file, if one was begun, whatever comes of it.
  void settle();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace cantik
