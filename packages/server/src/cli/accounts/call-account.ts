/** Calls operations on an account by its name. */
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
  const { code, message } = noSuchAccount(name)
  throw new ServiceRefusal(message, { code })
}
