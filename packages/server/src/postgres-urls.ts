/**
 * The address of a PostgreSQL, which may name several hosts in libpq's form
 * (`postgres://user:password@host1:5432,host2/name?target_session_attrs=read-write`). `pg` knows one host only.
 */

/** An address for each host, in their order, without `target_session_attrs`. Undefined when `value` is not one. */
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

/** Removes what joined the parameter to the others. */
const restOf = (_: string, before: string, after: string): string => (after === '' ? '' : before)
