/** Decides about many devices at a service: the service makes a job of it, and this command follows it. */
import type { JsonObject } from '../../foreign-json.ts'
import { refuseFailures } from '../act-on-each.ts'
import { confirm, confirmTyped, type YesOption } from '../confirm.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../context.ts'
import { followJob } from '../jobs/follow-job.ts'
import { describeJob, MOST_ITEMS, OPERATIONS, requireWhole } from '../jobs/job-output.ts'
import { counted, type JsonOption, note, print } from '../output.ts'
import type { Service } from '../service/service.ts'
import type { Choice } from './chosen-devices.ts'
import { findOver } from './one-device.ts'

export interface DecisionOver {
  readonly kind: 'devices.approve' | 'devices.reject' | 'devices.revoke'
  readonly choice: Choice
  readonly reason?: string | undefined
  /** What the devices are afterwards, such as `approved`. */
  readonly decided: string
}

interface OverOptions extends JsonOption, YesOption {
  readonly dryRun?: boolean
  /** False with `--no-wait`. */
  readonly wait?: boolean
}

interface Refused {
  readonly subject: string
  readonly code: string
  readonly message: string
}

const NO_WAY_BACK = 'They lose their sessions and get nothing any more. This cannot be undone.'
/** The service takes so many ids in a request. */
const IDS_AT_ONCE = 1_000
/** And so many jobs of one account. */
const JOBS_AT_ONCE = 2

/**
 * Prints the jobs, and on standard error what was refused. Throws `RequestError` `invalid-request` if a device was
 * refused, `ServiceRefusal` and `ServiceAway`.
 */
export async function decideOver(
  service: Service,
  { kind, choice, reason, decided }: DecisionOver,
  options: OverOptions,
  context: CommandContext,
): Promise<void> {
  const { selections, unknown } = await selectionsOf(choice, kind, service)
  const bodies = selections.map((selection) => ({
    kind,
    ...selection,
    ...(reason === undefined ? {} : { reason }),
  }))
  if (options.wait === false && bodies.length > JOBS_AT_ONCE) {
    throw new UsageError(
      `--no-wait takes up to ${JOBS_AT_ONCE * IDS_AT_ONCE} devices: a service does ${JOBS_AT_ONCE} jobs of an account at a time.`,
    )
  }
  const asks = kind === 'devices.revoke' || choice.kind === 'filter'
  const previews: JsonObject[] = []
  // Whoever named the devices one by one knows which they are; of a filter the service says how many it chooses.
  if (options.dryRun || asks) {
    for (const body of bodies) {
      previews.push((await service.call(OPERATIONS.make, { body, query: { dry_run: true } })).record)
    }
  }
  if (options.dryRun) return tellPreview(previews, unknown, decided, options, context)
  if (asks) {
    const total = previews.reduce((sum, preview) => sum + Number(preview['total']), 0)
    const told = `${counted(total, 'device')} will be ${decided}.`
    await (kind === 'devices.revoke'
      ? confirmTyped(context, options, () => ({ told: `${told} ${NO_WAY_BACK}`, type: total }))
      : confirm(context, options, told))
  }
  const jobs: JsonObject[] = []
  const refused: Refused[] = [...unknown]
  for (const [index, body] of bodies.entries()) {
    const expected = choice.kind === 'filter' ? { expected: previews[index]?.['total'] } : {}
    const { record: made } = await service.call(OPERATIONS.make, { body: { ...body, ...expected } })
    const id = String(made['id'])
    const look = async (wait: number) => (await service.call(OPERATIONS.job, { id, query: { wait } })).record
    const job = options.wait === false ? made : await followJob(look, context.streams)
    jobs.push(job)
    if (Number(job['refused']) > 0) {
      const asking = { id, query: { outcome: 'refused' }, most: MOST_ITEMS }
      const { records } = await service.list(OPERATIONS.items, 'items', asking)
      refused.push(...records.map(refusedIn))
    }
  }
  for (const { subject, message } of refused) note(context.streams, `${subject}: ${message}`)
  print(context, options, { jobs, refused }, jobs.map(describeJob).join('\n'))
  const items = jobs.reduce((sum, job) => sum + Number(job['total']), unknown.length)
  const results = Array.from({ length: items }, (_, index) => ({
    result: index < refused.length ? 'failed' : 'done',
  }))
  refuseFailures(results, { thing: 'device', done: decided })
  if (options.wait !== false) for (const job of jobs) requireWhole(job)
}

type Selection = { readonly ids: readonly string[] } | { readonly filter: object }

/** `unknown`: names that are no device's. */
async function selectionsOf(
  choice: Choice,
  kind: DecisionOver['kind'],
  service: Service,
): Promise<{ readonly selections: readonly Selection[]; readonly unknown: readonly Refused[] }> {
  if (choice.kind === 'filter') {
    const { model, from } = choice
    const filter = {
      status: [kind === 'devices.revoke' ? 'active' : 'pending'],
      ...(model ? { model: [`${model.brandId}/${model.model}`] } : {}),
      ...(from === undefined ? {} : { address: [from] }),
    }
    return { selections: [{ filter }], unknown: [] }
  }
  const ids = new Set<string>()
  const unknown: Refused[] = []
  for (const name of new Set(choice.names)) {
    const found = await idOf(name, kind, service)
    if (typeof found === 'string') ids.add(found)
    else unknown.push({ subject: name, code: found.code, message: found.message })
  }
  const all = [...ids]
  const selections = Array.from({ length: Math.ceil(all.length / IDS_AT_ONCE) }, (_, index) => ({
    ids: all.slice(index * IDS_AT_ONCE, (index + 1) * IDS_AT_ONCE),
  }))
  return { selections, unknown }
}

async function idOf(
  name: string,
  kind: DecisionOver['kind'],
  service: Service,
): Promise<string | ServiceRefusal> {
  if (/^[0-9a-f-]{36}$/.test(name)) return name
  const prefer =
    kind === 'devices.revoke' ? (['active', 'revoked'] as const) : (['pending', 'rejected'] as const)
  try {
    return String((await findOver(service, name, prefer)).record['id'])
  } catch (error) {
    if (error instanceof ServiceRefusal) return error
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
  options: OverOptions,
  context: CommandContext,
): void {
  const sum = (name: string) => previews.reduce((all, preview) => all + Number(preview[name]), 0)
  const [total, examined, done] = [sum('total'), sum('examined'), sum('done')]
  const refused = sum('refused') + unknown.length
  const first = previews.flatMap(({ first_refused: list }) =>
    Array.isArray(list) ? list.map(refusedIn) : [],
  )
  for (const { subject, message } of [...unknown, ...first]) note(context.streams, `${subject}: ${message}`)
  const looked = examined < total ? ` The first ${examined} of ${total} were looked at.` : ''
  const told = `${counted(done, 'device')} would be ${decided}, ${refused} would be refused.${looked}`
  print(context, options, { previews, unknown }, told)
}
