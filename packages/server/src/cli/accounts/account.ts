/** How commands call operations on an account, and show it. The code that needs schemas loads on demand. */
import type { Account } from '../../accounts/account.ts'
import type { AccountRecord } from '../../accounts/administration/account-record.ts'
import type { TransactionStores } from '../../stores.ts'
import { ServiceRefusal } from '../context.ts'
import type { Asking, Found, Service, ServiceOperation } from '../service/service.ts'

/** Calls an operation; `name` is an id or a username. Throws `ServiceRefusal`, without a request for other names. */
export async function callAccount(
  service: Service,
  operation: ServiceOperation,
  name: string,
  asking: Asking = {},
): Promise<Found> {
  await requireAccountName(name)
  const body = operation.method === 'GET' ? {} : { body: {} }
  return service.call(operation, { id: name, ...body, ...asking })
}

/** Throws `ServiceRefusal`, as for a missing account, for a name that can be neither an id nor a username. */
export async function requireAccountName(name: string): Promise<void> {
  const { isAccountId, isUsername } = await import('@ratafia/api')
  if (isUsername(name) || isAccountId(name)) return
  const { noSuchAccount } = await import('../../accounts/find.ts')
  throw ServiceRefusal.like(noSuchAccount(name))
}

/** Returns the record of an account as a service shows it. */
export async function accountRow(account: Account, installation: TransactionStores): Promise<AccountRecord> {
  const { accountRecord } = await import('../../accounts/administration/account-record.ts')
  return accountRecord(account, installation)
}
