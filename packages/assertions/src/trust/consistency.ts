// The checks of an assertion against others, by type (contract/devices.md 3.6 [4], 3.7).

import type { UnverifiedAssertion } from '../assertion.ts'
import { AssertionError } from '../errors.ts'
import { quote } from '../text.ts'
import type { TypeName } from '../types/registry.ts'
import { isTrustedAccount, type TrustRoots } from './trust-roots.ts'

interface Surroundings {
  readonly roots: TrustRoots
  /** The account that signed it. */
  readonly authorityId: string
  /** Finds another assertion, and checks it. */
  readonly find: (type: TypeName, primaryKey: readonly string[]) => Promise<UnverifiedAssertion | undefined>
}

type Checks = {
  readonly [Type in TypeName]?: (
    assertion: UnverifiedAssertion<Type>,
    around: Surroundings,
  ) => void | Promise<void>
}

const CHECKS: Checks = {
  account: ({ fields }, around) => checkTrustedAuthority(`the account ${quote(fields.accountId)}`, around),
  'account-key': ({ fields }, around) =>
    checkOwner(`the account-key of ${quote(fields.accountId)}`, fields.accountId, around),
  serial: checkSerial,
  store: ({ fields }, around) => checkOwner(`the store ${quote(fields.store)}`, fields.operatorId, around),
}

/** Throws {@link AssertionError} `untrusted-signer`, `missing-account` or `authority-not-allowed`. */
export async function checkConsistency(assertion: UnverifiedAssertion, around: Surroundings): Promise<void> {
  // The row belongs to the assertion's type, so it accepts this assertion.
  const check = CHECKS[assertion.type] as
    | ((assertion: UnverifiedAssertion, around: Surroundings) => void | Promise<void>)
    | undefined
  await check?.(assertion, around)
}

function checkTrustedAuthority(what: string, { roots, authorityId }: Surroundings): void {
  if (isTrustedAccount(roots, authorityId)) return
  const fault = `${what} is signed by ${quote(authorityId)}, which is not a trusted account`
  throw new AssertionError('untrusted-signer', fault)
}

/** Checks that a trusted account signed it, and that the account that owns it exists. */
async function checkOwner(what: string, accountId: string, around: Surroundings): Promise<void> {
  checkTrustedAuthority(what, around)
  if ((await around.find('account', [accountId])) !== undefined) return
  throw new AssertionError('missing-account', `${what} needs an account assertion for ${quote(accountId)}`)
}

async function checkSerial({ fields }: UnverifiedAssertion<'serial'>, around: Surroundings): Promise<void> {
  const { brandId, model } = fields
  const { authorityId } = around
  if (authorityId === brandId) return
  const found = await around.find('model', [SERIES, brandId, model])
  if (found?.type === 'model' && found.fields.serialAuthority.includes(authorityId)) return
  const signer = `${quote(authorityId)} may not sign serials of ${quote(`${brandId}/${model}`)}`
  throw new AssertionError('authority-not-allowed', `${signer}: no model lists it in "serial-authority"`)
}

/** The series of every model. */
const SERIES = '16'
