/** Routes for decisions about many devices: the page with the preview, and the job. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { invalidRequest } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { requireTyped } from '../../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import { orAbsent } from '../../http/console/problem.ts'
import {
  BULK_VERBS,
  type BulkVerb,
  bulkPage,
  type JobPreview,
  takesNumber,
} from '../../web/console/devices/bulk-page.ts'
import type { Device } from '../../web/console/devices/device.ts'
import { without } from '../../web/console/list.ts'
import { words } from '../../web/words/en.ts'
import { deviceFilter, deviceQuery } from './list-routes.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.devices.bulk

/** The parameters of the URL that are not filters. */
const NO_FILTERS = ['do', 'id', 'expected', 'sort', 'cursor', 'limit'] as const

interface Selection {
  readonly verb: BulkVerb
  /** The selected devices; undefined if the filters select them. */
  readonly ids: string[] | undefined
  readonly filter: ReturnType<typeof deviceFilter> | undefined
}

export function deviceBulkPageRoutes({ form }: ConsoleRoutes): void {
  form('/devices/bulk', {
    show: async (asked) => {
      const { call, query } = asked
      const selection = selectionIn(asked)
      const { verb, filter } = selection
      // A dry run accepts any reason.
      const reason = verb === 'reject' ? '-' : undefined
      const preview = await call(api.makeJob, { body: { ...jobOf(selection), reason }, dryRun: true })
      if (!('first_refused' in preview)) throw new TypeError('The dry run created a job')
      const filters = filter && without(query, ...NO_FILTERS)
      const first = await devicesOf(preview.first, asked)
      return bulkPage({ form: asked.form, verb, preview, first, query, filters })
    },
    send: async (asked) => {
      const { call, fields } = asked
      const selection = selectionIn(asked)
      const { verb, ids, filter } = selection
      const expected = ids?.length ?? expectedIn(fields.get('expected'))
      if (takesNumber(verb, filter !== undefined)) requireTyped(fields, String(expected))
      const reason = verb === 'reject' ? (fields.get('reason') ?? '') : fields.get('reason')
      const job = await call(api.makeJob, {
        body: { ...jobOf(selection), reason, expected: filter && expected },
      })
      if (!('id' in job)) throw new TypeError('No job was created')
      return new GoTo(`/console/jobs/${job.id}`, text.made(job.total))
    },
  })
}

/** Reads the selection from the URL. Throws `invalid-request` if the URL lacks the action or the devices. */
function selectionIn({ query, now }: ConsoleAsked): Selection {
  const verb = BULK_VERBS.find((one) => one === query.get('do'))
  if (!verb) throw invalidRequest(text.noVerb)
  const ids = [...new Set(query.all('id'))]
  if (ids.length > 0) return { verb, ids, filter: undefined }
  const filter = deviceFilter(deviceQuery(query, now, ...NO_FILTERS))
  if (Object.keys(filter).length === 0) throw invalidRequest(text.noneSelected)
  return { verb, ids: undefined, filter }
}

const jobOf = ({ verb, ids, filter }: Selection) => ({ kind: `devices.${verb}` as const, ids, filter })

/** Reads the number that the page put into the form. */
function expectedIn(field = ''): number {
  if (/^(0|[1-9][0-9]{0,5})$/.test(field)) return Number(field)
  throw invalidRequest(words.form.incomplete)
}

/** Returns the devices that still exist. */
async function devicesOf(ids: JobPreview['first'], { call }: ConsoleAsked): Promise<readonly Device[]> {
  const devices = await Promise.all(ids.map((id) => call(api.device, { parameters: { id } }).catch(orAbsent)))
  return devices.flatMap((device) => device ?? [])
}
