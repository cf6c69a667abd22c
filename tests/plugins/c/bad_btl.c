/*
 * A transport that reaches no peer, with whatever is wrong with it that the macros say. Without any
 * it is in order.
 *
 *   NO_SEND, NO_POOL, POOL_NOT_ADDED, NULL_DEVICE, NO_ARRAY   what its device lacks
 *   DEVICE_SIZE=N                  the size that its device claims
 *   EAGER_LIMIT=N, KEY_SIZE=N      limits of its device, whose messages have MESSAGE_LIMIT bytes
 *   MODULES_RETURNS=N, OPEN_RETURNS=N   a status that it returns without saying why
 *   MODULES_SAYS, OPEN_SAYS        fails, and says why
 *   STALE                          lives with the failure of a host function before it fails in open
 *   IN(function)                   what it does in its functions load, register_params, open, query,
 *   DOES                           modules, close: DIES by a null pointer, ABORTS or EXITS with 0
 *   HANDLES                        has a handler of SIGSEGV while it is open, which calls what it found
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/btl.h>
#include <cairn/param.h>

#define DIES(self) (*nowhere = 1)
#define ABORTS(self) ((void)(self), abort())
#define EXITS(self) ((void)(self), exit(0))
#ifndef DOES
#define DOES(self) ((void)(self))
#define WHERE ""
#endif
#define IN(function) (strcmp(WHERE, function) == 0 ? (void)DOES(NULL) : (void)0)

/* A compiler must not know that this goes wrong, or it leaves the function out. */
static int *volatile nowhere;

__attribute__((constructor)) static void load(void) { IN("load"); }

#ifdef HANDLES
static struct sigaction found;

static void handle(int number, siginfo_t *info, void *context)
{
  static int times;
  fputs("btl_bad: a crash\n", stderr);
  if (times++ == 100) _exit(99);
  if (found.sa_flags & SA_SIGINFO)
    found.sa_sigaction(number, info, context);
  else if (found.sa_handler == SIG_DFL)
    signal(number, SIG_DFL);
  else
    found.sa_handler(number);
}
#endif

static struct {
  cairn_cri_t cri;
} instance = { .cri = { .index = 0 } };

static uint32_t progress(void *module, cairn_cri_t *cri)
{
  (void)module;
  (void)cri;
  return 0;
}

static cairn_cri_pool_t pool = {
  .struct_size = sizeof pool,
  .count = 1,
  .name = "btl_bad",
  .instances = &instance.cri,
  .stride = sizeof instance,
  .progress = progress,
};

static cairn_status_t register_params(cairn_instance_t *self)
{
  (void)self;
  IN("register_params");
  return CAIRN_OK;
}

static cairn_status_t open_component(cairn_instance_t *self)
{
  IN("open");
#ifdef HANDLES
  struct sigaction own = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  if (sigaction(SIGSEGV, &own, &found) != 0) return CAIRN_ERR_OTHER;
#endif
#ifdef STALE
  const cairn_param_cell_t *cell;
  (void)self->host->param_find(self, "no_such_parameter", CAIRN_PARAM_BOOL, &cell);
#endif
#ifdef OPEN_SAYS
  return self->host->fail(self, CAIRN_ERR_OTHER, "the cable is cut");
#elif defined(OPEN_RETURNS)
  return OPEN_RETURNS;
#endif
#ifndef POOL_NOT_ADDED
  return self->host->pool_add(self, &pool);
#else
  (void)self;
  return CAIRN_OK;
#endif
}

static cairn_status_t query(cairn_instance_t *self, const cairn_scope_t *scope, int32_t *priority)
{
  (void)self;
  (void)scope;
  IN("query");
  *priority = 50;
  return CAIRN_OK;
}

static void close_component(cairn_instance_t *self)
{
  (void)self;
  IN("close");
#ifdef HANDLES
  sigaction(SIGSEGV, &found, NULL);
#endif
}

#define MESSAGE_LIMIT 4096
#ifndef EAGER_LIMIT
#define EAGER_LIMIT (MESSAGE_LIMIT - CAIRN_BTL_HEADER_ROOM)
#endif
#ifndef KEY_SIZE
#define KEY_SIZE CAIRN_BTL_MAX_KEY
#endif

static cairn_btl_module_t device = {
#ifdef DEVICE_SIZE
  .struct_size = DEVICE_SIZE,
#else
  .struct_size = sizeof device,
#endif
#ifndef NO_POOL
  .pool = &pool,
#endif
  .capabilities = CAIRN_BTL_SEND_IMMEDIATE,
  .immediate_limit = MESSAGE_LIMIT,
  .eager_limit = EAGER_LIMIT,
  .key_size = KEY_SIZE,
  .exclusivity = CAIRN_BTL_EXCLUSIVITY_NETWORK,
};

static cairn_status_t modules(cairn_instance_t *self, cairn_btl_module_t *const **devices,
                              uint32_t *count)
{
#ifdef NULL_DEVICE
  static cairn_btl_module_t *const all[] = { NULL };
#else
  static cairn_btl_module_t *const all[] = { &device };
#endif
  IN("modules");
#ifdef MODULES_SAYS
  return self->host->fail(self, CAIRN_ERR_OTHER, "the device has gone");
#elif defined(MODULES_RETURNS)
  return MODULES_RETURNS;
#endif
  (void)self;
#ifdef NO_ARRAY
  (void)all;
  *devices = NULL;
#else
  *devices = all;
#endif
  *count = 1;
  return CAIRN_OK;
}

static cairn_status_t add_peers(const cairn_btl_module_t *module, uint32_t count,
                                const cairn_peer_t *const *peers, cairn_endpoint_t **endpoints)
{
  (void)module;
  (void)peers;
  for (uint32_t i = 0; i < count; i++)
    endpoints[i] = NULL;
  return CAIRN_OK;
}

static void remove_peer(const cairn_btl_module_t *module, cairn_endpoint_t *endpoint)
{
  (void)module;
  (void)endpoint;
}

static cairn_outcome_t send_immediate(const cairn_btl_module_t *module, const cairn_cri_t *cri,
                                      cairn_endpoint_t *endpoint,
                                      const cairn_btl_message_t *message)
{
  (void)module;
  (void)cri;
  (void)endpoint;
  (void)message;
  return CAIRN_ERR_PEER;
}

static const cairn_btl_ops_t table = {
  .struct_size = sizeof table,
  .modules = modules,
  .add_peers = add_peers,
  .remove_peer = remove_peer,
#ifndef NO_SEND
  .send_immediate = send_immediate,
#endif
};

static const cairn_component_t bad = {
  CAIRN_COMPONENT_HEAD,
  .framework = "btl",
  .name = "bad",
  .description = "a transport for tests",
  .register_params = register_params,
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &table,
};

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  static const cairn_component_t *const components[] = { &bad };
  *count = 1;
  return components;
}
