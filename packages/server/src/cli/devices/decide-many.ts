/** Decides about many devices: creates a job, follows it, and reports refused devices (D6). */

import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { DeviceStatus } from '../../devices/device.ts'
import { RequestError, Unavailable } from '../../errors.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { refuseFailures } from '../act-on-each.ts'
import { confirm, confirmTyped } from '../confirm.ts'
import {
  type CommandContext,
  type CommonOptions,
  ServiceAway,
  ServiceRefusal,
  UsageError,
} from '../context.ts'
import { describeJob, finishJob, itemsOf, requireWhole } from '../jobs/follow-job.ts'
import { counted, note, print } from '../output.ts'
import type { Service } from '../service/service.ts'
import type { Choice } from './chosen-devices.ts'
import type { DeviceFilters } from './filter-options.ts'
import { findDevice } from './one-device.ts'

/** A decision about many devices, which a job carries out. */
export interface BulkDecision {
  readonly kind: 'devices.approve' | 'devices.reject' | 'devices.revoke' | 'devices.release'
  /** The participle for the result, such as `approved`. */
  readonly decided: string
  /** The statuses to prefer if several rows have the same name. */
  readonly prefer: readonly DeviceStatus[]
  /** The devices that the decision is about, unless filters select a status. */
  readonly about: DeviceFilters
  /** A noun phrase for these devices. */
  readonly those: string
  readonly undoable: boolean
}

export interface DecideOptions extends CommonOptions {
  readonly dryRun?: boolean
  /** Whether to wait for the job; false with `--no-wait`. */
  readonly wait?: boolean
}

interface Decision extends BulkDecision {
  readonly choice: Choice
  readonly reason: string | undefined
}

/** The body of `POST /jobs`. */
interface AskedJob {
  readonly kind: string
  readonly ids?: readonly string[]
  /** The query of `GET /devices`. */
  readonly filter?: object
  readonly expected?: number
  readonly reason?: string
}

interface Refused {
  readonly subject: string
  readonly code: string
  readonly message: string
}

/** The ids that a service accepts in one request. */
const IDS_AT_ONCE = 1_000
/** The jobs that a service runs for one account at a time. */
const JOBS_AT_ONCE = 2

/**
 * Prints the jobs, and refused devices on standard error. Throws `RequestError` `invalid-request` if a device
 * was refused, and the errors of `service`.
 */
export async function decideMany(
  decision: Decision,
  service: Service,
  options: DecideOptions,
  context: CommandContext,
): Promise<void> {
  const { choice, decided, undoable } = decision
  const { asked, unknown } = await jobsFor(decision, service)
  if (options.wait === false && asked.length > JOBS_AT_ONCE) {
    throw new UsageError(
      `--no-wait accepts up to ${JOBS_AT_ONCE * IDS_AT_ONCE} devices, because a service runs ${JOBS_AT_ONCE} jobs of an account at a time.`,
    )
  }
  // A user who named the devices knows which they are; for a filter, the preview counts them.
  const asks = !undoable || choice.kind === 'filter'
  const previews: JsonObject[] = []
  if (options.dryRun || asks)
    for (const one of asked)
      previews.push(await service.recordOf(api.makeJob, { body: one, query: { dry_run: true } }))
  if (options.dryRun) return tellPreview(previews, unknown, decided, options, context)
  const total = previews.reduce((sum, preview) => sum + Number(preview['total']), 0)
  if (choice.kind === 'filter' && total === 0) {
    return print(context, options, { jobs: [], refused: [] }, `No device matches, so none was ${decided}.`)
  }
  if (asks) await agree(total, decision, options, context)
  const ended: JsonObject[] = []
  const refused: Refused[] = [...unknown]
  for (const one of asked) {
    const expected = choice.kind === 'filter' ? { expected: total } : {}
    const job = await have({ ...one, ...expected }, service, options, context)
    ended.push(job)
    if (Number(job['refused']) > 0) {
      refused.push(...(await itemsOf(service, String(job['id']), 'refused')).map(refusedIn))
    }
    if (job['state'] === 'cancelled') break
  }
  for (const { subject, message } of refused) note(context.streams, `${subject}: ${message}`)
  print(context, options, { jobs: ended, refused }, ended.map(describeJob).join('\n'))
  const items = ended.reduce((sum, job) => sum + Number(job['total']), unknown.length)
  refuseFailures(refused.length, items, { thing: 'device', done: decided })
  if (options.wait !== false) for (const job of ended) requireWhole(job)
}

