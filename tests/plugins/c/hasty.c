/*
 * A way of waiting that is as hasty as the macros say.
 *
 *   -DPASSES=N   it gives up after N passes, and says that it has waited
 *   -DFAILS      it returns a failure without having said why
 */
#include <cairn/wait.h>

#ifndef PASSES
#define PASSES UINT32_MAX
#endif

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

/* As the header says: everything has happened, and no completer is still about to say so. */
static int is_complete(const cairn_wait_sync_t *sync)
{
  if (__atomic_load_n(&sync->pending, __ATOMIC_ACQUIRE) > 0 &&
      (!sync->word || __atomic_load_n(sync->word, __ATOMIC_ACQUIRE) == sync->expected))
    return 0;
  return __atomic_load_n(&sync->signalling, __ATOMIC_ACQUIRE) == 0;
}

static cairn_status_t wait_for(cairn_instance_t *self, const cairn_wait_sync_t *sync,
                               const cairn_wait_means_t *means)
{
  (void)self;
#ifdef FAILS
  return CAIRN_ERR_RESOURCES;
#endif
  for (uint32_t pass = 0; pass < PASSES && !is_complete(sync); pass++)
    if (means->poll(means, sync) == 0) means->sleep(means, sync, 100);
  return CAIRN_OK;
}

static const cairn_wait_ops_t ops = {
  .struct_size = sizeof ops,
  .wait = wait_for,
};

static const cairn_component_t hasty = {
  CAIRN_COMPONENT_HEAD,
  .framework = "wait",
  .name = "hasty",
  .description = "waits as long as the macros say",
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &ops,
};

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  static const cairn_component_t *const components[] = { &hasty };
  *count = 1;
  return components;
}
