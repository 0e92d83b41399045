/** How long each signing key can still sign, for monitoring: a brand without a key signs nothing. */
import type { Stores } from '../../stores.ts'
import { listSigningKeys } from './list-signing-keys.ts'

export interface SigningKeyLife {
  readonly accountId: string
  readonly keyId: string
  /** Seconds. 0 if it cannot sign now: it is disabled or expired, or its chain reaches no trusted root. */
  readonly remaining: number
}

/** Seconds, for a key that never expires: metrics pass between processes as text, which has no infinity. */
const ENDLESS = 100 * 365.25 * 86_400

/** All keys, including disabled ones. */
export async function signingKeyLives(deps: Stores): Promise<readonly SigningKeyLife[]> {
  const now = deps.clock().getTime()
  const keys = await listSigningKeys(undefined, deps)
  return keys.map(({ accountId, keyId, until, disabledAt, fault }) => {
    const usable = disabledAt === null && fault === undefined
    const left = until === undefined ? ENDLESS : Math.max(0, (until.getTime() - now) / 1000)
    return { accountId, keyId, remaining: usable ? left : 0 }
  })
}
