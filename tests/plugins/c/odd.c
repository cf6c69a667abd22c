/*
 * A cri strategy with whatever is wrong with it that the macros say. Without any it is a good one
 * that always answers 0.
 *
 *   NAME, FRAMEWORK        what it calls itself
 *   ABI, MINOR             the version
 *   SIZE, TABLE_SIZE       sizes that the structs claim
 *   MAGIC                  the first word
 *   NO_OPEN, NO_ASSIGN, NO_TABLE   what is missing
 *   OPEN_FAILS, DECLINES, REGISTER_FAILS   what it answers
 *   OPEN_RETURNS, QUERY_RETURNS   a status that it returns without saying why
 *   PRIORITY               the priority it asks for; NO_PRIORITY: none
 *   OPENS_ONCE             fails when it is opened again
 *   ATTACH_FAILS           takes no pool
 *   LEAKS_COUNTERS         leaves a counter's cell with every pool
 *   NO_ENTRY, NOTHING, NULL_DESCRIPTOR     what the library exports
 *   TWO_NAMES              registers a parameter with a synonym and a former name
 *   BAD_PARAM              registers a parameter that makes no sense
 *   BEYOND                 answers with an index that is not there
 *   NEEDS_SYMBOL           calls a function that no library has
 */
#include <cairn/cri.h>
#include <cairn/param.h>

#ifndef NAME
#define NAME "odd"
#endif
#ifndef FRAMEWORK
#define FRAMEWORK "cri"
#endif
#ifndef ABI
#define ABI CAIRN_ABI_MAJOR
#endif
#ifndef MAGIC
#define MAGIC CAIRN_MAGIC
#endif
#ifndef MINOR
#define MINOR CAIRN_ABI_MINOR
#endif

#ifndef PRIORITY
#define PRIORITY 1
#endif

#ifdef NEEDS_SYMBOL
void a_function_that_is_nowhere(void);
#endif

/* A function with a name that other plugins have too; each must get its own. */
__attribute__((visibility("default"))) const char *common_name(void) { return NAME; }

static cairn_status_t register_params(cairn_instance_t *self)
{
#ifdef REGISTER_FAILS
  return self->host->fail(self, CAIRN_ERR_OTHER, "it does not want to");
#elif defined(BAD_PARAM)
  const cairn_param_cell_t *cell;
  const cairn_param_spec_t spec = {
    .struct_size = sizeof spec, .kind = CAIRN_PARAM_INTEGER, .level = 12, .name = "x",
    .help = "It has a level that is not there", .default_value = "1", .max = 2,
  };
  return self->host->param_register(self, &spec, &cell);
#elif defined(TWO_NAMES)
  const cairn_param_cell_t *cell;
  const cairn_param_spec_t spec = {
    .struct_size = sizeof spec, .kind = CAIRN_PARAM_INTEGER, .level = 2, .name = "x",
    .help = "It has three names.", .default_value = "1", .max = 2,
    .synonyms = "odd_y", .deprecated_synonyms = "odd_z",
  };
  return self->host->param_register(self, &spec, &cell);
#else
  (void)self;
  return CAIRN_OK;
#endif
}

#ifndef NO_OPEN
static cairn_status_t open_component(cairn_instance_t *self)
{
#ifdef OPEN_FAILS
  return self->host->fail(self, CAIRN_ERR_UNAVAILABLE, "the flux capacitor is empty");
#endif
#ifdef OPEN_RETURNS
  return OPEN_RETURNS;
#endif
#ifdef OPENS_ONCE
  static int opened;
  if (opened++)
    return self->host->fail(self, CAIRN_ERR_OTHER, "once is enough");
#endif
#ifdef NEEDS_SYMBOL
  a_function_that_is_nowhere();
#endif
  self->host->log(self, CAIRN_LOG_INFO, common_name());
  return CAIRN_OK;
}
#endif

static cairn_status_t query(cairn_instance_t *self, const cairn_scope_t *scope, int32_t *priority)
{
  (void)scope;
#ifdef DECLINES
  return self->host->fail(self, CAIRN_ERR_UNAVAILABLE, "not in this weather");
#elif defined(QUERY_RETURNS)
  (void)self;
  (void)priority;
  return QUERY_RETURNS;
#else
  (void)self;
#ifndef NO_PRIORITY
  *priority = PRIORITY;
#else
  (void)priority;
#endif
  return CAIRN_OK;
#endif
}

static void close_component(cairn_instance_t *self) { (void)self; }

static cairn_status_t attach(cairn_instance_t *self, cairn_cri_pool_t *pool)
{
  (void)self;
  (void)pool;
#ifdef ATTACH_FAILS
  return self->host->fail(self, CAIRN_ERR_RESOURCES, "it has no room");
#endif
#ifdef LEAKS_COUNTERS
  static cairn_counter_cell_t cells[100];
  static unsigned used;
  const cairn_counter_spec_t spec = {
    .struct_size = sizeof spec, .level = 4, .name = "used", .help = "How often it was used",
  };
  return self->host->counter_add(self, &spec, &cells[used++]);
#else
  return CAIRN_OK;
#endif
}

static void detach(cairn_instance_t *self, cairn_cri_pool_t *pool)
{
  (void)self;
  (void)pool;
}

#ifndef NO_ASSIGN
static uint32_t assign(const cairn_cri_pool_t *pool, const cairn_cri_asker_t *asker)
{
  (void)asker;
#ifdef BEYOND
  return pool->count;
#else
  (void)pool;
  return 0;
#endif
}
#endif

static const cairn_cri_ops_t table = {
#ifdef TABLE_SIZE
  .struct_size = TABLE_SIZE,
#else
  .struct_size = sizeof(cairn_cri_ops_t),
#endif
  .attach = attach,
  .detach = detach,
#ifndef NO_ASSIGN
  .assign = assign,
#endif
};

static const cairn_component_t odd = {
  .magic = MAGIC,
#ifdef SIZE
  .struct_size = SIZE,
#else
  .struct_size = sizeof(cairn_component_t),
#endif
  .abi_major = ABI,
  .abi_minor = MINOR,
  .framework = FRAMEWORK,
  .name = NAME,
  .description = "a strategy for tests",
  .register_params = register_params,
#ifndef NO_OPEN
  .open = open_component,
#endif
  .query = query,
  .close = close_component,
#ifndef NO_TABLE
  .ops = &table,
#endif
};

#ifndef NO_ENTRY
const cairn_component_t *const *cairn_components(uint32_t *count)
{
#ifdef NULL_DESCRIPTOR
  static const cairn_component_t *const components[] = { 0 };
#else
  static const cairn_component_t *const components[] = { &odd };
#endif
#ifdef NOTHING
  *count = 0;
#else
  *count = 1;
#endif
  return components;
}
#endif
