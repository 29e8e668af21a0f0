// HTK's script files: where the features of each utterance are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cantik {

// A line: name=archive[first,last], or an archive alone, whose name is the utterance's.
struct ScriptEntry {
  std::string name;              // of the utterance, without the extension
  int32_t archive = 0;           // among the script's
  int64_t first = 0, last = -1;  // frames of the archive; last is -1 where all are meant
  int64_t line = 0;              // from 1 on
};

struct Script {
  std::vector<ScriptEntry> entries;
  std::vector<std::string> archives;  // paths; "..." at their beginning is the script's folder
};

// A line that is none of these is an error.
Script read_script(const std::string& path);

}  // namespace cantik
