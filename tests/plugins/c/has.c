/*
 * What CAIRN_HAS says of structs of several sizes, also where a field is there in part. Ends with the
 * number of the line whose check fails; 0 when all hold.
 */
#include <stdio.h>

#include <cairn/component.h>
#include <cairn/host.h>
#include <cairn/scope.h>

static int checks(void)
{
  cairn_host_t host = { .struct_size = sizeof host };
  const cairn_host_t *seen = &host;
  if (!CAIRN_HAS(seen, show_once) || !CAIRN_HAS(seen, abi_major) || !CAIRN_HAS(&host, receive))
    return __LINE__;
  /* An older host: everything up to the field, and nothing of it. */
  host.struct_size = offsetof(cairn_host_t, show_once);
  if (CAIRN_HAS(seen, show_once) || !CAIRN_HAS(seen, service))
    return __LINE__;
  host.struct_size = offsetof(cairn_host_t, show_once) + sizeof host.show_once - 1;
  if (CAIRN_HAS(seen, show_once))
    return __LINE__;
  host.struct_size += 1;
  if (!CAIRN_HAS(seen, show_once))
    return __LINE__;
  /* A newer one. */
  host.struct_size = sizeof host + 64;
  if (!CAIRN_HAS(seen, show_once))
    return __LINE__;

  /* A size that is not the first field, and a field that is an array. */
  cairn_component_t component = { .struct_size = offsetof(cairn_component_t, aliases) };
  if (CAIRN_HAS(&component, aliases) || !CAIRN_HAS(&component, ops))
    return __LINE__;
  cairn_scope_t scope = { .struct_size = sizeof scope };
  if (!CAIRN_HAS(&scope, slots))
    return __LINE__;
  scope.struct_size -= 1;
  if (CAIRN_HAS(&scope, slots) || !CAIRN_HAS(&scope, info))
    return __LINE__;
  return 0;
}

int main(void)
{
  const int line = checks();
  if (line != 0)
    printf("the check before line %d fails\n", line);
  return line != 0;
}
