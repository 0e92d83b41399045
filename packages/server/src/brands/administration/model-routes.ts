/** Models and what belongs to them in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { Authority } from '../../authority.ts'
import { undone } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import { instantField } from '../../http/management/instant-field.ts'
import type { AddManagementRoute } from '../../http/management/management-routes.ts'
import { cursorOf, instantOf, positionIn } from '../../http/management/pages.ts'
import type { BrandDeps } from '../brand-deps.ts'
import { allowListRecord, pageOfAllowed } from '../models/allow-list/list-allowed.ts'
import { removeAllowed } from '../models/allow-list/remove-allowed.ts'
import { addApiKey } from '../models/api-keys/add-api-key.ts'
import type { ApiKey } from '../models/api-keys/api-key.ts'
import { apiKeyRecord } from '../models/api-keys/api-key-record.ts'
import { type NamedApiKey, pageOfApiKeys, seenApiKey } from '../models/api-keys/list-api-keys.ts'
import { revokeApiKey } from '../models/api-keys/revoke-api-key.ts'
import type { NamedModel } from '../models/find-model.ts'
import { listModels } from '../models/list-models.ts'
import { listRemodels, remodelRecord } from '../models/list-remodels.ts'
import type { ModelName } from '../models/model-policy.ts'
import { modelDetailsRecord, modelRecord } from '../models/model-record.ts'
import { showModel } from '../models/show-model.ts'

export function modelManagementRoutes(add: AddManagementRoute, deps: BrandDeps): void {
  const api = MANAGEMENT_OPERATIONS
  const tried = ({ dryRun }: { readonly dryRun: boolean }) =>
    dryRun ? { ...deps, changeBy: undone(deps.changeBy) } : deps

  add(api.models, async ({ authority, query }) => {
    const { brand: brands, limit = 100 } = query
    const { models, next } = await listModels({ authority, brands, after: modelAfter(query), limit }, deps)
    return {
      models: models.map(modelRecord),
      next: next ? cursorOf([next.brandId, next.model], query) : null,
    }
  })
  add(api.model, async (asked) => modelDetailsRecord(await showModel(modelIn(asked), deps)))
  add(api.remodels, async (asked) => {
    const { limit = 100 } = asked.query
    const listing = { ...modelIn(asked), after: modelAfter(asked.query), limit }
    const { remodels, next } = await listRemodels(listing, deps)
    return {
      remodels: remodels.map(remodelRecord),
      next: next ? cursorOf([next.brandId, next.model], asked.query) : null,
    }
  })

  add(api.apiKeys, async (asked) => {
    const { query } = asked
    const [at = '', id = ''] = positionIn(query, 2) ?? []
    const createdAt = instantOf(at)
    const after = createdAt && { createdAt, id }
    const { keys, next } = await pageOfApiKeys({ ...modelIn(asked), after, limit: query.limit ?? 100 }, deps)
    return {
      api_keys: keys.map(apiKeyRecord),
      next: next ? cursorOf([next.createdAt.toISOString(), next.id], query) : null,
    }
  })
  add(api.apiKey, async (asked) => apiKeyRecord(await seenApiKey(apiKeyIn(asked), deps)))
  add(api.addApiKey, async (asked) => {
    const { label, expires, uses } = asked.body
    const { key, text } = await addApiKey(
      {
        ...modelIn(asked),
        label,
        expiresAt: expires ? instantField('body/expires', expires) : null,
        useLimit: uses ?? null,
      },
      tried(asked),
    )
    // Nobody can use what is undone.
    return { ...apiKeyRecord(key), key: asked.dryRun ? null : text }
  })
  add(api.revokeApiKey, async (asked) => {
    const { ifMatch } = asked
    const mustBeSeen = ifMatch && ((now: ApiKey) => ifMatch(apiKeyRecord(now)))
    const revocation = { ...apiKeyIn(asked), ...(mustBeSeen && { mustBeSeen }) }
    return apiKeyRecord(await revokeApiKey(revocation, tried(asked)))
  })

  add(api.allowList, async (asked) => {
    const { query } = asked
    const [serial, key] = positionIn(query, 2) ?? []
    const after = serial === undefined ? undefined : { serial: serial || null, deviceKeyId: key || null }
    const listing = { ...modelIn(asked), after, limit: query.limit ?? 100 }
    const { entries, next } = await pageOfAllowed(listing, deps)
    return {
      entries: entries.map(allowListRecord),
      next: next ? cursorOf([next.serial ?? '', next.deviceKeyId ?? ''], query) : null,
    }
  })
  add(api.removeAllowed, async (asked) => {
    const removal = { ...modelIn(asked), entries: entriesIn(asked.body), mayBeGone: true }
    return { removed: await removeAllowed(removal, tried(asked)) }
  })
}

interface AnyAsked {
  readonly authority: Authority
  readonly parameters: Readonly<Record<string, string>>
}

const modelIn = ({ authority, parameters: { brand = '', model = '' } }: AnyAsked): NamedModel => ({
  model: { brandId: brand, model },
  authority,
})

const apiKeyIn = (asked: AnyAsked): NamedApiKey => ({
  ...modelIn(asked),
  id: asked.parameters['id'] ?? '',
})

function modelAfter(query: { readonly cursor?: string }): ModelName | undefined {
  const [brandId, model] = positionIn(query, 2) ?? []
  return brandId === undefined || model === undefined ? undefined : { brandId, model }
}

interface WireEntry {
  readonly serial?: string | null
  readonly device_key_id?: string | null
}

/** Throws `invalid-field` for neither entries nor all, and for both. */
function entriesIn({
  entries,
  all = false,
}: {
  readonly entries?: readonly WireEntry[]
  readonly all?: boolean
}): Parameters<typeof removeAllowed>[0]['entries'] {
  if ((entries === undefined) !== all) {
    throw invalidField('Give either "entries", or "all" with true.', { field: 'body/entries' })
  }
  return (
    entries?.map(({ serial = null, device_key_id: deviceKeyId = null }) => ({ serial, deviceKeyId })) ?? 'all'
  )
}
