/** Models and their records in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS, type PolicyPatchSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import type { Authority } from '../../authority.ts'
import { tried } from '../../change.ts'
import { invalidField } from '../../errors.ts'
import { instantField } from '../../http/management/instant-text.ts'
import { type AddManagementRoute, seenAs } from '../../http/management/management-route.ts'
import { cursorOf, instantOf, positionIn } from '../../http/management/pages.ts'
import type { Stores } from '../../stores.ts'
import type { NamedFile } from '../assertion-file.ts'
import { addModel, updateModel } from '../models/add-model.ts'
import { allowListRecord, pageOfAllowed, removeAllowed } from '../models/allow-list/remove-allowed.ts'
import { addApiKey } from '../models/api-keys/add-api-key.ts'
import { apiKeyRecord } from '../models/api-keys/api-key.ts'
import { type NamedApiKey, pageOfApiKeys, seenApiKey } from '../models/api-keys/list-api-keys.ts'
import { revokeApiKey } from '../models/api-keys/revoke-api-key.ts'
import { listModels, type NamedModel } from '../models/find-model.ts'
import { DEFAULT_POLICY, type ModelName, type ModelPolicy, parseModelName } from '../models/model-policy.ts'
import { allowRemodel, disallowRemodel, listRemodels, remodelRecord } from '../models/remodel.ts'
import { removedModelRecord, removeModel } from '../models/remove-model.ts'
import { type ModelChange, setPolicy } from '../models/set-policy.ts'
import { modelDetailsRecord, modelRecord, showModel } from '../models/show-model.ts'

export function modelManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.models, async ({ authority, query }) => {
    const { brand: brands, limit = 100 } = query
    const { rows, next } = await listModels({ authority, brands, after: modelAfter(query), limit }, stores)
    return { models: rows.map(modelRecord), next: cursorOf(next && [next.brandId, next.model], query) }
  })
  add(api.model, async (asked) => modelDetailsRecord(await showModel(modelIn(asked), stores)))
  add(api.addModel, async (asked) => {
    const { assertion, policy } = asked.body
    const wanted = { ...DEFAULT_POLICY, registration: policy.registration, ...policyIn(policy) }
    const added = { file: fileOf(assertion), policy: wanted, authority: asked.authority }
    return modelDetailsRecord(await addModel(added, tried(asked, stores)))
  })
  add(api.setPolicy, async (asked) => {
    const change = { ...changeOf(asked), changes: policyIn(asked.body) }
    return modelDetailsRecord(await setPolicy(change, tried(asked, stores)))
  })
  add(api.updateModel, async (asked) => {
    const newer = { ...changeOf(asked), file: fileOf(asked.body.assertion) }
    return modelDetailsRecord(await updateModel(newer, tried(asked, stores)))
  })
  add(api.removeModel, async (asked) => {
    const change = changeOf(asked)
    return removedModelRecord(change.model, await removeModel(change, tried(asked, stores)))
  })

  add(api.addRemodel, async (asked) => {
    const { model: from, authority } = modelIn(asked)
    return remodelRecord(
      await allowRemodel({ from, to: parseModelName(asked.body.to), authority }, tried(asked, stores)),
    )
  })
  add(api.removeRemodel, async (asked) => {
    const { model: from, authority } = modelIn(asked)
    const { to_brand = '', to_model = '' } = asked.parameters
    const to = { brandId: to_brand, model: to_model }
    const pair = { from, to, authority, mustBeSeen: seenAs(asked, remodelRecord) }
    return remodelRecord(await disallowRemodel(pair, tried(asked, stores)))
  })
  add(api.remodels, async (asked) => {
    const { limit = 100 } = asked.query
    const listing = { ...modelIn(asked), after: modelAfter(asked.query), limit }
    const { rows, next } = await listRemodels(listing, stores)
    return {
      remodels: rows.map(remodelRecord),
      next: cursorOf(next && [next.to.brandId, next.to.model], asked.query),
    }
  })

  add(api.apiKeys, async (asked) => {
    const { query } = asked
    const [at = '', id = ''] = positionIn(query, 2) ?? []
    const createdAt = instantOf(at)
    const after = createdAt && { createdAt, id }
    const { rows, next } = await pageOfApiKeys(
      { ...modelIn(asked), after, limit: query.limit ?? 100 },
      stores,
    )
    return {
      api_keys: rows.map(apiKeyRecord),
      next: cursorOf(next && [next.createdAt.toISOString(), next.id], query),
    }
  })
  add(api.apiKey, async (asked) => apiKeyRecord(await seenApiKey(apiKeyIn(asked), stores)))
  add(api.addApiKey, async (asked) => {
    const { label, expires, uses } = asked.body
    const { key, text } = await addApiKey(
      {
        ...modelIn(asked),
        label,
        expiresAt: expires ? instantField('body/expires', expires) : null,
        useLimit: uses ?? null,
      },
      tried(asked, stores),
    )
    // A dry run does not store the key, so the answer must not contain one that looks usable.
    return { ...apiKeyRecord(key), key: asked.dryRun ? null : text }
  })
  add(api.revokeApiKey, async (asked) => {
    const revocation = { ...apiKeyIn(asked), mustBeSeen: seenAs(asked, apiKeyRecord) }
    return apiKeyRecord(await revokeApiKey(revocation, tried(asked, stores)))
  })

  add(api.allowList, async (asked) => {
    const { query } = asked
    const [serial, key] = positionIn(query, 2) ?? []
    const after = serial === undefined ? undefined : { serial: serial || null, deviceKeyId: key || null }
    const listing = { ...modelIn(asked), after, limit: query.limit ?? 100 }
    const { rows, next } = await pageOfAllowed(listing, stores)
    return {
      entries: rows.map(allowListRecord),
      next: cursorOf(next && [next.serial ?? '', next.deviceKeyId ?? ''], query),
    }
  })
  add(api.removeAllowed, async (asked) => {
    const removal = { ...modelIn(asked), entries: entriesIn(asked.body), mayBeGone: true }
    return { removed: await removeAllowed(removal, tried(asked, stores)) }
  })
}

interface AnyAsked {
  readonly authority: Authority
  readonly parameters: Readonly<Record<string, string>>
  readonly ifMatch?: (record: object) => void
}

const changeOf = (asked: AnyAsked): ModelChange => ({
  ...modelIn(asked),
  mustBeSeen: seenAs(asked, modelDetailsRecord),
})

/** The name appears in messages. */
const fileOf = (text: string): NamedFile => ({ name: 'The assertion', bytes: Buffer.from(text) })

type WirePolicy = Static<typeof PolicyPatchSchema>

/** Returns only the settings that the request contains. */
function policyIn(policy: WirePolicy): Partial<ModelPolicy> {
  const { registration, proposed_serial, taken_serial, serials, hardware_identity, clones } = policy
  return {
    ...(registration === undefined ? {} : { registration }),
    ...(proposed_serial === undefined ? {} : { proposedSerial: proposed_serial }),
    ...(taken_serial === undefined ? {} : { takenSerial: taken_serial }),
    ...(serials === undefined ? {} : { serialTemplate: serials === 'uuid' ? null : serials }),
    ...(hardware_identity === undefined ? {} : { hardwareIdentity: hardware_identity === 'required' }),
    ...(clones === undefined ? {} : { quarantineClones: clones === 'quarantine' }),
  }
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

/** Throws `invalid-field` if the request has neither entries nor `all`, or both. */
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
