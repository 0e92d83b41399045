import { stateConflict } from '../../errors.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { counted } from '../output.ts'

/** More items than any job has. */
export const MOST_ITEMS = 100_000

export const isOver = ({ state }: JsonObject): boolean =>
  state !== 'uploading' && state !== 'queued' && state !== 'running'

/** Throws `RequestError`, for exit code 1, if the job did not finish or if records were refused. */
export function requireWhole({ id, state, total, refused }: JsonObject): void {
  if (state !== 'done') throw stateConflict(`The job ${id} is ${state}. It did not finish.`)
  if (Number(refused) === 0) return
  throw stateConflict(
    `${refused} of ${counted(Number(total), 'record')} ${Number(refused) === 1 ? 'was' : 'were'} refused. \`ratafia jobs items ${id} --outcome refused\` shows the reasons.`,
  )
}

/** Describes a job in one sentence. */
export function describeJob(job: JsonObject): string {
  const { id, kind, state, total, done, unchanged, refused, note } = job
  const parts = [
    `${done} of ${counted(Number(total), 'record')} done`,
    ...(Number(unchanged) > 0 ? [`${unchanged} unchanged`] : []),
    ...(Number(refused) > 0 ? [`${refused} refused`] : []),
  ]
  const why = typeof note === 'string' ? ` ${note}` : ''
  const how = state === 'done' ? 'finished' : `is ${state}`
  return `The job ${id} (${kind}) ${how}: ${parts.join(', ')}.${why}`
}
