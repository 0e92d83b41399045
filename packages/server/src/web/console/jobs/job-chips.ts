/** The state and the progress of jobs, as all pages show them. */
import type { JobItemsSchema, JobSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import type { Html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip, type Tone } from '../chip.ts'

export type Job = Static<typeof JobSchema>
export type JobItem = Static<typeof JobItemsSchema>['items'][number]

const text = words.jobs

const STATE_TONES: Readonly<Record<Job['state'], Tone>> = {
  uploading: 'warn',
  queued: 'warn',
  running: 'warn',
  done: 'good',
  cancelled: 'off',
  stopped: 'bad',
  failed: 'bad',
}

/** Marks a job that is done but refused some of its records as bad, so that users notice it. */
export const jobChip = ({ state, refused }: Pick<Job, 'state' | 'refused'>): Html =>
  stateChip(state === 'done' && refused > 0 ? 'bad' : STATE_TONES[state], text.stateOf(state))

const OUTCOME_TONES: Readonly<Record<string, Tone>> = { done: 'good', unchanged: 'off', refused: 'bad' }

/** Null means that the record is still pending. */
export const outcomeChip = (outcome: string | null): Html =>
  stateChip(OUTCOME_TONES[outcome ?? 'open'] ?? 'warn', text.outcomeOf(outcome ?? 'open'))

export const settledOf = ({
  done,
  unchanged,
  refused,
}: Pick<Job, 'done' | 'unchanged' | 'refused'>): number => done + unchanged + refused

export const isOpen = ({ state }: Pick<Job, 'state'>): boolean =>
  state === 'uploading' || state === 'queued' || state === 'running'

/** `812 of 1,204 · 3 refused · about 40 s`. */
export function progressText(job: Job, now: Date): string {
  const left = secondsLeft(job, now)
  return [
    text.settled(settledOf(job), job.total),
    ...(job.unchanged > 0 ? [text.unchanged(job.unchanged)] : []),
    ...(job.refused > 0 ? [text.refused(job.refused)] : []),
    ...(left === undefined ? [] : [text.left(left)]),
  ].join(' · ')
}

/** Assumes the speed so far. Undefined while the speed is unknown, and for a file, which is a single step. */
function secondsLeft(job: Job, now: Date): number | undefined {
  const settled = settledOf(job)
  if (job.state !== 'running' || job.started_at === null || settled === 0 || job.total === 1) return undefined
  const seconds = (now.getTime() - new Date(job.started_at).getTime()) / 1000
  return seconds < 1 ? undefined : (seconds / settled) * (job.total - settled)
}
