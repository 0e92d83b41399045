/**
 * Recovery codes, for users who have lost their authenticator. Each has 80 random bits, in Crockford's
 * base32. That is too many to guess, so a fast hash is enough.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'

const COUNT = 10
const BYTES = 10
const LENGTH = (BYTES * 8) / 5
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns codes such as `K3V9-0WZT-61MC-8RYQ`. The log omits parts of a path with capitals (`access-log.ts`). */
export const newRecoveryCodes = (): readonly string[] => Array.from({ length: COUNT }, newRecoveryCode)

function newRecoveryCode(): string {
  const bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`)
  const characters = Array.from({ length: LENGTH }, (_, place) => {
    const shift = BigInt(5 * (LENGTH - 1 - place))
    return ALPHABET[Number((bits >> shift) & 31n)]
  })
  return characters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** Returns the stored hash of a typed code; undefined if it cannot be a code. A hash is valid for one account. */
export function recoveryCodeHash(accountId: AccountId, typed: string): Buffer | undefined {
  const code = bareCode(typed).toUpperCase().replace(/[IL]/g, '1').replaceAll('O', '0')
  if (code.length !== LENGTH || [...code].some((character) => !ALPHABET.includes(character))) return undefined
  return createHash('sha256').update(`ratafia recovery code\0${accountId}\0${code}`).digest()
}

/** Removes spaces and dashes from a typed code, and narrows full-width characters. */
export const bareCode = (typed: string): string => typed.normalize('NFKC').replace(/[\s\p{Pd}]/gu, '')
