/** How the test files are divided: cheap ones share a process, those that measure time run last. */

export interface TestFile {
  readonly path: string
  readonly text: string
}

export interface Pass {
  /** What its files have in common, or the path of its only file. */
  readonly name: string
  readonly files: readonly string[]
  readonly nodeOptions: readonly string[]
  /** Runs when all others are done. */
  readonly last: boolean
}

export const ALL_TESTS = [
  'packages/*/{src,test}/**/*.test.ts',
  'tools/**/*.test.ts',
  'examples/**/*.test.ts',
  'faults/**/*.test.ts',
  'interop/support/*.test.ts',
  'benchmarks/{harness,report}/*.test.ts',
]

/** Files whose guarantee is a time limit. They wait more than they work, so both run at once. */
export const TIMED: readonly string[] = [
  'packages/server/test/http/connections.test.ts',
  'packages/server/test/tokens/revocation.test.ts',
]

/** Files that start servers or processes, open databases, or change what all files of a process share. */
const NOT_PURE =
  /node:(child_process|http|net|worker_threads|cluster)|support\/|registerHooks|fastify|mock\.timers|process\.(env\[|on|emit|chdir)/

/** Folders whose files with databases share a process for each folder: each start costs a second of CPU. */
export const FOLDERS = [
  'packages/server/src',
  'packages/server/test/brands',
  'packages/server/test/ci',
  'packages/server/test/cli',
  'packages/server/test/console',
  'packages/server/test/devices',
  'packages/server/test/http',
  'packages/server/test/identity',
  'packages/server/test/management',
  'packages/server/test/reminders',
  'packages/server/test/telemetry',
  'packages/server/test/tokens',
  'packages/server/test/upkeep',
]

const READS_EFFORT = /from '[./]+tools\/test\/effort\.ts'/

/** Small files that run for minutes in a full run. */
const LONG_IN_FULL = /test\/hostile\//

/** The longest pass first, so that the short ones fill the end. With `full` only of files that then do more. */
export function passesOf(files: readonly TestFile[], { full }: { readonly full: boolean }): readonly Pass[] {
  const weightOf = (files: readonly TestFile[]): number =>
    files.reduce((sum, { path, text }) => sum + (full && LONG_IN_FULL.test(path) ? 1e6 : text.length), 0)
  const chosen = full ? files.filter(({ text }) => READS_EFFORT.test(text)) : files
  return [...Map.groupBy(chosen, passOf)]
    .sort(([, a], [, b]) => weightOf(b) - weightOf(a))
    .map(([name, files]) => ({
      name,
      files: files.map(({ path }) => path),
      nodeOptions: [name === LAST ? '--test-concurrency=2' : '--test-isolation=none'],
      last: name === LAST,
    }))
}

const LAST = 'tests that measure time'

function passOf({ path, text }: TestFile): string {
  if (TIMED.includes(path)) return LAST
  if (!NOT_PURE.test(text)) return 'tests without databases'
  const folder = FOLDERS.find((name) => path.startsWith(`${name}/`))
  return folder ?? path
}
