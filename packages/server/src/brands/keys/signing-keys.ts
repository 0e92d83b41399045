/** The keys that sign serials: listed without their secrets, and disabled. */
import { AssertionError } from '@ratafia/assertions'
import type { Changing } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import { refused } from '../assertion-file.ts'
import type { BrandStore, StoredSigningKey } from '../brand-store.ts'
import type { ModelDeps } from '../models/find-model.ts'
import { showModelName } from '../models/model-policy.ts'
import { findAssertion, type TrustDeps, trustContext } from '../trust/trust.ts'
import { type SignerDeps, signerFor } from './signer-for.ts'
import { checkSigningKey } from './signing-key-fit.ts'

export interface SigningKeyDescription {
  readonly keyId: string
  readonly accountId: string
  readonly name: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
  readonly addedAt: Date
  readonly disabledAt: Date | null
  /** Why it cannot sign now, though it is not disabled; undefined when it can. */
  readonly fault: string | undefined
}

/** Of one account or all, by account and time. */
export async function listSigningKeys(
  accountId: string | undefined,
  deps: TrustDeps & { readonly brands: Pick<BrandStore, 'keys'> },
): Promise<readonly SigningKeyDescription[]> {
  const keys = await deps.brands.keys(accountId)
  return Promise.all(keys.map((key) => describe(key, deps)))
}

interface DisableDeps extends SignerDeps, ModelDeps {
  readonly brands: Pick<BrandStore, 'keys'>
  readonly change: Changing<{ readonly brands: Pick<BrandStore, 'disableKey'> }>
}

/**
 * Disables a key. Returns the models that have no other key: no serial of theirs is signed from then on. Throws
 * `invalid-field` for no such key, and, without `force`, when there are such models: the message names them.
 */
export async function disableSigningKey(
  { keyId, force }: { readonly keyId: string; readonly force: boolean },
  deps: DisableDeps,
): Promise<readonly string[]> {
  const key = (await deps.brands.keys()).find((one) => one.keyId === keyId)
  if (key === undefined) {
    throw refused(`There is no signing key ${keyId.slice(0, 64)}. \`ratafia signing-keys list\` shows them.`)
  }
  if (key.disabledAt !== null) throw refused(`The signing key ${keyId} is disabled already.`)
  const stopped = await stoppedModels(keyId, deps)
  if (stopped.length > 0 && !force) {
    throw refused(
      `No serial of ${stopped.join(', ')} could be signed any more. Add another key first, or disable it all the same with --force.`,
    )
  }
  await deps.change(async ({ brands, record }) => {
    if (!(await brands.disableKey(keyId, deps.clock()))) return
    await record({
      action: 'signing-key.disable',
      subject: keyId,
      details: { account: key.accountId, stopped },
    })
  })
  return stopped
}

/** The models that can sign now and could not without the key. */
async function stoppedModels(keyId: string, deps: DisableDeps): Promise<readonly string[]> {
  const without = {
    keys: async (accountId?: string) =>
      (await deps.brands.keys(accountId)).filter((key) => key.keyId !== keyId),
  }
  const stopped: string[] = []
  for (const model of await deps.models.list()) {
    const [now, then] = [await canSign(model, deps), await canSign(model, { ...deps, brands: without })]
    if (now && !then) stopped.push(showModelName(model))
  }
  return stopped
}

async function canSign(model: { brandId: string; model: string }, deps: SignerDeps): Promise<boolean> {
  try {
    await signerFor(model, deps)
    return true
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return false
  }
}

async function describe(key: StoredSigningKey, deps: TrustDeps): Promise<SigningKeyDescription> {
  const { keyId, accountId, addedAt, disabledAt } = key
  const assertion = await findAssertion('account-key', [keyId], deps)
  const fields = assertion?.type === 'account-key' ? assertion.fields : undefined
  const { name, since, until } = fields ?? {}
  return { keyId, accountId, name, since, until, addedAt, disabledAt, fault: await faultOf(keyId, deps) }
}

async function faultOf(keyId: string, deps: TrustDeps): Promise<string | undefined> {
  const assertion = await findAssertion('account-key', [keyId], deps)
  if (assertion?.type !== 'account-key') return 'Its account-key assertion is missing.'
  try {
    await checkSigningKey(assertion, await trustContext(deps))
    return undefined
  } catch (error) {
    if (error instanceof RequestError || error instanceof AssertionError) return error.message
    throw error
  }
}
