/**
 * Codes for whoever has lost their authenticator. Each is 80 random bits in Crockford's base32, so a fast hash is
 * enough: nobody finds one by trying.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { AccountId } from '@ratafia/api'

const COUNT = 10
const BYTES = 10
const LENGTH = (BYTES * 8) / 5
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** As people see them: `K3V9-0WZT-61MC-8RYQ`. In capitals: the log has no part of a path with any (`access-log.ts`). */
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
  const code = bareCode(typed).toUpperCase().replace(/[IL]/g, '1').replaceAll('O', '0')
  if (code.length !== LENGTH || [...code].some((character) => !ALPHABET.includes(character))) return undefined
  return createHash('sha256').update(`ratafia recovery code\0${accountId}\0${code}`).digest()
}

/** Returns a code without what was typed between its groups, such as spaces and dashes, and with full-width characters narrowed. */
export const bareCode = (typed: string): string => typed.normalize('NFKC').replace(/[\s\p{Pd}]/gu, '')
