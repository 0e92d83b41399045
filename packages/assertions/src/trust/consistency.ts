// What must hold between an assertion and others, a row for each type (contract/devices.md 3.6 [4], 3.7).

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
  account: ({ fields }, around) =>
    checkTrustedAuthority(`account assertion for ${quote(fields.accountId)}`, around),
  'account-key': checkAccountKey,
  serial: checkSerial,
  store: checkStore,
}

/** Throws {@link AssertionError} `untrusted` or `inconsistent`. */
export async function checkConsistency(assertion: UnverifiedAssertion, around: Surroundings): Promise<void> {
  // The row is that of the assertion's type, so it takes this assertion.
  const check = CHECKS[assertion.type] as
    | ((assertion: UnverifiedAssertion, around: Surroundings) => void | Promise<void>)
    | undefined
  await check?.(assertion, around)
}

function checkTrustedAuthority(what: string, { roots, authorityId }: Surroundings): void {
  if (isTrustedAccount(roots, authorityId)) return
  throw new AssertionError(
    'untrusted',
    `${what} is not signed by a trusted account but by ${quote(authorityId)}`,
  )
}

async function checkAccountKey(
  { fields }: UnverifiedAssertion<'account-key'>,
  around: Surroundings,
): Promise<void> {
  const what = `account-key assertion for ${quote(fields.accountId)}`
  checkTrustedAuthority(what, around)
  if ((await around.find('account', [fields.accountId])) === undefined) {
    throw inconsistent(`${what} does not have a matching account assertion`)
  }
}

async function checkSerial({ fields }: UnverifiedAssertion<'serial'>, around: Surroundings): Promise<void> {
  const { brandId, model } = fields
  const { authorityId } = around
  if (authorityId === brandId) return
  const found = await around.find('model', [SERIES, brandId, model])
  if (found?.type === 'model' && found.fields.serialAuthority.includes(authorityId)) return
  const names = `authority ${quote(authorityId)} different from brand ${quote(brandId)}`
  // Word for word as snapd says it.
  throw inconsistent(
    `serial with ${names} without model assertion with serial-authority set to to allow for them`,
  )
}

async function checkStore({ fields }: UnverifiedAssertion<'store'>, around: Surroundings): Promise<void> {
  const what = `store assertion ${quote(fields.store)}`
  checkTrustedAuthority(what, around)
  if ((await around.find('account', [fields.operatorId])) === undefined) {
    const operator = quote(fields.operatorId)
    throw inconsistent(`${what} does not have a matching account assertion for the operator ${operator}`)
  }
}

/** The series of every model there is. */
const SERIES = '16'

function inconsistent(fault: string): AssertionError {
  return new AssertionError('inconsistent', fault)
}
