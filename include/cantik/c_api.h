/* Models for programs in C, and in every language that can call C: C#, Go, Java, Rust.
 *
 *   cantik_model* model = cantik_model_load("points.cntk");
 *   int64_t shape[] = {1, 2};
 *   float numbers[] = {3, 3};
 *   cantik_array x = {CANTIK_FLOAT32, 2, shape, numbers, 0, 0};
 *   cantik_result* y = model ? cantik_model_evaluate(model, &x, 1, 0) : 0;
 *   if (!y) puts(cantik_last_error());
 *   cantik_result_free(y);
 *   cantik_model_free(model);
 *
 * The names, numbers and structs here do not change. No exception leaves a call: one that fails returns null
 * or a number that is not 0, and leaves a text for cantik_last_error(). A model may be used by several
 * threads. */
#pragma once

#include <stdint.h>

#ifdef __GNUC__
#define CANTIK_C_API __attribute__((visibility("default")))
#else
#define CANTIK_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The types of numbers. */
enum cantik_element {
  CANTIK_FLOAT32 = 1,
  CANTIK_FLOAT64 = 2,
  CANTIK_FLOAT16 = 4,
  CANTIK_INT8 = 5,
  CANTIK_INT16 = 6,
  CANTIK_INT32 = 7
};

/* A network that has been loaded. */
typedef struct cantik_model cantik_model;
/* What an evaluation made. */
typedef struct cantik_result cantik_result;

/* An input or an output of a model. What it points to lives as long as the model. */
typedef struct cantik_port {
  const char* name;     /* empty where it has none */
  int32_t element;      /* one of cantik_element */
  int32_t rank;         /* the number of axes of a sample, or of a step of a sequence */
  const int64_t* shape; /* [rank]; -1 where each evaluation chooses */
  int32_t has_batch;    /* whether a value has a row for each sample */
  int32_t has_sequence; /* whether a value has a row for each step of each sequence */
  int32_t is_sparse;    /* whether a value is given as indices of classes, CANTIK_INT32 */
} cantik_port;

/* Numbers in row-major order: [rows, sample...], or [sample...] of a port without a batch. Of an input that
 * is sparse the last axis is left out, and the numbers are indices along it. Sequences lie one behind the
 * other; an input of sequences reads a batch as sequences of one step. */
typedef struct cantik_array {
  int32_t element;      /* of its numbers */
  int32_t rank;         /* how many axes it has */
  const int64_t* shape; /* the axes, the outermost first */
  const void* data;
  int64_t sequences;      /* how many sequences there are; 0 of a batch */
  const int64_t* lengths; /* [sequences], in steps; null of a batch */
} cantik_array;

/* Why the last call of this thread failed. It lives until the thread's next call. */
CANTIK_C_API const char* cantik_last_error(void);

/* The network in a file of CNTK's or ONNX's format; null where it cannot be loaded. */
CANTIK_C_API cantik_model* cantik_model_load(const char* path);
/* Gives a model back; null is nothing. */
CANTIK_C_API void cantik_model_free(cantik_model* model);
/* How many values an evaluation reads; -1 of null. */
CANTIK_C_API int32_t cantik_model_inputs(const cantik_model* model);
/* How many values an evaluation makes; -1 of null. */
CANTIK_C_API int32_t cantik_model_outputs(const cantik_model* model);
/* Describes an input; not 0 where there is none at this place. */
CANTIK_C_API int cantik_model_input(const cantik_model* model, int32_t place, cantik_port* port);
/* Describes an output; not 0 where there is none at this place. */
CANTIK_C_API int cantik_model_output(const cantik_model* model, int32_t place, cantik_port* port);

/* All outputs for these values, one for each input in its order. threads: at most; 0: one for each core. Null
 * where a value does not suit its input. */
CANTIK_C_API cantik_result* cantik_model_evaluate(const cantik_model* model, const cantik_array* inputs,
                                                  int32_t count, int32_t threads);
/* An output. What it points to lives as long as the result. Not 0 where there is none at this place. */
CANTIK_C_API int cantik_result_output(const cantik_result* result, int32_t place, cantik_array* output);
/* Gives a result back; null is nothing. */
CANTIK_C_API void cantik_result_free(cantik_result* result);

#ifdef __cplusplus
}
#endif
