import { importApiKey } from '../brands/models/api-keys/add-api-key.ts'
import { RequestError } from '../errors.ts'
import type { Stores } from '../stores.ts'
import type { Dump } from './read-dump.ts'
import type { HowToTake } from './take-assertions.ts'

export interface TakenApiKeys {
  readonly apiKeys: { readonly added: number; readonly unchanged: number }
  /** A sentence with the reason for each row that was not imported. */
  readonly skipped: readonly string[]
  /** Remaining tasks for the operator. */
  readonly todo: readonly string[]
}

/** Imports API keys. `source` becomes their label. */
export async function takeApiKeys(
  { models, keypairs, substores }: Dump,
  { source, dryRun, authority }: HowToTake,
  stores: Stores,
): Promise<TakenApiKeys> {
  const apiKeys = { added: 0, unchanged: 0 }
  const skipped: string[] = []
  const todo: string[] = []
  const signing = new Set((await stores.brands.keys()).map(({ keyId }) => keyId))
  const missing = new Set<string>()
  for (const { fields, place } of models) {
    const { brand_id: brandId, name: model, api_key: text, keypair_id: keypairId } = fields
    if (!brandId || !model) {
      skipped.push(`${place}: the model has no brand or no name.`)
      continue
    }
    const name = `${brandId}/${model}`
    const keypair = keypairs.find((row) => row.fields['id'] === keypairId)?.fields
    const keyId = keypair?.['key_id']
    if (keyId && !signing.has(keyId) && !missing.has(keyId)) {
      missing.add(keyId)
      todo.push(
        `Add the signing key ${keyId} of ${keypair['authority_id']}${keypair['key_name'] ? ` (${keypair['key_name']})` : ''} by hand, with \`ratafia brands add\` or \`ratafia signing-keys add\`: a dump contains it only encrypted.`,
      )
    }
    if (!(await stores.models.find({ brandId, model }))) {
      todo.push(
        `Add the model ${name}: \`ratafia models add FILE --registration auto|allow-list|approval\`${text ? ', and import again for its API key' : ''}.`,
      )
      continue
    }
    if (!text) continue
    try {
      const added = await importApiKey(
        { model: { brandId, model }, label: source, text, dryRun, authority },
        stores,
      )
      if (added) apiKeys.added++
      else apiKeys.unchanged++
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      skipped.push(`${place}: the API key of ${name} is not imported: ${error.message}`)
    }
  }
  return { apiKeys, skipped, todo: [...todo, ...remodelsToDo({ substores, models })] }
}

function remodelsToDo({ substores, models }: Pick<Dump, 'substores' | 'models'>): readonly string[] {
  const pairs = substores.flatMap(({ fields }) => {
    const from = models.find((row) => row.fields['id'] === fields['from_model_id'])?.fields
    const to = fields['model_name']
    return from && to ? [`${from['brand_id']}/${from['name']} ${from['brand_id']}/${to}`] : []
  })
  return [...new Set(pairs)].map(
    (pair) => `Allow the remodel that a sub-store described: \`ratafia models allow-remodel ${pair}\`.`,
  )
}
