/** Accounts at a service. */
import { ServiceRefusal } from '../context.ts'
import type { Found, Service, ServiceOperation } from '../service/service.ts'

export const OPERATIONS = {
  list: { method: 'GET', path: '/accounts' },
  add: { method: 'POST', path: '/accounts' },
  show: { method: 'GET', path: '/accounts/:id' },
  disable: { method: 'POST', path: '/accounts/:id/disable' },
  enable: { method: 'POST', path: '/accounts/:id/enable' },
  tokens: { method: 'GET', path: '/tokens' },
} as const satisfies Record<string, ServiceOperation>

/** `name`: an id or a username. Throws `ServiceRefusal`; for a name that can be neither, nothing is sent. */
export async function accountOver(
  service: Service,
  operation: ServiceOperation,
  name: string,
  body?: object,
): Promise<Found> {
  const { isAccountId, isUsername } = await import('@ratafia/api')
  if (isUsername(name) || isAccountId(name)) {
    return service.call(operation, { id: name, ...(operation.method === 'GET' ? {} : { body: body ?? {} }) })
  }
  const { noSuchAccount } = await import('../../accounts/find.ts')
  const { code, message } = noSuchAccount(name)
  throw new ServiceRefusal(message, { code })
}
