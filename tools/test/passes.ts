/** How the test files are divided: what is cheap shares a process, what measures time runs alone. */

export interface TestFile {
  readonly path: string
  readonly text: string
}

export interface Pass {
  /** How its files run, for people. */
  readonly name: string
  readonly files: readonly string[]
  readonly nodeOptions: readonly string[]
  /** Lanes run at the same time, the passes of one in turn; `last` when the others are over. */
  readonly lane: 'own' | 'shared' | 'last'
}

/** Files of a process each that run at a time, beside the passes that share one. */
const CONCURRENCY = 2

/** Files whose guarantee is a time: a neighbour would take from it. */
const ALONE: readonly string[] = [
  'packages/server/test/http/connections.test.ts',
  'packages/server/test/tokens/revocation.test.ts',
]

/** What starts servers or processes, opens databases, or changes what all files of a process share. */
const NOT_PURE =
  /node:(child_process|http|net|worker_threads|cluster)|support\/|registerHooks|fastify|mock\.timers|process\.(env\[|on|emit|chdir)/

/** Folders whose files with databases share a process for each folder: each start costs a second of CPU. */
const FOLDERS = [
  'packages/server/src',
  'packages/server/test/brands',
  'packages/server/test/identity',
  'packages/server/test/tokens',
]

const FULL = /from '[./]+support\/full\.ts'/

/** The passes that have files, in the order to run them. With `full` only of files that then do more. */
export function passesOf(files: readonly TestFile[], { full }: { readonly full: boolean }): readonly Pass[] {
  const chosen = full ? files.filter(({ text }) => FULL.test(text)) : files
  const byName = new Map<string, string[]>()
  for (const file of chosen) {
    const name = passOf(file)
    byName.set(name, [...(byName.get(name) ?? []), file.path])
  }
  return [...byName].map(([name, files]) => ({ name, files, ...(HOW[name] ?? ONE_PROCESS) }))
}

const ONE_PROCESS = { nodeOptions: ['--test-isolation=none'], lane: 'shared' } as const
const [EACH, LAST] = ['in a process each', 'one at a time']
const HOW: Readonly<Record<string, Pick<Pass, 'nodeOptions' | 'lane'>>> = {
  [EACH]: { nodeOptions: [`--test-concurrency=${CONCURRENCY}`], lane: 'own' },
  [LAST]: { nodeOptions: ['--test-concurrency=1'], lane: 'last' },
}

function passOf({ path, text }: TestFile): string {
  if (ALONE.includes(path)) return LAST
  if (!NOT_PURE.test(text)) return 'without databases, in one process'
  const folder = FOLDERS.find((name) => path.startsWith(`${name}/`))
  return folder === undefined ? EACH : `of ${folder}, in one process`
}
