/** How long the signing keys can still sign, for those who watch the service: a brand without a key signs nothing. */
import { type ListSigningKeysDeps, listSigningKeys } from './list-signing-keys.ts'

export interface SigningKeyLife {
  readonly accountId: string
  readonly keyId: string
  /** Seconds. 0: it cannot sign now, because it is disabled, or expired, or nothing leads from it to a trusted root. */
  readonly remaining: number
}

/** For a key without an end: no text form of metrics between processes has an infinity. Seconds. */
export const ENDLESS = 100 * 365.25 * 86_400

/** Of all keys, the disabled ones too. */
export async function signingKeyLives(deps: ListSigningKeysDeps): Promise<readonly SigningKeyLife[]> {
  const now = deps.clock().getTime()
  const keys = await listSigningKeys(undefined, deps)
  return keys.map(({ accountId, keyId, until, disabledAt, fault }) => {
    const usable = disabledAt === null && fault === undefined
    const left = until === undefined ? ENDLESS : Math.max(0, (until.getTime() - now) / 1000)
    return { accountId, keyId, remaining: usable ? left : 0 }
  })
}
