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

// The exception that every call of Cantik throws. Its kind says what went wrong, its text tells it to a
// person.
class CANTIK_API Error : public std::exception {
 public:
  // An error of a kind; `text` says in one line what failed.
  Error(ErrorKind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  // Adds a line `label    text`, unless the text is empty.
  Error&& line(std::string_view label, std::string_view text) &&;
  // Adds the line of the function at fault, with its inputs.
  Error&& node(std::string_view text) && { return std::move(*this).line("node", text); }
  // Adds the line of the place in the user's program where the function was made.
  Error&& made_at(std::string_view text) && { return std::move(*this).line("made at", text); }
  // Adds the line that says what to do.
  Error&& remedy(std::string_view text) && { return std::move(*this).line("remedy", text); }

  // What went wrong; decides the class that Python raises.
  ErrorKind kind() const { return kind_; }
  // Whether a line with this label has been added.
  bool has(std::string_view label) const;
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorKind kind_;
  std::string text_;
};

// An error of a kind, to be thrown; lines may be added first: `throw value_error("...").remedy("...")`. This
// one: an argument has a wrong value.
inline Error value_error(std::string text) { return {ErrorKind::value, std::move(text)}; }
// An error of the moment: a file, a state that does not allow the call.
inline Error runtime_error(std::string text) { return {ErrorKind::runtime, std::move(text)}; }
// Shapes or axes that do not go together.
inline Error shape_error(std::string text) { return {ErrorKind::shape, std::move(text)}; }
// An argument of a wrong type.
inline Error type_error(std::string text) { return {ErrorKind::type, std::move(text)}; }
// A name that is not there.
inline Error key_error(std::string text) { return {ErrorKind::key, std::move(text)}; }
// Memory that could not be had.
inline Error memory_error(std::string text) { return {ErrorKind::memory, std::move(text)}; }
// Something that Cantik does not have.
inline Error unsupported(std::string text) { return {ErrorKind::unsupported, std::move(text)}; }

}  // namespace cantik
