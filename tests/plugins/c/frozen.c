/*
 * A cri strategy written when the plugin ABI was 1.0 and its contract 1.0; compiled against the
 * headers of that time. Each thread gets the instance of its number.
 */
#include <cairn/cri.h>

#if CAIRN_ABI_MINOR != 0 || CAIRN_CRI_MINOR != 0
#error "these are not the headers of version 1.0"
#endif

static cairn_status_t open_component(cairn_instance_t *self)
{
  if (self->host->struct_size < sizeof(cairn_host_t))
    return self->host->fail(self, CAIRN_ERR_UNSUPPORTED, "the host is older than 1.0");
  return CAIRN_OK;
}

static cairn_status_t query(cairn_instance_t *self, const cairn_scope_t *scope, int32_t *priority)
{
  (void)self;
  (void)scope;
  *priority = 7;
  return CAIRN_OK;
}

static void close_component(cairn_instance_t *self) { (void)self; }

static cairn_status_t attach(cairn_instance_t *self, cairn_cri_pool_t *pool)
{
  (void)self;
  (void)pool;
  return CAIRN_OK;
}

static void detach(cairn_instance_t *self, cairn_cri_pool_t *pool)
{
  (void)self;
  (void)pool;
}

static uint32_t assign(const cairn_cri_pool_t *pool, const cairn_cri_asker_t *asker)
{
  return asker->thread->index % pool->count;
}

static const cairn_cri_ops_t ops = {
  .struct_size = sizeof ops,
  .attach = attach,
  .detach = detach,
  .assign = assign,
};

static const cairn_component_t frozen = {
  CAIRN_COMPONENT_HEAD(CRI, "cri"),
  .name = "frozen",
  .description = "a strategy from the time of version 1.0",
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &ops,
};

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  static const cairn_component_t *const components[] = { &frozen };
  *count = 1;
  return components;
}
