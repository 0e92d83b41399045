/** Calls the operations on a user's own credentials that only the console has, on a running service's database. */
import assert from 'node:assert/strict'
import { newSessionId } from '@ratafia/api'
import type { Account } from '../../src/accounts/account.ts'
import { authorityOf, type ManagerAuthority } from '../../src/management/tokens/manager.ts'
import { resolvePackages } from '../../src/package-directory/resolve.ts'
import { newEntry } from '../../src/start/changing.ts'
import { ownCredentials } from '../../src/start/service/console.ts'
import { bundledIdentity } from '../../src/third-party/identity-service.ts'
import { parseSignedIn } from '../../src/third-party/signed-in.ts'
import type { SignedIn } from './managers.ts'
import { openingOf } from './openings.ts'
import type { TestService } from './service.ts'

/** Returns the authority of a console session that a person opened just now. */
export async function inConsole(
  service: TestService,
  account: Account,
  { signedIn = `browser ${service.now().toISOString()}` }: SignedIn = {},
): Promise<ManagerAuthority> {
  const sessionId = newSessionId()
  const until = service.now().getTime() + 3_600_000
  const opening = openingOf(
    {
      ...{
        id: sessionId,
        accountId: account.id,
        kind: 'management',
        origin: signedIn,
        description: 'console',
        openedIn: 'console',
      },
      ...{ validSince: service.now(), validUntil: new Date(until) },
    },
    service.now(),
    account.loginsSince,
  )
  assert.ok(await service.installation.tokenSessions.openPatiently(opening))
  const manager = {
    ...{ account, sessionId, until, signIn: parseSignedIn(signedIn) },
    ...{ minted: { grants: [], readOnly: false }, limits: [], grants: [] },
    ...{ since: service.now(), agentSince: undefined, inConsole: true },
  }
  return authorityOf(manager, { source: '192.0.2.7', request: 'r-1', via: 'console' }, service.now())
}

/** Returns the operations. They use the installation's identity service, or the one at `identity`. */
export function ownCredentialsOf({ baseUrl, installation }: TestService, identity?: string) {
  const { clock, config, keyring } = installation
  const location = `${baseUrl}/identity`
  return ownCredentials(
    {
      ...{ baseUrl, entryOf: newEntry(clock), location: new URL(baseUrl).host },
      identity: {
        location: identity ?? location,
        key: config.identityCondition,
        bundled: identity === undefined,
      },
      lifetime: { standard: config.tokenLifetime, most: config.tokenMaxLifetime },
      snapIds: (references) => resolvePackages(references, installation),
      thirdParty: bundledIdentity(keyring, identity ?? location, config),
    },
    installation,
  )
}
