/* The plain-C boundary between Cantik and backends: libraries that bring devices, with memory of their own
 * and kernels that work in it. C++ code includes op/backend.h, which wraps this.
 *
 * A library exports `cantik_backend_library`, and carries the version that it was built with as a text, which
 * is read before any of its code runs. Structs that begin with their size grow at their end.
 *
 * The host decides everything: it asks for memory, says what is copied where, and calls kernels in an order
 * that is right if a device does one after the other. All that one run does on a device goes through a queue,
 * from one thread at a time; runs on several threads have a queue each. A device may be behind: only
 * `to_host` and `wait` have to return with the work done. */
#pragma once

#include <cantik/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CANTIK_BACKEND_ABI_VERSION 1
#define CANTIK_BACKEND_ABI_REVISION 0
#define CANTIK_BACKEND_ABI_MARK \
  "cantik_backend_abi=" /* in a library's file, with version, dot and revision behind it */
#define CANTIK_BACKEND_ABI_TEXT_(version, revision) CANTIK_BACKEND_ABI_MARK #version "." #revision
#define CANTIK_BACKEND_ABI_TEXT(version, revision) CANTIK_BACKEND_ABI_TEXT_(version, revision)

/* What kind of devices a backend has, as DeviceKind of <cantik/device.h>. */
enum cantik_device_kind { CANTIK_DEVICE_GPU = 1, CANTIK_DEVICE_OTHER = 2 };

/* A failure of a call on a device: its text, and the kernel that failed where it is another one than that
 * which was asked for. */
typedef struct cantik_device_failure {
  size_t size;
  char* text;
  size_t text_size; /* room, with the zero at its end */
  int64_t launch;   /* set by the backend: the number of the launch that failed; -1: this call itself */
} cantik_device_failure;

/* A kernel that is to run. Everything that the struct points to may change when the call has returned, but
 * for `state`, scratch, live attributes and the device's own memory. */
typedef struct cantik_launch {
  size_t size;
  int64_t number; /* for failures */
  cantik_status (*run)(const void* state, const cantik_run* run, char* error, size_t error_size);
  const void* state;
  /* Operands and scratch lie in the device's memory, and so do their offsets, starts, columns and row maps;
   * of an operand that is read for its layout alone `data` is not to be used. One launch has all units. */
  const cantik_run* call;
  int32_t inputs, outputs;
} cantik_launch;

/* A kernel for an operator of the host's, or for a form that operators ask for ("form:copy"; op/forms.h). */
typedef struct cantik_backend_kernel {
  size_t size;
  const char* op;
  const char* const* fields; /* the attributes that it reads, by name, in the order in which it gets them */
  int32_t field_count;
  int32_t reserved;
  cantik_status (*prepare)(void* user, cantik_prepare* p);
} cantik_backend_kernel;

/* What a backend is. Functions with a status describe a failure before they return one. */
typedef struct cantik_backend {
  size_t size;
  const char* name; /* as users name it: naive */
  int32_t kind;     /* enum cantik_device_kind */
  int32_t devices;  /* how many there are; they have numbers from 0 on */
  void* user;       /* handed to the functions below and to the kernels */

  /* Memory of a device, aligned to 64 bytes. The host never touches it. */
  cantik_status (*allocate)(void* user, int32_t device, size_t bytes, void** memory,
                            cantik_device_failure* f);
  void (*release)(void* user, int32_t device, void* memory);

  /* Queues. To close one waits for what it has to do. */
  cantik_status (*open)(void* user, int32_t device, void** queue, cantik_device_failure* f);
  void (*close)(void* user, void* queue);
  /* Copies of so many bytes: from the host, whose memory has been read when the call returns; to the host,
   * whose memory has been written then; within the device, whose parts do not overlap. */
  cantik_status (*to_device)(void* user, void* queue, void* to, const void* from, size_t bytes,
                             cantik_device_failure* f);
  cantik_status (*to_host)(void* user, void* queue, void* to, const void* from, size_t bytes,
                           cantik_device_failure* f);
  cantik_status (*within)(void* user, void* queue, void* to, const void* from, size_t bytes,
                          cantik_device_failure* f);
  cantik_status (*launch)(void* user, void* queue, const cantik_launch* l, cantik_device_failure* f);
  /* All that the queue was given is done, or has failed. */
  cantik_status (*wait)(void* user, void* queue, cantik_device_failure* f);

  const cantik_backend_kernel* kernels; /* of several for one operator the first that does not decline */
  int32_t kernel_count;
  int32_t reserved;
} cantik_backend;

/* The calls by which a library hands its backend to the host. */
typedef struct cantik_backend_host {
  size_t size;
  uint32_t abi_version;
  void* self;
  cantik_status (*define)(void* self, const cantik_backend* backend);
  void (*fail)(void* self, int32_t failure, const char* text);
} cantik_backend_host;

/* What a library exports. It returns 0, or a failure after host->fail; then nothing of it is registered. */
typedef cantik_status cantik_backend_library_function(const cantik_backend_host* host);
#define CANTIK_BACKEND_LIBRARY_SYMBOL "cantik_backend_library"

#ifdef __cplusplus
}
#endif
