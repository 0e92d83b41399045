/** Adds a model that devices can register as, with its policy. */
import { type UnverifiedAssertion, verifyTrust } from '@ratafia/assertions'
import { type Authority, brandsFor, covers, requireForAll, requireForBrand } from '../../authority.ts'
import { invalidField, RequestError } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import { assertionIn, explainToOperatorAsync, type NamedFile } from '../assertion-file.ts'
import { signerOf } from '../keys/signer-for.ts'
import type { StoredAssertion } from '../trust/assertion-store.ts'
import { checkAssertions, trustContext } from '../trust/trust.ts'
import { findModelAssertion, managedModel, noSuchModel } from './find-model.ts'
import { type ModelName, type ModelPolicy, showModelName } from './model-policy.ts'
import { checkSerialTemplate } from './serial-template.ts'
import type { ModelChange } from './set-policy.ts'
import { type ModelDetails, modelDetails } from './show-model.ts'

interface NewModel {
  /** Its assertion, and others that it needs (the account-key that signed it). */
  readonly file: NamedFile
  readonly policy: ModelPolicy
  readonly authority: Authority
}

/**
 * Adds a model. Its brand must exist, its chain must reach a root, and a key must be able to sign its serials. Also
 * stores the other assertions in the file. Throws `invalid-field`, with the same message for a missing brand and one
 * that the caller can't see; `permission-denied`, `already-exists`.
 */
export async function addModel({ file, policy, authority }: NewModel, stores: Stores): Promise<ModelDetails> {
  // Checked first, so that the service does not read files for callers who do not manage any model.
  brandsFor(authority, 'models:manage')
  checkSerialTemplate(policy.serialTemplate)
  const { assertion, others } = assertionIn(file, 'model')
  const { brandId, model } = assertion.fields
  const name = showModelName(assertion.fields)
  requireSeenBrand(brandId, authority)
  if (await stores.models.find({ brandId, model })) {
    throw alreadyThere(
      name,
      `The model ${name} already exists. Use \`ratafia models update\` for a newer revision, or \`ratafia models set-policy\` to change its policy.`,
    )
  }
  await requireMayAdd({ assertion, others, named: assertion.fields.serialAuthority }, authority, stores)
  const rows = await checkModel(assertion, others, stores)
  const added = { brandId, model, policy, addedAt: stores.clock() }
  return stores.changeBy(authority.author)(async (on) => {
    const { assertions, models, brands, record } = on
    if (!(await brands.hold(brandId))) throw missingBrand(brandId)
    if (!(await models.add(added))) {
      throw alreadyThere(
        name,
        `Another operator has just added the model ${name}. Look at it with \`ratafia models show\`.`,
      )
    }
    await assertions.put(rows, added.addedAt)
    const details = { revision: assertion.revision, ...policy }
    await record({ action: 'model.add', subject: name, details })
    return modelDetails({ ...added, needsApiKey: false }, { ...stores, ...on })
  })
}

interface NewRevision extends Omit<ModelChange, 'model'> {
  readonly file: NamedFile
  /** The model that the file must be about. By default, any model. */
  readonly model?: ModelName
}

/**
 * Replaces a model's assertion by a newer revision; its policy stays. An identical assertion changes nothing.
 * Throws {@link RequestError} as `managedModel` does, `invalid-field`, and the errors of `mustBeSeen`.
 */
export async function updateModel(
  { file, authority, mustBeSeen, model: wanted }: NewRevision,
  stores: Stores,
): Promise<ModelDetails> {
  // Checked first, so that the service does not read files for callers who do not manage any model, and
  // errors reveal nothing about other models.
  brandsFor(authority, 'models:manage')
  if (wanted) await managedModel({ model: wanted, authority }, stores)
  const { assertion, others } = assertionIn(file, 'model')
  if (wanted && showModelName(wanted) !== showModelName(assertion.fields)) {
    throw invalidField(
      `The assertion is for ${showModelName(assertion.fields)}, not for ${showModelName(wanted)}.`,
      { field: 'assertion' },
    )
  }
  const { brandId, model } = assertion.fields
  const name = await managedModel({ model: { brandId, model }, authority }, stores)
  const stored = await findModelAssertion(name, stores)
  const before = new Set(stored?.fields.serialAuthority)
  const named = assertion.fields.serialAuthority.filter((accountId) => !before.has(accountId))
  await requireMayAdd({ assertion, others, named }, authority, stores)
  const rows = await checkModel(assertion, others, stores)
  return stores.changeBy(authority.author)(async (on) => {
    const { assertions, models, record } = on
    // Without the lock, the assertion could outlive the model.
    const now = (await models.queue(name)) && (await models.findOpen(name))
    if (!now) throw noSuchModel(name)
    mustBeSeen?.(await modelDetails(now, { ...stores, ...on }))
    await assertions.put(rows, stores.clock())
    if (rows.length > 0) {
      const details = { revision: assertion.revision }
      await record({ action: 'model.update', subject: showModelName(name), details })
    }
    return modelDetails(now, { ...stores, ...on })
  })
}

const alreadyThere = (id: string, message: string): RequestError =>
  new RequestError('already-exists', message, { extra: { kind: 'model', id } })

/** Treats a brand that the caller can't see as missing. Throws `permission-denied`, `invalid-field`. */
function requireSeenBrand(brandId: string, authority: Authority): void {
  if (!covers(brandsFor(authority, 'models:read'), brandId)) throw missingBrand(brandId)
  requireForBrand(authority, 'models:manage', brandId)
}

interface ToStore {
  readonly assertion: UnverifiedAssertion<'model'>
  readonly others: readonly UnverifiedAssertion[]
  /** Further accounts that can sign its serials from now on. */
  readonly named: readonly string[]
}

/**
 * Callers who manage some brands store assertions of these brands only, and can't let another brand sign. Throws
 * `permission-denied`, whether the other brand exists or not.
 */
async function requireMayAdd(
  { assertion, others, named }: ToStore,
  authority: Authority,
  { brands }: TransactionStores,
): Promise<void> {
  const { brandId } = assertion.fields
  for (const accountId of named) {
    // Most models name it, but its key is hardly ever here.
    if (accountId === 'generic' && (await brands.keys(accountId)).length === 0) continue
    requireForBrand(authority, 'models:manage', accountId)
  }
  for (const other of others) {
    const isOwn =
      (other.type === 'account' || other.type === 'account-key') && other.fields.accountId === brandId
    if (!isOwn) requireForAll(authority, 'models:manage')
  }
}

/** Returns the assertions to store. */
async function checkModel(
  model: UnverifiedAssertion<'model'>,
  others: readonly UnverifiedAssertion[],
  stores: Stores,
): Promise<readonly StoredAssertion[]> {
  const { brandId, series } = model.fields
  if (series !== '16')
    throw invalidField(`The model has the series ${series.slice(0, 32)}; only 16 is supported.`)
  if (brandId === 'generic') {
    throw invalidField('Only Canonical signs serials for generic. Add a model of a brand whose key you have.')
  }
  if (!(await stores.brands.find(brandId))) {
    throw missingBrand(brandId)
  }
  const given = [model, ...others]
  const rows = await checkAssertions(given, stores)
  const trusted = await explainToOperatorAsync(
    async () => verifyTrust(model, await trustContext(stores, given)),
    `The model ${showModelName(model.fields)} is not valid`,
  )
  await signerOf(trusted, undefined, stores)
  return rows
}

const missingBrand = (brandId: string) =>
  invalidField(
    `This service does not have the model's brand ${brandId} yet. Add it with \`ratafia brands add\`.`,
  )
