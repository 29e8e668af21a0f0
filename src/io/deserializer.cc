#include "io/deserializer.h"

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {

int64_t counted_stream(const std::vector<Stream>& streams) {
  std::vector<std::string> counted;
  int64_t found = -1;
  for (size_t i = 0; i < streams.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (streams[j].name == streams[i].name)
        throw runtime_error(cat("Two streams with the same name '", streams[i].name,
                                "' have been found. Please rename the duplicate."));
    if (!streams[i].defines_size) continue;
    counted.push_back(streams[i].name);
    found = static_cast<int64_t>(i);
  }
  if (counted.size() > 1)
    throw runtime_error(cat("Only a single stream is allowed to define the minibatch size, but ",
                            counted.size(),
                            " found: ", join(counted, ", ", [](const std::string& s) { return s; }), "."));
  return found;
}

}  // namespace cantik
