/*
 * Windows of one process, whose operations do nothing; others are left to other components.
 *
 *   -DDECLINES     it leaves all of them to others
 *   -DDIFFERS      one rank serves a window of several and the others do not
 *   -DFAILS        it can't open windows
 */
#include <cairn/osc.h>
#include <cairn/comm.h>
#include <stdlib.h>

static cairn_status_t open_component(cairn_instance_t *self)
{
  (void)self;
  return CAIRN_OK;
}

static cairn_status_t query(cairn_instance_t *self, const cairn_scope_t *scope, int32_t *priority)
{
  (void)self;
  (void)scope;
  *priority = 1;
  return CAIRN_OK;
}

static void close_component(cairn_instance_t *self) { (void)self; }

static cairn_outcome_t window_open(cairn_instance_t *self, cairn_window_t *window, void **state)
{
  (void)self;
  (void)state;
#ifdef FAILS
  return self->host->fail(self, CAIRN_ERR_RESOURCES, "the window is jammed");
#endif
#ifdef DIFFERS
  if (window->comm->rank != 0) return CAIRN_NOTHING;
#elif defined DECLINES
  return CAIRN_NOTHING;
#else
  if (window->scope.size > 1) return CAIRN_NOTHING;
#endif
  if (window->flavor == CAIRN_WINDOW_DYNAMIC) return CAIRN_NOTHING;
  if (window->flavor != CAIRN_WINDOW_CREATE) window->base = calloc(1, window->remotes->size + 1);
  return CAIRN_DONE;
}

static void window_close(cairn_instance_t *self, cairn_window_t *window, void *state)
{
  (void)self;
  (void)state;
  if (window->flavor != CAIRN_WINDOW_CREATE) free(window->base);
}

static cairn_status_t transfer(cairn_instance_t *self, const cairn_window_t *window, void *state,
                               const cairn_osc_transfer_t *transfer, cairn_request_t **request)
{
  (void)self;
  (void)window;
  (void)state;
  (void)transfer;
  (void)request;
  return CAIRN_OK;
}

static cairn_outcome_t synchronize(cairn_instance_t *self, const cairn_window_t *window, void *state,
                                   const cairn_osc_sync_t *sync)
{
  (void)self;
  (void)window;
  (void)state;
  (void)sync;
  return CAIRN_DONE;
}

static const cairn_osc_ops_t ops = {
  .struct_size = sizeof ops,
  .window_open = window_open,
  .window_close = window_close,
  .transfer = transfer,
  .synchronize = synchronize,
};

static const cairn_component_t alone = {
  CAIRN_COMPONENT_HEAD,
  .framework = "osc",
  .name = "alone",
  .description = "windows of one process, whose operations do nothing",
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &ops,
};

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  static const cairn_component_t *const components[] = { &alone };
  *count = 1;
  return components;
}
