// One exception type, one form of text: what failed, then labelled lines that say which node, where it was
// made, what to do.
//
//   times: the inner dimensions differ, 96 and 64
//     node     times_7, inputs W : float32[96, 10], h from dense_3 : float32[#, 64]
//     made at  train.py:41
//     remedy   give W the shape [64, 10], or let it be inferred
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include <cantik/api.h>

namespace cantik {

// Decides the Python class: ValueError, RuntimeError, ShapeError (both of them), TypeError, KeyError,
// NotImplementedError, OutOfMemoryError (a MemoryError and a RuntimeError).
enum class ErrorKind { value, runtime, shape, type, key, unsupported, memory };

class CANTIK_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  // Adds a line `label    text`, unless the text is empty.
  Error&& line(std::string_view label, std::string_view text) &&;
  Error&& node(std::string_view text) && { return std::move(*this).line("node", text); }
  Error&& made_at(std::string_view text) && { return std::move(*this).line("made at", text); }
  Error&& remedy(std::string_view text) && { return std::move(*this).line("remedy", text); }

  ErrorKind kind() const { return kind_; }
  bool has(std::string_view label) const;
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorKind kind_;
  std::string text_;
};

inline Error value_error(std::string text) { return {ErrorKind::value, std::move(text)}; }
inline Error runtime_error(std::string text) { return {ErrorKind::runtime, std::move(text)}; }
inline Error shape_error(std::string text) { return {ErrorKind::shape, std::move(text)}; }
inline Error type_error(std::string text) { return {ErrorKind::type, std::move(text)}; }
inline Error key_error(std::string text) { return {ErrorKind::key, std::move(text)}; }
inline Error memory_error(std::string text) { return {ErrorKind::memory, std::move(text)}; }
inline Error unsupported(std::string text) { return {ErrorKind::unsupported, std::move(text)}; }

}  // namespace cantik
