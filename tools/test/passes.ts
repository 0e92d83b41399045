/**
 * Divides the test files of a run into passes. The endings of a file's name decide where it runs; CONTRIBUTING.md
 * explains them. Files of the same kind share processes, because each start costs a second of CPU.
 */
import { globSync } from 'node:fs'
import { basename } from 'node:path'

export interface TestFile {
  readonly path: string
  /** The size in bytes, an estimate of the time that the file takes. */
  readonly size: number
}

export interface Pass {
  /** A description of its files, or the path of its only file. */
  readonly name: string
  readonly files: readonly string[]
  /** With `--test`, each file runs in a process of its own; otherwise all share one. */
  readonly nodeOptions: readonly string[]
  /** Whether the pass runs after all others. */
  readonly last: boolean
}

/** `quick`: `npm test`. `full`: `npm run test:full`, with the rest. `chosen`: the named files, on both databases. */
export type Run = 'quick' | 'full' | 'chosen'

const ALL_TESTS = [
  'packages/*/{src,test}/**/*.test.ts',
  'tools/**/*.test.ts',
  'examples/**/*.test.ts',
  'faults/**/*.test.ts',
  'interop/support/*.test.ts',
  'benchmarks/{harness,report}/*.test.ts',
]

/** Returns the paths of all test files, relative to the working directory, which is the root. */
export const allTests = (): readonly string[] => globSync(ALL_TESTS, { exclude: ['**/node_modules/**'] })

/** Matches the files whose suites for both databases `npm test` runs only on SQLite. */
const BOTH_IN_FULL = /^packages\/server\/test\//

/** The endings, in the order that a file's name must have. */
export const ENDINGS = ['db', 'full', 'sampled', 'own', 'timed'] as const
export type Ending = (typeof ENDINGS)[number]

/** Returns the endings of a file's name. Throws an Error if one is unknown or in the wrong place. */
export function endingsOf(path: string): ReadonlySet<Ending> {
  const [, ...given] = basename(path, '.test.ts').split('.')
  const known = ENDINGS.filter((ending) => given.includes(ending))
  if (known.join() !== given.join()) {
    throw new Error(`${path}: allowed endings are only ${ENDINGS.join(', ')}, in this order`)
  }
  return new Set(known)
}

type Part = 'everything' | 'sqlite' | 'postgres'

/** `eachDatabase` names a suite after each database. Node does not count the tests that these options leave out. */
const PARTS: Readonly<Record<Part, { readonly on: string; readonly options: readonly string[] }>> = {
  everything: { on: 'on both databases', options: [] },
  sqlite: { on: 'on SQLite', options: ['--test-skip-pattern=^postgres$'] },
  postgres: { on: 'on PostgreSQL', options: ['--test-name-pattern=^postgres$'] },
}

function partOf(path: string, run: Run): Part | undefined {
  const endings = endingsOf(path)
  if (run === 'chosen') return 'everything'
  if (run === 'quick') return endings.has('full') ? undefined : endings.has('db') ? 'everything' : 'sqlite'
  if (endings.has('full') || endings.has('sampled')) return 'everything'
  return !endings.has('db') && BOTH_IN_FULL.test(path) ? 'postgres' : undefined
}

/** The size of files for one process. With less, passes finish closer together, but more processes start. */
export const SHARE = 250_000

/** A weight for the long files of a full run, because even small ones take minutes. */
const MINUTES = 1e9

/** Returns the passes of a run, longest first, so that short ones fill the remaining time. */
export function passesOf(files: readonly TestFile[], run: Run): readonly Pass[] {
  return (Object.keys(PARTS) as Part[])
    .flatMap((part) =>
      passesOn(
        part,
        files.filter(({ path }) => partOf(path, run) === part),
        run,
      ),
    )
    .sort((a, b) => b.weight - a.weight)
    .map(({ weight: _, ...pass }) => pass)
}

function passesOn(part: Part, files: readonly TestFile[], run: Run): readonly (Pass & { weight: number })[] {
  const { on, options } = PARTS[part]
  const kinds = Map.groupBy(files, ({ path }) => {
    const endings = endingsOf(path)
    if (endings.has('timed')) return 'timed'
    const long = run === 'full' && (endings.has('sampled') || endings.has('full'))
    return endings.has('own') || long ? 'own' : 'shared'
  })
  const shares = sharesOf(kinds.get('shared') ?? [])
  const together = shares.map((files, index) => ({
    name: `tests ${on}, ${index + 1} of ${shares.length}`,
    ...passWith(files, options),
    weight: sizeOf(files) * (part === 'everything' ? 2 : 1),
  }))
  const alone = (kinds.get('own') ?? []).map((file) => ({
    ...{ name: file.path, ...passWith([file], options) },
    weight: run === 'full' ? MINUTES + file.size : file.size,
  }))
  const timed = kinds.get('timed') ?? []
  if (timed.length === 0) return [...together, ...alone]
  // They mostly wait, so two can run at once.
  const last = { ...passWith(timed, ['--test', '--test-concurrency=2', ...options]), last: true }
  return [...together, ...alone, { name: `tests that measure time, ${on}`, ...last, weight: 0 }]
}

const passWith = (files: readonly TestFile[], nodeOptions: readonly string[]): Omit<Pass, 'name'> => ({
  files: files.map(({ path }) => path),
  nodeOptions,
  last: false,
})

const sizeOf = (files: readonly TestFile[]): number => files.reduce((sum, { size }) => sum + size, 0)

/** Divides files into shares of about equal size. Neighbours stay together, because they load the same modules. */
function sharesOf(files: readonly TestFile[]): readonly (readonly TestFile[])[] {
  const total = sizeOf(files)
  const share = total / Math.ceil(total / SHARE)
  let before = 0
  const shares = Map.groupBy(files, ({ size }) => {
    const middle = before + size / 2
    before += size
    return Math.floor(middle / share)
  })
  return [...shares.values()]
}
