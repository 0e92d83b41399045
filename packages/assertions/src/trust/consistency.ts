// What an assertion demands of others, a row for each type (contract/devices.md 3.6 [4], 3.7).

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
  'account-key': checkAccountKey,
  serial: checkSerial,
  store: checkStore,
}

/** Throws {@link AssertionError} `untrusted-signer`, `missing-account` or `authority-not-allowed`. */
export async function checkConsistency(assertion: UnverifiedAssertion, around: Surroundings): Promise<void> {
  // The row is that of the assertion's type, so it takes this assertion.
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

async function checkAccountKey(
  { fields }: UnverifiedAssertion<'account-key'>,
  around: Surroundings,
): Promise<void> {
  const what = `the account-key of ${quote(fields.accountId)}`
  checkTrustedAuthority(what, around)
  if ((await around.find('account', [fields.accountId])) === undefined) {
    throw missingAccount(what, fields.accountId)
  }
}

async function checkSerial({ fields }: UnverifiedAssertion<'serial'>, around: Surroundings): Promise<void> {
  const { brandId, model } = fields
  const { authorityId } = around
  if (authorityId === brandId) return
  const found = await around.find('model', [SERIES, brandId, model])
  if (found?.type === 'model' && found.fields.serialAuthority.includes(authorityId)) return
  const signer = `${quote(authorityId)} may not sign serials of ${quote(`${brandId}/${model}`)}`
  throw new AssertionError('authority-not-allowed', `${signer}: no model has it in "serial-authority"`)
}

async function checkStore({ fields }: UnverifiedAssertion<'store'>, around: Surroundings): Promise<void> {
  const what = `the store ${quote(fields.store)}`
  checkTrustedAuthority(what, around)
  if ((await around.find('account', [fields.operatorId])) === undefined) {
    throw missingAccount(what, fields.operatorId)
  }
}

/** The series of every model there is. */
const SERIES = '16'

function missingAccount(what: string, accountId: string): AssertionError {
  return new AssertionError('missing-account', `${what} needs an account assertion for ${quote(accountId)}`)
}
