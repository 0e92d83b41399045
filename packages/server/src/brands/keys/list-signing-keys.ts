/** The keys that sign serials, without their secrets, and whether each can sign now. */
import { AssertionError, type UnverifiedAssertion } from '@ratafia/assertions'
import { RequestError } from '../../errors.ts'
import type { BrandStore, StoredSigningKey } from '../brand-store.ts'
import { findAssertion, type TrustDeps, trustContext } from '../trust/trust.ts'
import { checkSigningKey } from './signing-key-fit.ts'

export interface SigningKeyDescription {
  readonly keyId: string
  readonly accountId: string
  readonly name: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
  readonly addedAt: Date
  readonly disabledAt: Date | null
  /** Why it cannot sign now, though it is not disabled; undefined if it can. */
  readonly fault: string | undefined
}

export interface ListSigningKeysDeps extends TrustDeps {
  readonly brands: Pick<BrandStore, 'keys'>
}

/** The keys of one account or of all, by account and time. */
export async function listSigningKeys(
  accountId: string | undefined,
  deps: ListSigningKeysDeps,
): Promise<readonly SigningKeyDescription[]> {
  const keys = await deps.brands.keys(accountId)
  return Promise.all(keys.map((key) => describe(key, deps)))
}

async function describe(key: StoredSigningKey, deps: TrustDeps): Promise<SigningKeyDescription> {
  const { keyId, accountId, addedAt, disabledAt } = key
  const assertion = await findAssertion('account-key', [keyId], deps)
  const { name, since, until } = assertion?.fields ?? {}
  const fault = assertion ? await faultOf(assertion, deps) : 'Its account-key assertion is missing.'
  return { keyId, accountId, name, since, until, addedAt, disabledAt, fault }
}

async function faultOf(
  accountKey: UnverifiedAssertion<'account-key'>,
  deps: TrustDeps,
): Promise<string | undefined> {
  try {
    await checkSigningKey(accountKey, await trustContext(deps))
    return undefined
  } catch (error) {
    if (error instanceof RequestError || error instanceof AssertionError) return error.message
    throw error
  }
}
