// What an operator states for plans and for CNTK's files, as the registry keeps it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cantik/attribute.h>
#include <cantik/plugin.h>

namespace cantik {

// How the operator stands in CNTK's files; formats/attributes.h says how its attributes do.
struct FileForm {
  std::optional<uint64_t> number;  // of a primitive function
  std::string block;               // its name, where it is a block there
  std::string module, factory;     // where it was a function of a C++ library
  std::vector<std::pair<std::string, Attribute>> fixed;
  std::vector<std::string> ignored;
  std::vector<size_t> order;                              // empty: as ours
  std::vector<std::pair<size_t, size_t>> operand_fields;  // operand of the file, attribute here
  std::vector<size_t> delays;                             // attributes
  cantik_windows windows = CANTIK_NO_WINDOWS;
  bool axes_of_result = false;
};

// Which operands and results are images, a bit each, and the attribute that says whether their channels are
// the last axis (-1: it does not matter).
struct ImageFacts {
  uint32_t operands = 0, results = 0;
  int last = -1;
  bool preferred = false;
  bool has_operand(size_t i) const { return i < 32 && (operands >> i & 1) != 0; }
  bool has_result(size_t i) const { return i < 32 && (results >> i & 1) != 0; }
};

// How kernels want an operand packed, and the attribute that says whether it is (-1: they take all as they
// are).
struct PackedFacts {
  int attribute = -1;
  uint64_t traits = 0;  // that the operator has besides, where it is
  cantik_status (*packing)(void* user, cantik_packing*) = nullptr;
};

struct OperatorFacts {
  cantik_delay delay = CANTIK_NO_DELAY;
  bool stores = false;           // the second operand becomes the value of the first, at the end of the run
  bool offset_by_graph = false;  // an absent first attribute follows from `pixels` of the graph
  uint32_t type_too = 0;         // a bit for each operand
  uint32_t by_index = 0;         // a bit for each operand
  std::vector<std::pair<size_t, size_t>> reuses;  // operand, result: of the same memory
  cantik_status (*pixels)(void* user, cantik_pixels*) = nullptr;
  ImageFacts images;
  cantik_parts parts = CANTIK_NO_PARTS;
  cantik_status (*part)(void* user, cantik_part*) = nullptr;
  cantik_status (*axis_names)(void* user, cantik_axis_names*) = nullptr;
  PackedFacts packed;
  cantik_status (*sizes)(void* user, cantik_sizes*) = nullptr;
  cantik_saves saves = CANTIK_SAVES_NOTHING;
  const cantik_lock* lock = nullptr;
  int instead_if = -1;  // an attribute: where it is true, `instead` is applied in its place
  std::string instead;
  FileForm file;
};

}  // namespace cantik
