// Checks and messages: what fails is an error of the operator's, which the host raises. Nothing is printed
// and nothing ends the process.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include <cantik/op/infer.h>

namespace dmlc {

// Collects what is written to it, and throws it when the statement ends.
class FatalMessage {
 public:
  explicit FatalMessage(const std::string& begin) { text_ << begin; }
  FatalMessage(const FatalMessage&) = delete;
  ~FatalMessage() noexcept(false) { throw cantik::Failure(CANTIK_RUNTIME, text_.str()); }
  std::ostream& stream() { return text_; }

 private:
  std::ostringstream text_;
};

// Takes what is written to it, and says nothing.
class SilentMessage {
 public:
  std::ostream& stream() { return text_; }

 private:
  std::ostringstream text_;
};

// Makes a statement of what is written to a message; binds less tightly than <<.
struct Statement {
  void operator&(std::ostream&) const {}
};

// Comparisons, by value where both are whole numbers, whatever their signs.
template <class T>
inline constexpr bool is_whole =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;
template <class X, class Y>
bool equal(const X& x, const Y& y) {
  if constexpr (is_whole<X> && is_whole<Y>)
    return std::cmp_equal(x, y);
  else
    return x == y;
}
template <class X, class Y>
bool less(const X& x, const Y& y) {
  if constexpr (is_whole<X> && is_whole<Y>)
    return std::cmp_less(x, y);
  else
    return x < y;
}

template <class X, class Y>
std::string compared(const char* what, const X& x, const Y& y) {
  std::ostringstream text;
  text << "Check failed: " << what << " (" << x << " vs. " << y << ") : ";
  return text.str();
}

}  // namespace dmlc

// Each is an expression; what is written behind it is looked at where it fails.
#define CHECK(condition) \
  (condition) ? (void)0  \
              : ::dmlc::Statement() & ::dmlc::FatalMessage("Check failed: " #condition ": ").stream()
#define CANTIK_CHECK_COMPARED(holds, op, x, y) \
  (holds) ? (void)0                            \
          : ::dmlc::Statement() & ::dmlc::FatalMessage(::dmlc::compared(#x " " op " " #y, x, y)).stream()
#define CHECK_EQ(x, y) CANTIK_CHECK_COMPARED(::dmlc::equal(x, y), "==", x, y)
#define CHECK_NE(x, y) CANTIK_CHECK_COMPARED(!::dmlc::equal(x, y), "!=", x, y)
#define CHECK_LT(x, y) CANTIK_CHECK_COMPARED(::dmlc::less(x, y), "<", x, y)
#define CHECK_GT(x, y) CANTIK_CHECK_COMPARED(::dmlc::less(y, x), ">", x, y)
#define CHECK_LE(x, y) CANTIK_CHECK_COMPARED(!::dmlc::less(y, x), "<=", x, y)
#define CHECK_GE(x, y) CANTIK_CHECK_COMPARED(!::dmlc::less(x, y), ">=", x, y)

// LOG(FATAL) throws; LOG(INFO), LOG(WARNING) and LOG(ERROR) are silent.
#define LOG(severity) CANTIK_LOG_##severity
#define CANTIK_LOG_FATAL ::dmlc::FatalMessage("").stream()
#define CANTIK_LOG_ERROR ::dmlc::SilentMessage().stream()
#define CANTIK_LOG_WARNING ::dmlc::SilentMessage().stream()
#define CANTIK_LOG_INFO ::dmlc::SilentMessage().stream()
