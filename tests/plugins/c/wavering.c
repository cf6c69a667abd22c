/*
 * A strategy of issue that says what the macros say.
 *
 *   -DDECISION=N   its answer to every operation
 *   -DWAVERS       it takes back what it has said when more operations wait
 *   -DLEARNS_WRONG from an epoch without bytes it learns something that is no decision
 */
#include <cairn/issue.h>
#include <stdlib.h>

#ifndef DECISION
#define DECISION CAIRN_ISSUE_GO
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

struct window {
  uint32_t learned;
};

static cairn_status_t window_open(cairn_instance_t *self, const cairn_scope_t *window, void **state)
{
  (void)self;
  (void)window;
  *state = calloc(1, sizeof(struct window));
  return *state ? CAIRN_OK : CAIRN_ERR_RESOURCES;
}

static void window_close(cairn_instance_t *self, void *state)
{
  (void)self;
  free(state);
}

static uint32_t epoch_open(cairn_instance_t *self, void *state, uint32_t epoch)
{
  (void)self;
  (void)state;
  (void)epoch;
  return CAIRN_ISSUE_HOLD;
}

static uint32_t operation(cairn_instance_t *self, void *state, const cairn_issue_operation_t *operation)
{
  struct window *window = state;
  (void)self;
#ifdef WAVERS
  if (operation->waiting > 20) return CAIRN_ISSUE_BEGIN;
#endif
  (void)operation;
  return DECISION + __atomic_load_n(&window->learned, __ATOMIC_RELAXED);
}

static void epoch_close(cairn_instance_t *self, void *state, const cairn_issue_history_t *history)
{
  struct window *window = state;
  (void)self;
  (void)window;
  (void)history;
#ifdef LEARNS_WRONG
  if (history->bytes == 0) __atomic_store_n(&window->learned, 100, __ATOMIC_RELAXED);
#endif
}

static const cairn_issue_ops_t ops = {
  .struct_size = sizeof ops,
  .window_open = window_open,
  .window_close = window_close,
  .epoch_open = epoch_open,
  .operation = operation,
  .epoch_close = epoch_close,
};

static const cairn_component_t wavering = {
  CAIRN_COMPONENT_HEAD,
  .framework = "issue",
  .name = "wavering",
  .description = "decides what the macros say",
  .open = open_component,
  .query = query,
  .close = close_component,
  .ops = &ops,
};

const cairn_component_t *const *cairn_components(uint32_t *count)
{
  static const cairn_component_t *const components[] = { &wavering };
  *count = 1;
  return components;
}
