/* A library of two operators: one that is well, then one that is what WRONG makes of it. */
#include <cantik/plugin.h>

#ifndef MARK
#define MARK CANTIK_ABI_TEXT(CANTIK_ABI_VERSION, CANTIK_ABI_REVISION)
#endif
#ifndef WRONG
#define WRONG
#endif
#ifndef WELL
#define WELL "well"
#endif
#define EXPORTED __attribute__((visibility("default")))

extern EXPORTED const char cantik_library_abi[];
const char cantik_library_abi[] = MARK;

static cantik_status infer(void* user, cantik_infer* c) {
  (void)user;
  cantik_type t = c->in[0];
  return c->set(c->self, 0, &t);
}
static cantik_status prepare(void* user, cantik_prepare* p) {
  (void)user;
  p->fail(p->self, CANTIK_UNSUPPORTED, "it never runs");
  return CANTIK_UNSUPPORTED;
}

EXPORTED cantik_status cantik_library(const cantik_host* host) {
  cantik_kernel kernel = {sizeof kernel, "never", prepare, 0, 0};
  cantik_code code = {CANTIK_X_INPUT, {0, -1, -1}, 0};
  cantik_field field = {sizeof field, "rate", 0, "", CANTIK_PLAIN, 0, {CANTIK_REAL, 0, {0}}};
  (void)code, (void)field;
  cantik_operator op = {.size = sizeof op, .name = WELL, .signature = WELL "(x, name='')", .doc = "nothing", .inputs_min = -1, .inputs_max = -1, .outputs = 1,
                        .infer = infer, .kernels = &kernel, .kernel_count = 1};
  cantik_status status = host->define(host->self, &op);
  if (status) return status;
  op.name = "wrong";
  op.signature = "wrong(x, name='')";
  WRONG;
  host->define(host->self, &op); /* a library may forget to look at the status */
  return CANTIK_OK;
}
