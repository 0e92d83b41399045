/** What `ratafia publishers list` can show. Apart from the rows, which load more than the help of the command may. */
export const PUBLISHER_COLUMNS = [
  'name',
  'account',
  'issuer',
  'kind',
  'match',
  'permissions',
  'packages',
  'channels',
  'stores',
  'lifetime_seconds',
  'last_used',
  'disabled_at',
  'created_at',
  'version',
] as const
