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
  /** Whether it runs after the others; those run at the same time. */
  readonly alone: boolean
}

/** One more than two cores: files wait for processes and databases. */
const CONCURRENCY = 3

/** Files whose guarantee is a time: a neighbour would take from it. */
const ALONE: readonly string[] = []

/** What starts processes or servers, opens databases, or changes what all files of a process share. */
const OWN_PROCESS =
  /node:(child_process|http|net|worker_threads|cluster)|support\/|fastify|mock\.timers|process\.(env\[|on|emit|chdir)/

const FULL = /from '[./]+support\/full\.ts'/

/** The passes that have files, in the order to run them. With `full` only of files that then do more. */
export function passesOf(files: readonly TestFile[], { full }: { readonly full: boolean }): readonly Pass[] {
  const chosen = full ? files.filter(({ text }) => FULL.test(text)) : files
  const shared = chosen.filter(({ text }) => !OWN_PROCESS.test(text))
  const alone = chosen.filter(({ path }) => ALONE.includes(path))
  const others = chosen.filter((file) => !shared.includes(file) && !alone.includes(file))
  const pathsOf = (some: readonly TestFile[]) => some.map(({ path }) => path)
  return [
    {
      name: 'in one process',
      files: pathsOf(shared),
      nodeOptions: ['--test-isolation=none'],
      alone: false,
    },
    {
      name: 'in a process each',
      files: pathsOf(others),
      nodeOptions: [`--test-concurrency=${CONCURRENCY}`],
      alone: false,
    },
    {
      name: 'one at a time',
      files: pathsOf(alone),
      nodeOptions: ['--test-concurrency=1'],
      alone: true,
    },
  ].filter((pass) => pass.files.length > 0)
}
