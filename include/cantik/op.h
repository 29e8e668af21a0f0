// What an operator's file includes: one file states an operator once, here or in a library of its own.
//
//   #include <cantik/op.h>
//   using namespace cantik;
//   CANTIK_OP(square) {
//     op.signature("square(x, name='')").expression([](Real x) { return x * x; }).sample({{2, 3}});
//   }
//
// Header-only over plugin.h: a library compiled with this needs no symbol of Cantik's.
#pragma once

#include <cantik/op/attributes.h>
#include <cantik/op/axes.h>
#include <cantik/op/builder.h>
#include <cantik/op/define.h>
#include <cantik/op/infer.h>
#include <cantik/op/kernel.h>
#include <cantik/op/real.h>

// Defines the function that registers the operators of this file; the manifest (or CANTIK_LIBRARY) calls it.
// runs once: small rather than fast
#define CANTIK_OP(name) [[gnu::cold]] void cantik_define_##name([[maybe_unused]] ::cantik::Define& op)

// In one file of an operator library: CANTIK_LIBRARY(my_relu, my_conv) names the operators' files.
#define CANTIK_LIBRARY(...)                                                                   \
  CANTIK_FOR_EACH(CANTIK_DECLARE_OP, __VA_ARGS__)                                             \
  extern "C" {                                                                                \
  extern CANTIK_EXPORTED const char cantik_library_abi[];                                     \
  const char cantik_library_abi[] = CANTIK_ABI_TEXT(CANTIK_ABI_VERSION, CANTIK_ABI_REVISION); \
  CANTIK_EXPORTED cantik_status cantik_library(const cantik_host* host) {                     \
    return ::cantik::define_all(host, {CANTIK_FOR_EACH(CANTIK_LIST_OP, __VA_ARGS__)});        \
  }                                                                                           \
  }
#define CANTIK_EXPORTED __attribute__((visibility("default")))
#define CANTIK_DECLARE_OP(name) CANTIK_OP(name);
#define CANTIK_LIST_OP(name) cantik_define_##name,

// Applies a macro to each argument (C++20, by re-scanning).
#define CANTIK_FOR_EACH(macro, ...) __VA_OPT__(CANTIK_EXPAND(CANTIK_EACH(macro, __VA_ARGS__)))
#define CANTIK_EACH(macro, first, ...) \
  macro(first) __VA_OPT__(CANTIK_EACH_AGAIN CANTIK_PARENS(macro, __VA_ARGS__))
#define CANTIK_EACH_AGAIN() CANTIK_EACH
#define CANTIK_PARENS ()
#define CANTIK_EXPAND(...) CANTIK_EXPAND3(CANTIK_EXPAND3(CANTIK_EXPAND3(CANTIK_EXPAND3(__VA_ARGS__))))
#define CANTIK_EXPAND3(...) CANTIK_EXPAND2(CANTIK_EXPAND2(CANTIK_EXPAND2(CANTIK_EXPAND2(__VA_ARGS__))))
#define CANTIK_EXPAND2(...) CANTIK_EXPAND1(CANTIK_EXPAND1(CANTIK_EXPAND1(CANTIK_EXPAND1(__VA_ARGS__))))
#define CANTIK_EXPAND1(...) __VA_ARGS__
