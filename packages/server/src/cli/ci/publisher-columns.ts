/** The columns of `ratafia publishers list`. A module of its own, because the rows load more than `--help` should. */
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
