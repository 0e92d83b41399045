/**
 * The address of a PostgreSQL server, which can name several hosts in libpq's form
 * (`postgres://user:password@host1:5432,host2/name?target_session_attrs=read-write`). `pg` accepts only one host.
 */

/** Returns an address per host, in order, without `target_session_attrs`; undefined if `value` is not an address. */
export function postgresUrls(value: string): readonly [string, ...string[]] | undefined {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(value) ?? []
  if (before === '') return undefined
  const [first = '', ...others] = hosts
    .split(',')
    .map((host) => before + host + after.replace(/([?&])target_session_attrs=[^&#]*(&|(?=#|$))/, restOf))
  const urls = [first, ...others] as const
  return urls.every((url) => URL.canParse(url)) ? urls : undefined
}

/** Removes the separator that joined the parameter to the others. */
const restOf = (_: string, before: string, after: string): string => (after === '' ? '' : before)
