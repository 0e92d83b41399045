/** How publishers' tools log in, according to the current settings of the identity service. */
import { Unavailable } from '../../errors.ts'
import type { ToolLogins } from '../../http/description/service-routes.ts'
import type { IdentityService } from '../../third-party/identity-service.ts'

/** `address` is the URL of the service with the accounts. While it does not answer, password logins are off. */
export const toolLogins =
  (thirdParty: IdentityService, address: string): (() => Promise<ToolLogins>) =>
  async () => {
    try {
      const { passwordLogins, loginHost } = await thirdParty()
      const { host, protocol } = new URL(address)
      // Tools compare this host with the one in the macaroon.
      return { passwordLogins, signOn: loginHost === host ? address : `${protocol}//${loginHost}` }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return { passwordLogins: false, signOn: address }
    }
  }
