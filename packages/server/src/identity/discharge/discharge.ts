/** `POST discharge`: vouches for somebody who has logged in, or says how to (contract/bakery.md 3.1 to 3.3). */
import { createHash } from 'node:crypto'
import {
  type BakeryMacaroonJson,
  type CaveatCheck,
  discharge,
  encodeBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import { formatDeclared, formatTimeBefore } from '@ratafia/macaroon/conditions'
import { DISCHARGE_MS, type IdentityDependencies } from '../dependencies.ts'
import { InteractionRequired } from '../errors.ts'
import { parseIdentityCondition } from './identity-condition.ts'
import type { Client, DischargeToken } from './interaction.ts'
import { offerInteractions, redeemToken } from './interaction-kinds.ts'
import { withOwnKeyPairs } from './own-key-pairs.ts'

export interface DischargeRequest {
  /** Of the caveat. */
  readonly id: Uint8Array
  /** The payload that goes with a short id. */
  readonly caveat: Uint8Array | undefined
  readonly token: DischargeToken | undefined
  readonly client: Client
}

/**
 * Throws {@link InteractionRequired} without a token; IdentityError, BakeryError, ConditionError or RequestError when
 * the caveat or the token is no good or the account is disabled. Writes nothing.
 */
export async function dischargeCaveat(
  request: DischargeRequest,
  deps: IdentityDependencies,
): Promise<BakeryMacaroonJson> {
  const { id, caveat, token, client } = request
  const digest = caveatDigest(id, caveat)
  const check: CaveatCheck = async (condition, { firstPartyPublicKey }) => {
    const { key, declare, summary } = parseIdentityCondition(condition)
    if (!token) {
      const login = { caveat: digest, firstParty: firstPartyPublicKey, summary, client }
      throw new InteractionRequired(await offerInteractions(login, deps))
    }
    const account = await redeemToken(token, digest, deps)
    const until = new Date(deps.clock().getTime() + DISCHARGE_MS)
    return [formatDeclared(key, declare(account)), formatTimeBefore(until)]
  }
  const discharged = await withOwnKeyPairs(deps.keyring, (keyPairs) =>
    discharge({ id, caveat, keyPairs, check }),
  )
  return encodeBakeryMacaroon(discharged)
}

/** One digest for id and payload, with the length between them: short ids are the same for every client. */
function caveatDigest(id: Uint8Array, payload: Uint8Array | undefined): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(id.length)
  return createHash('sha256')
    .update(length)
    .update(id)
    .update(payload ?? new Uint8Array())
    .digest()
}
