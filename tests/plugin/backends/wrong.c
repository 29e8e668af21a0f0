/* A backend that would be well, if it were not for what WRONG makes of it. Its memory is the host's; its kernels
 * fail where FAILS is defined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cantik/backend.h>

#ifndef MARK
#define MARK CANTIK_BACKEND_ABI_TEXT(CANTIK_BACKEND_ABI_VERSION, CANTIK_BACKEND_ABI_REVISION)
#endif
#ifndef WRONG
#define WRONG
#endif
#define EXPORTED __attribute__((visibility("default")))

extern EXPORTED const char cantik_backend_abi[];
const char cantik_backend_abi[] = MARK;

/* A queue does nothing before it must, and remembers the last kernel that it was given. */
typedef struct queue {
  int64_t failing; /* -1: none */
} queue;

static cantik_status allocate(void* user, int32_t device, size_t bytes, void** memory, cantik_device_failure* f) {
  (void)user, (void)device, (void)f;
#ifdef NO_MEMORY
  (void)bytes, (void)memory;
  snprintf(f->text, f->text_size, "there is none");
  return CANTIK_MEMORY;
#else
  *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  return *memory ? CANTIK_OK : CANTIK_MEMORY;
#endif
}
static void release(void* user, int32_t device, void* memory) {
  (void)user, (void)device;
  free(memory);
}
static cantik_status open_queue(void* user, int32_t device, void** q, cantik_device_failure* f) {
  (void)user, (void)device, (void)f;
  queue* made = malloc(sizeof *made);
  made->failing = -1;
  *q = made;
  return CANTIK_OK;
}
static void close_queue(void* user, void* q) {
  (void)user;
  free(q);
}
static cantik_status wait_for(void* user, void* q, cantik_device_failure* f) {
  (void)user;
  queue* all = q;
  if (all->failing < 0) return CANTIK_OK;
  f->launch = all->failing;
  all->failing = -1;
  snprintf(f->text, f->text_size, "the device has caught fire");
  return CANTIK_VALUE;
}
static cantik_status to_host(void* user, void* q, void* to, const void* from, size_t bytes,
                             cantik_device_failure* f) {
  cantik_status status = wait_for(user, q, f);
  if (!status) memcpy(to, from, bytes);
  return status;
}
static cantik_status copy(void* user, void* q, void* to, const void* from, size_t bytes, cantik_device_failure* f) {
  (void)user, (void)q, (void)f;
  memcpy(to, from, bytes);
  return CANTIK_OK;
}
static cantik_status launch(void* user, void* q, const cantik_launch* l, cantik_device_failure* f) {
  (void)user, (void)f;
  queue* all = q;
  if (all->failing < 0) all->failing = l->number;
  return CANTIK_OK;
}

static cantik_status run(const void* state, const cantik_run* r, char* error, size_t size) {
  (void)state, (void)r, (void)error, (void)size;
  return CANTIK_OK;
}
static cantik_status prepare(void* user, cantik_prepare* p) {
  (void)user;
#ifdef FAILS
  p->run = run;
  return CANTIK_OK;
#else
  (void)run;
  p->fail(p->self, CANTIK_UNSUPPORTED, "it never runs");
  return CANTIK_UNSUPPORTED;
#endif
}

EXPORTED cantik_status cantik_backend_library(const cantik_backend_host* host) {
  static const char *fields[] = {"inner"}, *live[] = {"dropout_rate"};
  cantik_backend_kernel k = {sizeof k, "form:map", 0, 0, 0, prepare};
  cantik_backend b = {.size = sizeof b, .name = "wrong", .kind = CANTIK_DEVICE_OTHER, .devices = 2,
                      .allocate = allocate, .release = release, .open = open_queue, .close = close_queue,
                      .to_device = copy, .to_host = to_host, .within = copy, .launch = launch, .wait = wait_for,
                      .kernels = &k, .kernel_count = 1};
  (void)fields, (void)live;
  WRONG;
  return host->define(host->self, &b);
}
