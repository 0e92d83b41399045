/**
 * How a run divides the test files. What runs where follows from the endings of a file's name, which CONTRIBUTING.md
 * explains; files of the same kind share processes, because each start costs a second of CPU.
 */
import { basename } from 'node:path'

export interface TestFile {
  readonly path: string
  /** In bytes. How long a file takes is guessed from it. */
  readonly size: number
}

export interface Pass {
  /** What its files have in common, or the path of its only file. */
  readonly name: string
  readonly files: readonly string[]
  /** With `--test` each file runs in a process of its own, otherwise all in one. */
  readonly nodeOptions: readonly string[]
  /** Runs when all others are done. */
  readonly last: boolean
}

/** `npm test`; `npm run test:full`, which runs what that leaves out; or files that somebody names, on both databases. */
export type Run = 'quick' | 'full' | 'chosen'

export const ALL_TESTS = [
  'packages/*/{src,test}/**/*.test.ts',
  'tools/**/*.test.ts',
  'examples/**/*.test.ts',
  'faults/**/*.test.ts',
  'interop/support/*.test.ts',
  'benchmarks/{harness,report}/*.test.ts',
]

/** Only here are tests on both databases that `npm test` runs on SQLite alone. */
const BOTH_IN_FULL = /^packages\/server\/test\//

/** In the order in which a name has them. */
export const ENDINGS = ['db', 'full', 'sampled', 'own', 'timed'] as const
export type Ending = (typeof ENDINGS)[number]

/** Throws if the name has an unknown ending, or one in the wrong place. */
export function endingsOf(path: string): ReadonlySet<Ending> {
  const [, ...given] = basename(path, '.test.ts').split('.')
  const known = ENDINGS.filter((ending) => given.includes(ending))
  if (known.join() !== given.join()) throw new Error(`${path}: only ${ENDINGS.join(', ')}, in this order`)
  return new Set(known)
}

type Part = 'everything' | 'sqlite' | 'postgres'

/** `eachDatabase` declares a suite with the name of each database. Node does not count what these options leave out. */
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

/** How much one process gets. Smaller ones end at the same time, and start more often. */
export const SHARE = 250_000

/** In full strength, small files run for minutes. */
const MINUTES = 1e9

/** The longest pass first, so that short ones fill the end. */
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
    return endings.has('own') || (run === 'full' && endings.has('sampled')) ? 'own' : 'shared'
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
  // They wait more than they work, so two run at once.
  const last = { ...passWith(timed, ['--test', '--test-concurrency=2', ...options]), last: true }
  return [...together, ...alone, { name: `tests that measure time, ${on}`, ...last, weight: 0 }]
}

const passWith = (files: readonly TestFile[], nodeOptions: readonly string[]): Omit<Pass, 'name'> => ({
  files: files.map(({ path }) => path),
  nodeOptions,
  last: false,
})

const sizeOf = (files: readonly TestFile[]): number => files.reduce((sum, { size }) => sum + size, 0)

/** Neighbours stay together: they load the same modules. */
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
