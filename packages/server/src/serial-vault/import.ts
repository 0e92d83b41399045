/** Takes over what a serial-vault knows, from a dump of its tables. */
import { AssertionError, decode, type UnverifiedAssertion } from '@ratafia/assertions'
import type { BrandStore } from '../brands/brand-store.ts'
import { type ImportApiKeyDeps, importApiKey } from '../brands/models/api-keys/import-api-key.ts'
import type { AssertionStore } from '../brands/trust/assertion-store.ts'
import { checkAssertions, type TrustDeps } from '../brands/trust/trust.ts'
import type { Changing } from '../change.ts'
import {
  type ImportedSigned,
  type ImportSignedDeps,
  importSignedDevices,
} from '../devices/transfer/import-signed-devices.ts'
import { RequestError } from '../errors.ts'
import type { DumpFile, DumpRow } from './dump-rows.ts'
import { readDump } from './read-dump.ts'
import { type Holding, readSignature, SigningLog } from './signing-log.ts'

interface TakeDeps extends TrustDeps {
  readonly change: Changing<{ readonly assertions: Pick<AssertionStore, 'put'> }>
}

export interface ImportVaultDeps extends Omit<ImportApiKeyDeps, 'change'>, TrustDeps, ImportSignedDeps {
  readonly brands: Pick<BrandStore, 'keys'>
  readonly change: ImportApiKeyDeps['change'] & TakeDeps['change']
}

interface ImportOptions {
  readonly files: readonly DumpFile[]
  /** Says what would be done, and changes nothing. */
  readonly dryRun: boolean
  /** Of the devices. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface ImportedVault {
  /** Accounts and keys whose assertions were stored, and that were there. */
  readonly assertions: { readonly added: number; readonly unchanged: number }
  readonly apiKeys: { readonly added: number; readonly unchanged: number }
  readonly signatures: number
  readonly devices: Omit<ImportedSigned, 'conflicts'>
  /** Serials with two keys, and keys with two serials, a sentence each. */
  readonly duplicates: readonly string[]
  /** Where the register knows otherwise. */
  readonly conflicts: readonly string[]
  /** What could not be taken, with the reason. */
  readonly skipped: readonly string[]
  /** What is left for the operator. */
  readonly todo: readonly string[]
}

const SOURCE = 'serial-vault'

/** Imported again, nothing changes. Throws `ImportError` for a dump that cannot be read; devices: all or none. */
export async function importSerialVault(
  { files, dryRun, onProgress }: ImportOptions,
  deps: ImportVaultDeps,
): Promise<ImportedVault> {
  const dump = await collect(files, deps.clock())
  const skipped = [...dump.unreadable]
  const assertions = await takeAssertions(dump, { dryRun, skipped }, deps)
  const { apiKeys, todo } = await takeModels(dump, { dryRun, skipped }, deps)
  const holdings = dump.log.resolve()
  const { conflicts, ...devices } = await importSignedDevices(
    signedDevices(holdings),
    { source: SOURCE, dryRun, ...(onProgress ? { onProgress } : {}) },
    deps,
  )
  return {
    assertions,
    apiKeys,
    signatures: dump.log.signatures,
    devices,
    duplicates: holdings.flatMap((holding) =>
      holding.gaveWayTo ? [duplicate(holding, holding.gaveWayTo)] : [],
    ),
    conflicts,
    skipped,
    todo: [...todo, ...remodelsToDo(dump)],
  }
}

interface Dump {
  readonly accounts: readonly DumpRow[]
  readonly keypairs: readonly DumpRow[]
  readonly models: readonly DumpRow[]
  readonly substores: readonly DumpRow[]
  readonly log: SigningLog
  readonly unreadable: readonly string[]
}

async function collect(files: readonly DumpFile[], now: Date): Promise<Dump> {
  const rows = { account: [], keypair: [], model: [], substore: [] } as Record<string, DumpRow[]>
  const log = new SigningLog()
  const unreadable: string[] = []
  for await (const row of readDump(files)) {
    if (row.table !== 'signinglog') {
      rows[row.table]?.push(row)
      continue
    }
    const signature = readSignature(row, now)
    if (typeof signature === 'string') unreadable.push(signature)
    else log.add(signature)
  }
  const { account = [], keypair = [], model = [], substore = [] } = rows
  return { accounts: account, keypairs: keypair, models: model, substores: substore, log, unreadable }
}

interface Taking {
  readonly dryRun: boolean
  readonly skipped: string[]
}

