/** Shows what a job would do, before it is created (A13). */
import { brandsFor, requireRecentPerson } from '../../authority.ts'
import { wantsSameSerial } from '../../devices/registration/approval/approve.ts'
import { RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { kindOf, settingsOf, subjectsOf, type WantedJob } from './make-job.ts'

export interface Preview {
  readonly kind: string
  readonly total: number
  /** How many of them were examined. */
  readonly examined: number
  readonly done: number
  readonly unchanged: number
  readonly refused: number
  /** The first items that would be refused, with the reasons. */
  readonly firstRefused: readonly {
    readonly subject: string
    readonly code: string
    readonly message: string
  }[]
  /** The first items of all. */
  readonly first: readonly string[]
}

/** Limited so that the request is answered in time. */
const MOST_EXAMINED = 1_000
const SHOWN = { refused: 100, first: 20 } as const

/** Tries the first items of the job. `stores` roll back every change. Throws as {@link makeJob} does. */
export async function previewJob(wanted: WantedJob, stores: Stores): Promise<Preview> {
  const { authority } = wanted
  const kind = kindOf(wanted.kind)
  brandsFor(authority, kind.needs)
  if (kind.recentPerson) requireRecentPerson(authority, stores.clock())
  const settings = settingsOf(wanted, kind)
  const subjects = await subjectsOf(wanted, kind, stores)
  const counts = { done: 0, unchanged: 0 }
  const firstRefused: Preview['firstRefused'][number][] = []
  let refused = 0
  // Each change is rolled back, so later items do not see it.
  const taken = new Map<string, string>()
  for (const subject of subjects.slice(0, MOST_EXAMINED)) {
    try {
      const { before, takes } = await kind.act({ subject, authority, settings, dryRun: true }, stores)
      const twin = takes === undefined ? undefined : taken.get(takes)
      if (twin !== undefined) throw wantsSameSerial(twin)
      if (takes !== undefined) taken.set(takes, subject)
      counts[before ? 'unchanged' : 'done']++
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refused++
      const { code, message } = error
      if (firstRefused.length < SHOWN.refused) firstRefused.push({ subject, code, message })
    }
  }
  const examined = Math.min(subjects.length, MOST_EXAMINED)
  return {
    kind: wanted.kind,
    total: subjects.length,
    examined,
    ...counts,
    ...{ refused, firstRefused },
    first: subjects.slice(0, SHOWN.first),
  }
}

/** Returns the preview as the API shows it. */
export const previewRecord = ({ firstRefused, ...preview }: Preview) => ({
  ...preview,
  first_refused: firstRefused,
})
