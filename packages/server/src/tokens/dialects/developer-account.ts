/** `GET /dev/api/account`: the account of a token, as snapcraft 4 to 6 read it after a login. */
import type { DeveloperAccount } from '@ratafia/api'
import type { Account } from '../../accounts/account.ts'

/** Keys and snaps are the store's: this service knows none. */
export const developerAccount = ({ id, email, username, name }: Account): DeveloperAccount => ({
  account_id: id,
  id,
  email,
  username,
  displayname: name,
  account_keys: [],
  'account-keys': [],
  // Without the series, its clients fail.
  snaps: { '16': {} },
})