/** Accounts first: their keys refer to them. Each is checked down to a root with what was taken before it. */
async function takeAssertions(
  { accounts, keypairs }: Dump,
  { dryRun, skipped }: Taking,
  deps: TakeDeps,
): Promise<ImportedVault['assertions']> {
  const taken = new Map<string, Uint8Array>()
  const assertions: TrustDeps['assertions'] = {
    ...deps.assertions,
    find: async (type, primaryKey) =>
      taken.get(`${type}/${primaryKey}`) ?? deps.assertions.find(type, primaryKey),
  }
  const counts = { added: 0, unchanged: 0 }
  const wanted = [
    ...accounts.map((row) => ({ row, type: 'account' })),
    ...keypairs.map((row) => ({ row, type: 'account-key' })),
  ] as const
  for (const { row, type } of wanted) {
    const { assertion: text } = row.fields
    const whose = row.fields['authority_id'] ?? '(no account)'
    const what = `${row.place}: the ${type} of ${whose}`
    if (!text) {
      // A key without an assertion is told of with the models that it signs for.
      if (type === 'account')
        skipped.push(`${what} has no assertion. Add it with the brand: \`ratafia brands add\`.`)
      continue
    }
    const assertion = readOne(text)
    if (typeof assertion === 'string' || assertion.type !== type) {
      const why = typeof assertion === 'string' ? assertion : `it is a ${assertion.type}`
      skipped.push(`${what} cannot be taken: ${why}.`)
      continue
    }
    try {
      const stored = await checkAssertions([assertion], { ...deps, assertions })
      for (const one of stored) taken.set(`${one.type}/${one.primaryKey}`, one.encoded)
      if (stored.length === 0) counts.unchanged++
      else counts.added++
      if (!dryRun && stored.length > 0) await storeAssertions(stored, deps)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      skipped.push(`${what} is not taken: ${error.message}`)
    }
  }
  return counts
}

function storeAssertions(
  rows: Awaited<ReturnType<typeof checkAssertions>>,
  { change, clock }: TakeDeps,
): Promise<void> {
  return change(async ({ assertions, record }) => {
    await assertions.put(rows, clock())
    for (const { type, primaryKey, revision } of rows) {
      await record({
        action: 'assertion.add',
        subject: `${type}/${primaryKey}`,
        details: { revision, from: SOURCE },
      })
    }
  })
}

function readOne(text: string): UnverifiedAssertion | string {
  try {
    return decode(text.replaceAll('\r\n', '\n'))
  } catch (error) {
    if (error instanceof AssertionError) return error.message
    throw error
  }
}

async function takeModels(
  { models, keypairs }: Dump,
  { dryRun, skipped }: Taking,
  deps: ImportVaultDeps,
): Promise<{ readonly apiKeys: ImportedVault['apiKeys']; readonly todo: readonly string[] }> {
  const apiKeys = { added: 0, unchanged: 0 }
  const todo: string[] = []
  const signing = new Set((await deps.brands.keys()).map(({ keyId }) => keyId))
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
        `Add the signing key ${keyId} of ${keypair['authority_id']}${keypair['key_name'] ? ` (${keypair['key_name']})` : ''} by hand, with \`ratafia brands add\` or \`ratafia signing-keys add\`: a dump has it encrypted.`,
      )
    }
    if (!(await deps.models.find({ brandId, model }))) {
      todo.push(
        `Add the model ${name}: \`ratafia models add FILE --registration auto|allow-list|approval\`${text ? ', and import again for its API key' : ''}.`,
      )
      continue
    }
    if (!text) continue
    const added = await takeApiKey({ brandId, model, text, place }, { dryRun, skipped }, deps)
    if (added === undefined) continue
    if (added) apiKeys.added++
    else apiKeys.unchanged++
  }
  return { apiKeys, todo }
}

interface VaultApiKey {
  readonly brandId: string
  readonly model: string
  readonly text: string
  readonly place: string
}

async function takeApiKey(
  { brandId, model, text, place }: VaultApiKey,
  { dryRun, skipped }: Taking,
  deps: ImportVaultDeps,
): Promise<boolean | undefined> {
  try {
    return await importApiKey({ model: { brandId, model }, label: SOURCE, text, dryRun }, deps)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    skipped.push(`${place}: the API key of ${brandId}/${model} is not taken: ${error.message}`)
    return undefined
  }
}

function remodelsToDo({ substores, models }: Dump): readonly string[] {
  const pairs = substores.flatMap(({ fields }) => {
    const from = models.find((row) => row.fields['id'] === fields['from_model_id'])?.fields
    const to = fields['model_name']
    return from && to ? [`${from['brand_id']}/${from['name']} ${from['brand_id']}/${to}`] : []
  })
  return [...new Set(pairs)].map(
    (pair) => `Allow the remodel that a sub-store described: \`ratafia models allow-remodel ${pair}\`.`,
  )
}

/** The two lists have the same order. */
function signedDevices(holdings: readonly Holding[]) {
  const plain = (holding: Holding) => ({
    brandId: holding.brandId,
    model: holding.model,
    serial: holding.serial,
    deviceKeyId: holding.deviceKeyId,
    revision: holding.revision,
    firstSignedAt: holding.firstAt,
    signedAt: holding.at,
  })
  return holdings.map((holding) =>
    holding.gaveWayTo ? { ...plain(holding), gaveWayTo: plain(holding.gaveWayTo) } : plain(holding),
  )
}

function duplicate(lost: Holding, now: Holding): string {
  const signed = ({ revision, place }: Holding) => `revision ${revision}, ${place}`
  const model = `${lost.brandId}/${lost.model}`
  return lost.serial === now.serial
    ? `The serial ${lost.serial} of ${model} was signed for the key ${lost.deviceKeyId} (${signed(lost)}) and for ${now.deviceKeyId} (${signed(now)}), which has it now.`
    : `The key ${lost.deviceKeyId} of ${model} was given the serial ${lost.serial} (${signed(lost)}) and ${now.serial} (${signed(now)}), which it has now.`
}
