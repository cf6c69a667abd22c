/*
 * by_peer: a cri strategy in C, as an author outside the project writes it.
 *
 * Operations to the same peer use the same communication resource instance (CRI), so that messages
 * to one peer never wait for messages to another, whichever threads send them. Where an operation has
 * no peer, the thread's number decides.
 *
 * Build and try it:
 *
 *   make
 *   cairn-info check cri_by_peer.so
 *   cairn-info --selected --mca mca_component_path . --mca cri by_peer
 */
#include <stdio.h>
#include <stdlib.h>

#include <cairn/cri.h>
#include <cairn/param.h>

/* cri_by_peer_priority, which every component has, and how many peers in a row share a CRI. */
static const cairn_param_cell_t *priority_param;
static const cairn_param_cell_t *stride;

static cairn_status_t register_params(cairn_instance_t *self)
{
  /* Behind the strategies that Cairn ships: it serves those who ask for it by name. */
  const cairn_param_spec_t priority_spec = {
    .struct_size = sizeof priority_spec,
    .kind = CAIRN_PARAM_INTEGER,
    .level = 5,
    .name = "priority",
    .help = "Priority in the choice among the components of the framework; the highest wins",
    .default_value = "5",
    .min = 0,
    .max = 100,
  };
  const cairn_param_spec_t stride_spec = {
    .struct_size = sizeof stride_spec,
    .kind = CAIRN_PARAM_INTEGER,
    .level = 5,
    .name = "stride",
    .help = "How many peers with consecutive ranks share a CRI",
    .default_value = "1",
    .min = 1,
    .max = 1 << 20,
  };
  const cairn_status_t status =
    self->host->param_register(self, &priority_spec, &priority_param);
  if (status != CAIRN_OK)
    return status;
  return self->host->param_register(self, &stride_spec, &stride);
}

static cairn_status_t open_component(cairn_instance_t *self)
{
  (void)self;
  return CAIRN_OK;
}

static cairn_status_t query(cairn_instance_t *self, const cairn_scope_t *scope, int32_t *priority)
{
  (void)self;
  (void)scope;
  *priority = (int32_t)cairn_param_integer(priority_param);
  return CAIRN_OK;
}

static void close_component(cairn_instance_t *self)
{
  (void)self;
}

/* What the strategy keeps for a pool: the stride, which does not change while it is used. */
struct state {
  uint32_t stride;
};

static cairn_status_t attach(cairn_instance_t *self, cairn_cri_pool_t *pool)
{
  struct state *state = malloc(sizeof *state);
  if (state == NULL)
    return self->host->fail(self, CAIRN_ERR_RESOURCES, "no memory for a pool");
  state->stride = (uint32_t)cairn_param_integer(stride);
  pool->strategy_state = state;
  return CAIRN_OK;
}

static void detach(cairn_instance_t *self, cairn_cri_pool_t *pool)
{
  (void)self;
  free(pool->strategy_state);
  pool->strategy_state = NULL;
}

static uint32_t assign(const cairn_cri_pool_t *pool, const cairn_cri_asker_t *asker)
{
  const struct state *state = pool->strategy_state;
  if (asker->peer == CAIRN_CRI_NO_PEER)
    return asker->thread->index % pool->count;
  return asker->peer / state->stride % pool->count;
}

static size_t describe(const cairn_cri_pool_t *pool, char *text, size_t capacity)
{
  const struct state *state = pool->strategy_state;
  return (size_t)snprintf(text, capacity, "%u peers in a row share one of %u CRIs",
                          state->stride, pool->count);
}

static const cairn_cri_ops_t ops = {
  .struct_size = sizeof ops,
  .attach = attach,
  .detach = detach,
  .assign = assign,
  .describe = describe,
};

static const cairn_component_t by_peer = {
  CAIRN_COMPONENT_HEAD,
  .version_major = 1,
  .framework = "cri",
  .name = "by_peer",
  .description = "gives each peer a CRI (an example in C)",
  .register_params = register_params,
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &ops,
};

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  static const cairn_component_t *const components[] = { &by_peer };
  *count = sizeof components / sizeof components[0];
  return components;
}
