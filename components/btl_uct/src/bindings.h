/* What bindings.sh makes bindings.rs of. */
#include <ucs/async/async_fwd.h>
#include <ucs/debug/log_def.h>
#include <ucm/api/ucm.h>
#include <uct/api/uct.h>
