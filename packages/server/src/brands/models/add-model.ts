/** Adds a model that devices may register as, with its policy. */
import { type UnverifiedAssertion, verifyTrust } from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import { assertionIn, explainToOperatorAsync, type NamedFile } from '../assertion-file.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { signerOf } from '../keys/signer-for.ts'
import type { StoredAssertion } from '../trust/assertion-store.ts'
import { checkAssertions, trustContext } from '../trust/trust.ts'
import { findModel } from './find-model.ts'
import { type ModelPolicy, type StoredModel, showModelName } from './model-policy.ts'
import { checkSerialTemplate } from './serial-template.ts'

/**
 * Its brand must exist, its chain must reach a root, and a key must be able to sign its serials. Stores other
 * assertions in the file with it (the account-key that signed the model). Throws `invalid-field`.
 */
export async function addModel(
  { file, policy }: { readonly file: NamedFile; readonly policy: ModelPolicy },
  deps: BrandDeps,
): Promise<StoredModel> {
  checkSerialTemplate(policy.serialTemplate)
  const { assertion, others } = assertionIn(file, 'model')
  const { brandId, model } = assertion.fields
  const name = showModelName(assertion.fields)
  if (await deps.models.find({ brandId, model })) {
    throw invalidField(
      `The model ${name} already exists. \`ratafia models update\` takes a newer revision, \`ratafia models set-policy\` another policy.`,
    )
  }
  const rows = await checkModel(assertion, others, deps)
  const added = { brandId, model, policy, addedAt: deps.clock() }
  const stored = await deps.change(async ({ assertions, models, brands, record }) => {
    if (!(await brands.hold(brandId))) throw missingBrand(brandId)
    if (!(await models.add(added))) return false
    await assertions.put(rows, added.addedAt)
    const details = { revision: assertion.revision, ...policy }
    await record({ action: 'model.add', subject: name, details })
    return true
  })
  if (stored) return added
  throw invalidField(
    `The model ${name} has just been added by somebody else. Look at it with \`ratafia models show\`.`,
  )
}

/** Replaces the assertion of a model by a newer revision; its policy stays. Throws as {@link addModel}. */
export async function updateModel(file: NamedFile, deps: BrandDeps): Promise<StoredModel> {
  const { assertion, others } = assertionIn(file, 'model')
  const model = await findModel(assertion.fields, deps)
  const rows = await checkModel(assertion, others, deps)
  await deps.change(async ({ assertions, models, record }) => {
    // Otherwise the assertion could outlive the model.
    if (!(await models.hold(model)))
      throw invalidField(`The model ${showModelName(model)} has just been removed.`)
    await assertions.put(rows, deps.clock())
    // The very same assertion is stored already.
    if (rows.length === 0) return
    const details = { revision: assertion.revision }
    await record({ action: 'model.update', subject: showModelName(model), details })
  })
  return model
}

/** Returns the assertions to store. */
async function checkModel(
  model: UnverifiedAssertion<'model'>,
  others: readonly UnverifiedAssertion[],
  deps: BrandDeps,
): Promise<readonly StoredAssertion[]> {
  const { brandId, series } = model.fields
  if (series !== '16')
    throw invalidField(`The model has the series ${series.slice(0, 32)}; only 16 is supported.`)
  if (brandId === 'generic') {
    throw invalidField('Only Canonical signs serials of generic. Add a model of a brand whose key you have.')
  }
  if (!(await deps.brands.find(brandId))) {
    throw missingBrand(brandId)
  }
  const given = [model, ...others]
  const rows = await checkAssertions(given, deps)
  const trusted = await explainToOperatorAsync(
    async () => verifyTrust(model, await trustContext(deps, given)),
    `The model ${showModelName(model.fields)} is not valid`,
  )
  await signerOf(trusted, undefined, deps)
  return rows
}

const missingBrand = (brandId: string) =>
  invalidField(
    `This service does not have the model's brand ${brandId} yet. Add it with \`ratafia brands add\`.`,
  )
