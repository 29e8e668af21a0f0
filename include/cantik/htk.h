// Files of speech as HTK has them: features of utterances in archives, labels of their frames, lattices.
//
//   HtkFeatures features{.name = "features", .dim = 40, .left = 5, .right = 5};
//   HtkLabels states{.name = "states", .dim = 9000, .names = "state.list"};
//   SourcePtr source = minibatch_source(
//       {htk_features("train.scp", features), htk_labels({"train.mlf"}, states)}, {.frame_mode = true});
//
// docs/reference/speech_files.md says what is in the files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/deserializer.h>

namespace cantik {

// How features are read.
struct HtkFeatures {
  std::string name = {};  // of the stream
  // Numbers of a frame. Without neighbours, an odd multiple of what the archives have means as many frames.
  int64_t dim = 1;
  int64_t left = 0, right = 0;  // neighbours that stand beside each frame, repeated at the ends
  bool broadcast =
      false;  // the only frame of an utterance serves all steps of the streams that it is joined with
};

// Features of the utterances that a script file lists. Its sequences have the names of the utterances as
// keys.
CANTIK_API DeserializerPtr htk_features(const std::string& script, const HtkFeatures& options);

// How labels are read.
struct HtkLabels {
  std::string name = {};   // of the stream
  int64_t dim = 1;         // how many labels there are
  std::string names = {};  // of a file in text: a file of the names of the labels, one a line, from 0 on
  bool phone_boundaries = false;   // the first frame of each label is a 2 instead of a 1
  int64_t chunk_bytes = 32 << 20;  // of the files, read at a time
  // so many damaged utterances are left out, with a warning; the next one is an error
  int64_t max_errors = 0;
};

// Labels of each frame of utterances, from master label files in text, as rows with a one.
CANTIK_API DeserializerPtr htk_labels(const std::vector<std::string>& files, const HtkLabels& options);
// The same from binary master label files, where labels are numbers.
CANTIK_API DeserializerPtr htk_labels_binary(const std::vector<std::string>& files, const HtkLabels& options);

// Lattices of utterances, each a sequence of the numbers of 32 bits that its bytes are; nothing interprets
// them. The file `index` lists tables of contents, one a line.
CANTIK_API DeserializerPtr htk_lattices(const std::string& index, const std::string& name);

}  // namespace cantik
