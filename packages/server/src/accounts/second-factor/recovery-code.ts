/**
 * Codes for whoever has lost their authenticator. Each is 80 random bits in Crockford's base32, so a fast hash is
 * enough: nobody finds one by trying.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'

const COUNT = 10
const BYTES = 10
const LENGTH = (BYTES * 8) / 5
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** As people see them: `k3v9-0wzt-61mc-8ryq`. */
export const newRecoveryCodes = (): readonly string[] => Array.from({ length: COUNT }, newRecoveryCode)

function newRecoveryCode(): string {
  const bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`)
  const characters = Array.from({ length: LENGTH }, (_, place) => {
    const shift = BigInt(5 * (LENGTH - 1 - place))
    return ALPHABET[Number((bits >> shift) & 31n)]
  })
  return characters.join('').replace(/.{4}(?=.)/g, '$&-')
}

/** What is stored of a code, as it was typed; undefined if it cannot be one. A hash is good for one account. */
export function recoveryCodeHash(accountId: AccountId, typed: string): Buffer | undefined {
  const code = typed.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replaceAll('o', '0')
  if (code.length !== LENGTH || [...code].some((character) => !ALPHABET.includes(character))) return undefined
  return createHash('sha256').update(`ratafia recovery code\0${accountId}\0${code}`).digest()
}
