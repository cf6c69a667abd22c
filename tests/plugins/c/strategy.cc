/*
 * A cri strategy in C++20, as the vendor guide says to write it: the macros and the designated
 * initialisers must compile in the order that C++ asks for.
 */
#include <exception>
#include <memory>

#include <cairn/cri.h>
#include <cairn/param.h>

namespace {

struct State {
  uint32_t first;
};

const cairn_param_cell_t *priority_param;

cairn_status_t register_params(cairn_instance_t *self)
{
  const cairn_param_spec_t spec = {
    .struct_size = sizeof spec,
    .kind = CAIRN_PARAM_INTEGER,
    .level = 5,
    .name = "priority",
    .help = "Priority in the choice among the components of the framework; the highest wins",
    .default_value = "1",
    .min = 0,
    .max = 100,
  };
  return self->host->param_register(self, &spec, &priority_param);
}

cairn_status_t open_component(cairn_instance_t *)
{
  return CAIRN_OK;
}

cairn_status_t query(cairn_instance_t *, const cairn_scope_t *, int32_t *priority)
{
  *priority = static_cast<int32_t>(cairn_param_integer(priority_param));
  return CAIRN_OK;
}

void close_component(cairn_instance_t *) {}

cairn_status_t attach(cairn_instance_t *self, cairn_cri_pool_t *pool)
try {
  pool->strategy_state = std::make_unique<State>(State{pool->count - 1}).release();
  return CAIRN_OK;
} catch (const std::exception &error) {
  return self->host->fail(self, CAIRN_ERR_OTHER, error.what());
}

void detach(cairn_instance_t *, cairn_cri_pool_t *pool)
{
  delete static_cast<State *>(pool->strategy_state);
  pool->strategy_state = nullptr;
}

uint32_t assign(const cairn_cri_pool_t *pool, const cairn_cri_asker_t *asker)
{
  return (static_cast<const State *>(pool->strategy_state)->first + asker->thread->index) %
         pool->count;
}

constexpr cairn_cri_ops_t ops = {
  .struct_size = sizeof ops,
  .attach = attach,
  .detach = detach,
  .assign = assign,
};

constexpr cairn_component_t component = {
  CAIRN_COMPONENT_HEAD,
  .version_major = 1,
  .framework = "cri",
  .name = "cxx",
  .description = "gives threads CRIs from the last one on (a test in C++)",
  .register_params = register_params,
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &ops,
};

constexpr const cairn_component_t *components[] = {&component};

} // namespace

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  *count = 1;
  return components;
}
