// Switches: a body compiled for each case of a number that is known at run time.
#pragma once

#include <string>

#include <cantik/mxnet/blob.h>

// ---- over element types. DType stands for the type behind the flag; operators compute float32 and float64.
#define MSHADOW_REAL_TYPE_SWITCH(type, DType, ...)                                                   \
  switch (type) {                                                                                    \
    case ::mshadow::kFloat32: {                                                                      \
      using DType = float;                                                                           \
      {                                                                                              \
        __VA_ARGS__                                                                                  \
      }                                                                                              \
    } break;                                                                                         \
    case ::mshadow::kFloat64: {                                                                      \
      using DType = double;                                                                          \
      {                                                                                              \
        __VA_ARGS__                                                                                  \
      }                                                                                              \
    } break;                                                                                         \
    default: throw ::cantik::Failure(CANTIK_TYPE, "the operator computes float32 and float64 only"); \
  }
#define MSHADOW_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH
#define MSHADOW_SGL_DBL_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH
#define MSHADOW_IDX_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH  // indices come as numbers of the operator's type
#define MSHADOW_TYPE_SWITCH_WITH_BOOL MSHADOW_REAL_TYPE_SWITCH
#define MXNET_NO_FLOAT16_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH
#define MXNET_NO_INT8_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH
#define MXNET_NO_UINT8_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH
// The same with AType, the type to add many numbers up in.
#define MSHADOW_REAL_TYPE_SWITCH_EX(type, DType, AType, ...) \
  MSHADOW_REAL_TYPE_SWITCH(type, DType, {                    \
    using AType = double;                                    \
    {                                                        \
      __VA_ARGS__                                            \
    }                                                        \
  })
#define MXNET_ACC_TYPE_SWITCH MSHADOW_REAL_TYPE_SWITCH_EX

// ---- over how a result is to be written. ReqType is a constant; where nothing is to be written the body
// does not run.
#define MXNET_ASSIGN_REQ_SWITCH(req, ReqType, ...)              \
  switch (req) {                                                \
    case ::mxnet::kNullOp: break;                               \
    case ::mxnet::kWriteInplace:                                \
    case ::mxnet::kWriteTo: {                                   \
      constexpr ::mxnet::OpReqType ReqType = ::mxnet::kWriteTo; \
      {                                                         \
        __VA_ARGS__                                             \
      }                                                         \
    } break;                                                    \
    case ::mxnet::kAddTo: {                                     \
      constexpr ::mxnet::OpReqType ReqType = ::mxnet::kAddTo;   \
      {                                                         \
        __VA_ARGS__                                             \
      }                                                         \
    } break;                                                    \
  }
#define MXNET_REQ_TYPE_SWITCH MXNET_ASSIGN_REQ_SWITCH

// ---- over numbers of axes, from 1 to 5
#define CANTIK_NDIM_CASE(n, NDim, ...) \
  case n: {                            \
    constexpr int NDim = n;            \
    {                                  \
      __VA_ARGS__                      \
    }                                  \
  } break;
#define MXNET_NDIM_SWITCH(ndim, NDim, ...)                                                         \
  switch (ndim) {                                                                                  \
    CANTIK_NDIM_CASE(1, NDim, __VA_ARGS__)                                                         \
    CANTIK_NDIM_CASE(2, NDim, __VA_ARGS__)                                                         \
    CANTIK_NDIM_CASE(3, NDim, __VA_ARGS__)                                                         \
    CANTIK_NDIM_CASE(4, NDim, __VA_ARGS__)                                                         \
    CANTIK_NDIM_CASE(5, NDim, __VA_ARGS__)                                                         \
    default:                                                                                       \
      throw ::cantik::Failure(CANTIK_SHAPE,                                                        \
                              "the operator takes from 1 to 5 axes, not " + std::to_string(ndim)); \
  }

// Writes one element as the request says.
#define KERNEL_ASSIGN(out, req, value)  \
  do {                                  \
    if ((req) == ::mxnet::kAddTo)       \
      (out) += (value);                 \
    else if ((req) != ::mxnet::kNullOp) \
      (out) = (value);                  \
  } while (0)