/** Returns the jobs to create, and the names that belong to no device. */
async function jobsFor(
  { choice, kind, reason, prefer }: Decision,
  service: Service,
): Promise<{ readonly asked: readonly AskedJob[]; readonly unknown: readonly Refused[] }> {
  const job = { kind, ...(reason === undefined ? {} : { reason }) }
  if (choice.kind === 'filter') {
    return { asked: [{ ...job, filter: choice.filterAt(service.clock()) }], unknown: [] }
  }
  const ids = new Set<string>()
  const unknown: Refused[] = []
  for (const name of new Set(choice.names)) {
    try {
      // Ids are not looked up here, because the job refuses unknown ones.
      ids.add(
        /^[0-9a-f-]{36}$/.test(name) ? name : String((await findDevice(service, name, prefer)).record['id']),
      )
    } catch (error) {
      if (!(error instanceof RequestError || error instanceof ServiceRefusal)) throw error
      unknown.push({ subject: name, code: error.code, message: error.message })
    }
  }
  const all = [...ids]
  const asked = Array.from({ length: Math.ceil(all.length / IDS_AT_ONCE) }, (_, index) => ({
    ...job,
    ids: all.slice(index * IDS_AT_ONCE, (index + 1) * IDS_AT_ONCE),
  }))
  return { asked, unknown }
}

async function agree(
  total: number,
  { decided, undoable }: Decision,
  options: DecideOptions,
  context: CommandContext,
): Promise<void> {
  const told = `${counted(total, 'device')} will be ${decided}.`
  if (undoable) return confirm(context, options, told)
  const noWayBack =
    'They lose their sessions, and can neither register nor open sessions again. This cannot be undone.'
  await confirmTyped(context, options, () => ({ told: `${told} ${noWayBack}`, type: total }))
}

/** Creates the job, and returns it once it has ended, or immediately with `--no-wait`. */
async function have(
  asked: AskedJob,
  service: Service,
  { wait }: DecideOptions,
  { streams }: CommandContext,
): Promise<JsonObject> {
  const made = await service.recordOf(api.makeJob, { body: asked })
  if (wait === false) return made
  const id = String(made['id'])
  try {
    return await finishJob(service, id, streams)
  } catch (error) {
    if (error instanceof ServiceAway || error instanceof Unavailable) {
      note(streams, `The job ${id} has not ended. To follow it again, run \`ratafia jobs wait ${id}\`.`)
    }
    throw error
  }
}

const refusedIn = ({ subject, code, message }: JsonObject): Refused => ({
  subject: String(subject),
  code: String(code),
  message: String(message),
})

function tellPreview(
  previews: readonly JsonObject[],
  unknown: readonly Refused[],
  decided: string,
  options: DecideOptions,
  context: CommandContext,
): void {
  const sum = (name: string) => previews.reduce((all, preview) => all + Number(preview[name]), 0)
  const [total, examined, done] = [sum('total'), sum('examined'), sum('done')]
  const refused = sum('refused') + unknown.length
  const first = previews.flatMap(({ first_refused: list }) =>
    Array.isArray(list) ? list.map(refusedIn) : [],
  )
  for (const { subject, message } of [...unknown, ...first]) note(context.streams, `${subject}: ${message}`)
  const looked = examined < total ? ` Only the first ${examined} of ${total} were checked.` : ''
  const told = `${counted(done, 'device')} would be ${decided}, ${refused} would be refused.${looked}`
  print(context, options, { previews, unknown }, told)
}
