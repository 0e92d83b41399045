/**
 * Routes for the import of devices. The user sends the file once. One job waits with it until the user starts it.
 * Another job validates it, so that the user sees the result before starting the first.
 */
import { MANAGEMENT_OPERATIONS, PART_BYTES } from '@ratafia/api/schemas'
import { invalidField, invalidRequest, noSuchRecord } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { brandsBeforeTyping } from '../../http/console/before-typing.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import type { SentFile } from '../../http/console/upload.ts'
import {
  IMPORT_PATH,
  importPage,
  importStepPage,
  type Looked,
} from '../../web/console/devices/import-pages.ts'
import { faultsOf } from '../../web/console/jobs/faults.ts'
import { addressOf } from '../../web/console/list.ts'
import { words } from '../../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.deviceImport
const KIND = 'devices.import'

export function deviceImportPageRoutes({ form }: ConsoleRoutes): void {
  form('/devices/import', {
    file: {
      bytes: PART_BYTES,
      refuse: ({ authority }) => void brandsBeforeTyping(authority, 'devices:manage'),
    },
    show: async ({ form }) => importPage(form),
    send: async ({ call, fields }, file) => {
      const bytes = bytesIn(fields.get('rows'), file)
      const unknown = fields.get('unknown_models') === 'on' ? true : undefined
      const said = { format: formatIn(fields.get('format'), bytes), unknown_models: unknown }
      const waiting = await call(api.makeJob, { body: { kind: KIND, parts: 1, ...said } })
      if (!('id' in waiting)) throw new TypeError('No job was created')
      const parameters = { id: waiting.id }
      try {
        const part = { bytes, mediaType: 'application/octet-stream' }
        await call(api.putJobPart, { parameters: { ...parameters, part: '1' }, file: part })
        const tried = await call(api.makeJob, { query: { kind: KIND, ...said }, file: part, dryRun: true })
        if (!('id' in tried)) throw new TypeError('No job was created')
        return new GoTo(addressOf(`${IMPORT_PATH}/${waiting.id}`, [['tried', tried.id]]))
      } catch (error) {
        // Otherwise the job would count against the account's limit for a day.
        await call(api.cancelJob, { parameters, body: {} })
        throw error
      }
    },
  })

  form('/devices/import/:id', {
    show: async (asked) => {
      const { parameters, query, form } = asked
      const { id = '' } = parameters
      const tried = query.get('tried') ?? ''
      const action = addressOf(`${IMPORT_PATH}/${encodeURIComponent(id)}`, [['tried', tried]])
      return importStepPage({ form, id, action, looked: await lookedAt(tried, asked) })
    },
    send: async (asked) => {
      const { call, parameters, fields } = asked
      const { id, state } = await importJob(parameters['id'] ?? '', asked)
      const wanted = fields.get('do')
      if (wanted === 'discard') {
        // A job that was started meanwhile can be stopped on its own page.
        if (state !== 'uploading') return new GoTo(`/console/jobs/${id}`, text.gone)
        await call(api.cancelJob, { parameters: { id }, body: {} })
        return new GoTo(IMPORT_PATH, text.discarded)
      }
      if (wanted !== 'import') throw invalidRequest(words.form.incomplete)
      await call(api.startJob, { parameters: { id }, body: {} })
      return new GoTo(`/console/jobs/${id}`, text.started)
    },
  })
}

/** Returns the bytes of the file or of the rows. Throws `invalid-field`. */
function bytesIn(rows: string | undefined, file: SentFile | undefined): Uint8Array {
  if (file && rows !== undefined) throw invalidField(text.notBoth, { field: 'rows' })
  const bytes = file?.bytes ?? Buffer.from(rows ?? '')
  if (bytes.length === 0) throw invalidField(text.nothing, { field: 'file' })
  return bytes
}

type Format = 'csv' | 'ndjson' | 'json'

/** Returns the chosen format, or detects it from the file's beginning. Throws `invalid-field`. */
function formatIn(chosen: string | undefined, bytes: Uint8Array): Format {
  const format = (['csv', 'ndjson', 'json'] as const).find((one) => one === chosen)
  if (format) return format
  if (chosen !== undefined) throw invalidField(words.form.incomplete, { field: 'format' })
  const [first] = Buffer.from(bytes.subarray(0, 64))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv'
}

/** Returns the job. Throws `no-such-record` for a job of a different kind. */
async function importJob(id: string, { call }: ConsoleAsked) {
  const job = await call(api.job, { parameters: { id } })
  if (job.kind === KIND) return job
  throw noSuchRecord(text.notAnImport, { kind: 'job', id })
}

async function lookedAt(tried: string, asked: ConsoleAsked): Promise<Looked> {
  const { call, parameters } = asked
  const waiting = await importJob(parameters['id'] ?? '', asked)
  if (waiting.dry_run) throw noSuchRecord(text.notAnImport, { kind: 'job', id: waiting.id })
  if (waiting.state !== 'uploading') return { state: 'gone' }
  const look = await importJob(tried, asked)
  if (!look.dry_run) throw noSuchRecord(text.notAnImport, { kind: 'job', id: tried })
  if (look.state === 'queued' || look.state === 'running') return { state: 'looking' }
  const { items } = await call(api.jobItems, { parameters: { id: tried } })
  const [item] = items
  if (item?.outcome === 'refused') {
    return { state: 'refused', message: item.message ?? '', faults: faultsOf(item) }
  }
  const { devices, added } = item?.result ?? {}
  if (devices === undefined || added === undefined) return { state: 'failed', note: look.note }
  return { state: 'fits', devices, added }
}
