/**
 * One item of a job. The change, its entry in the audit log and the outcome of the item are one transaction: a process
 * that dies leaves all of them or none, and whoever goes on repeats nothing and loses nothing (A16).
 */
import type { Authority } from '../../authority.ts'
import type { ChangingBy } from '../../change.ts'
import { RequestError } from '../../errors.ts'
import type { Job, JobItem, JobOutcome } from './job.ts'
import type { JobStore } from './job-store.ts'
import { type ItemStores, jobKind, type KindDeps } from './kinds.ts'

export interface RunDeps extends Omit<KindDeps, 'changeBy'> {
  readonly changeBy: ChangingBy<ItemStores & { readonly jobs: JobStore }>
}

/** Another process settled the item, or the job has ended. */
class NothingToDo extends Error {
  override readonly name = 'NothingToDo'
}

/** Throws `Unavailable`, and then the item is still open. */
export async function runItem(
  { id, kind: name, settings }: Job,
  { place, subject }: JobItem,
  authority: Authority,
  deps: RunDeps,
): Promise<void> {
  const kind = jobKind(name)
  if (!kind) throw new TypeError(`a job of the unknown kind ${name} runs`)
  let settled = false
  const settling: KindDeps['changeBy'] = (author) => (work) =>
    deps.changeBy(author)(async (on) => {
      settled = false
      if (!(await on.jobs.claim(id, place))) throw new NothingToDo()
      const result = await work(on)
      await on.jobs.settle(id, { place, outcome: outcomeOf(result), code: undefined, message: undefined })
      settled = true
      return result
    })
  const settle = (outcome: JobOutcome, why?: RequestError) =>
    deps.changeBy(authority.author)(async ({ jobs }) => {
      if (await jobs.claim(id, place)) {
        await jobs.settle(id, { place, outcome, code: why?.code, message: why?.message })
      }
    })
  try {
    const { before } = await kind.act(
      { subject, authority, settings, dryRun: false },
      { ...deps, changeBy: settling },
    )
    // What was so already may have needed no transaction.
    if (!settled) await settle(before ? 'unchanged' : 'done')
  } catch (error) {
    if (error instanceof NothingToDo) return
    if (!(error instanceof RequestError)) throw error
    await settle('refused', error)
  }
}

/** Of a decision: an operation says `before` where it changed nothing. */
const outcomeOf = (result: unknown): JobOutcome =>
  typeof result === 'object' && result !== null && 'before' in result && result.before === true
    ? 'unchanged'
    : 'done'
