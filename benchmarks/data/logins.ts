/** Creates many logins that are not exchanged yet. Each is a root macaroon and its discharge, as an agent gets them. */
import {
  decodeBakeryMacaroon,
  discharge,
  dischargeAll,
  formatMacaroonsHeader,
} from '@ratafia/macaroon/bakery'
import { formatDeclared, formatTimeBefore } from '@ratafia/macaroon/conditions'
import type { Scene } from '../../faults/load/scene.ts'
import { formatLoginMark } from '../../packages/server/src/accounts/ended-logins/login-mark.ts'
import { bundledIdentity } from '../../packages/server/src/third-party/identity-service.ts'
import { createToken } from '../../packages/server/src/tokens/create.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { opened } from './opened.ts'
import { accountsOf } from './tokens.ts'

const DAY_MS = 86_400_000

/** Returns values of the header `Macaroons`, spread evenly over the people of the scene. */
export async function manyLogins(
  installation: BenchInstallation,
  scene: Scene,
  count: number,
): Promise<readonly string[]> {
  return opened(installation, async (on) => {
    const accounts = await accountsOf(on, scene)
    const baseUrl = installation.environment['RATAFIA_BASE_URL'] ?? ''
    const location = `${baseUrl}/identity`
    const { config, keyring, clock } = on
    const deps = {
      ...{
        ...on,
        baseUrl,
        location: new URL(baseUrl).host,
        thirdParty: bundledIdentity(keyring, location, config),
      },
      identity: { location, key: config.identityCondition, bundled: true },
      lifetime: { standard: config.tokenLifetime, most: config.tokenMaxLifetime },
      snapIds: async () => [],
    }
    const keyPairs = await keyring.dischargerKeyPairs()
    const made: string[] = []
    for (let at = 0; at < count; at++) {
      const account = accounts[at % accounts.length]
      if (!account) throw new TypeError('the scene has people')
      const { macaroon } = await createToken({}, deps as never)
      const conditions = [
        formatDeclared('userid', account.id),
        formatLoginMark(account, clock()),
        formatTimeBefore(new Date(Date.now() + DAY_MS)),
      ]
      const answer = ({ id, caveat }: { id: Uint8Array; caveat: Uint8Array | undefined }) =>
        discharge({ id, caveat, keyPairs, check: async () => conditions })
      made.push(formatMacaroonsHeader(await dischargeAll(decodeBakeryMacaroon(JSON.parse(macaroon)), answer)))
    }
    return made
  })
}
