/**
 * The page docs/conformance.md, made from what a run of all tests found. A test is about the client whose name its suite
 * or its title begins with, otherwise about the client of its file.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export interface Result {
  /** Without its folder. */
  readonly file: string
  /** Of the suites around the test, from the outside in, and of the test. */
  readonly titles: readonly string[]
  readonly passed: boolean
}

const REMEDY = '`interop/setup && npm run test:interop`'

const COLUMNS = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
type Database = keyof typeof COLUMNS

/** `undefined`: the file is about no client. */
const CLIENT_OF_FILE: Readonly<Record<string, string | undefined>> = {
  'canonical-brand.test.ts': 'snap',
  'chromium.test.ts': 'Chromium',
  'console-flows.test.ts': 'Chromium',
  'console-pages.test.ts': 'Chromium',
  'console-states.test.ts': 'Chromium',
  'cookies.test.ts': 'Chromium',
  'craft-store.test.ts': 'craft-store',
  'curl.test.ts': 'curl',
  // Where ci-examples.test.ts has its tests from.
  'example-tests.ts': undefined,
  'front-page.test.ts': 'Chromium',
  'fuzz.test.ts': 'Schemathesis',
  'nginx.test.ts': 'nginx',
  'own-brand.test.ts': 'snapd',
  'quickstart.test.ts': 'Chromium',
  'restart.test.ts': 'Python macaroonbakery',
  'separate-identity.test.ts': 'Python macaroonbakery',
  'snap-login.test.ts': 'snapd',
  'snapd-models.test.ts': 'snapd',
  'snapd-registration.test.ts': 'snapd',
  'snapd-sessions.test.ts': 'snapd',
  'terminal.test.ts': undefined,
}

/**
 * `versions` has every client's by its name, in the order of the table. Throws an `Error` that names a test without a
 * client.
 */
export function conformancePage(
  results: readonly Result[],
  versions: Readonly<Record<string, string>>,
): string {
  const clients = Object.keys(versions)
  const flows = results.flatMap((result) => flowOf(result, clients) ?? [])
  const rows = clients.flatMap((client) => {
    // By file, and in a file in the order of its tests: the order in which files end does not matter.
    const own = flows
      .filter((one) => one.client === client)
      .sort((a, b) => a.file.localeCompare(b.file, 'en'))
    return [...Map.groupBy(own, ({ flow }) => flow)].map(([flow, runs]) => {
      const cells = Object.keys(COLUMNS).map((database) =>
        outcome(runs.filter((one) => one.database === database)),
      )
      return tableRow(client, versions[client] ?? '', flow, ...cells)
    })
  })
  return `# Conformance

<!-- Made by \`npm run test:interop\`; CI compares. -->

What unmodified clients do with this service in every run of the [tests with real clients](../interop/README.md). What
does not depend on the database runs on SQLite only. [Clients](clients.md) says how to point each of them here, what was
tried by hand, and what does not work.

${tableRow('client', 'version', 'flow', ...Object.values(COLUMNS))}
|---|---|---|---|---|
${rows.join('\n')}
`
}

/** Writes the page to `file`. Where it may not, an `Error` names the lines in which the committed page differs. */
export function keepPage(file: string, page: string, { mayWrite }: { readonly mayWrite: boolean }): void {
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (page === committed) return
  if (mayWrite) {
    writeFileSync(file, page)
    return
  }
  const [was, is] = [committed.split('\n'), page.split('\n')]
  const lines = [
    `This run found something else than ${file} says. Run ${REMEDY} and commit the page.`,
    ...was.filter((line) => !is.includes(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`),
  ]
  throw new Error(lines.join('\n'))
}

interface Flow {
  readonly file: string
  readonly client: string
  readonly flow: string
  readonly database: Database
  readonly passed: boolean
}

/** Nothing for a test that is about no client. */
function flowOf({ file, titles, passed }: Result, clients: readonly string[]): Flow | undefined {
  const database = (Object.keys(COLUMNS) as Database[]).find((name) => titles.includes(name))
  const title = titles.filter((one) => one !== database).join(': ')
  const named = clients.find(
    (client) => title.startsWith(client) && /^[,:] /.test(title.slice(client.length)),
  )
  const common = { file, database: database ?? 'sqlite', passed }
  if (named !== undefined) return { ...common, client: named, flow: title.slice(named.length + 2) }
  if (!(file in CLIENT_OF_FILE)) {
    const remedy =
      'Begin it with one of support/requirements.ts, or give the file one in support/conformance.ts.'
    throw new Error(`interop/${file}: "${title}" names no client. ${remedy}`)
  }
  const client = CLIENT_OF_FILE[file]
  return client === undefined ? undefined : { ...common, client, flow: titles.at(-1) ?? '' }
}

const outcome = (runs: readonly Flow[]): string =>
  runs.length === 0 ? '—' : runs.every(({ passed }) => passed) ? 'passes' : 'fails'

const tableRow = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '\\<')).join(' | ')} |`
