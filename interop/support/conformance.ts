/**
 * Builds the page docs/conformance.md from the results of a run of all tests. A test is about the client whose name
 * begins its suite or its title, or otherwise about the client of its file.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

export interface Result {
  /** The name of the file, without its folder. */
  readonly file: string
  /** The titles of the suites around the test, from the outside in, and of the test. */
  readonly titles: readonly string[]
  readonly passed: boolean
}

const REMEDY = '`interop/setup && npm run test:interop`'

const COLUMNS = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
type Database = keyof typeof COLUMNS

/** The client of each file; undefined for files that are not about a client. */
const CLIENT_OF_FILE: Readonly<Record<string, string | undefined>> = {
  'canonical-brand.test.ts': 'snap',
  'chromium.test.ts': 'Chromium',
  'console-flows.test.ts': 'Chromium',
  'console-pages.test.ts': 'Chromium',
  'console-states.test.ts': 'Chromium',
  'cookies.test.ts': 'Chromium',
  'craft-store.test.ts': 'craft-store',
  'curl.test.ts': 'curl',
  // This file contains the tests of ci-examples.test.ts.
  'example-tests.ts': undefined,
  // These three are about the start of an installation, not about a client.
  'first-minute.test.ts': undefined,
  'own-ca.test.ts': undefined,
  'setup-page.test.ts': undefined,
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
 * Returns the text of the page. `versions` has the version of every client by name, in the order of the table. Throws
 * an `Error` that names a test without a client.
 */
export function conformancePage(
  results: readonly Result[],
  versions: Readonly<Record<string, string>>,
): string {
  const clients = Object.keys(versions)
  const flows = results.flatMap((result) => flowOf(result, clients) ?? [])
  const rows = clients.flatMap((client) => {
    // Sort by file, and keep the order of tests within a file, so that the order in which files finish does not matter.
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

<!-- Written by \`npm run test:interop\`; CI compares. -->

This page lists the flows that unmodified clients complete with this service in every run of the [tests with real
clients](../interop/README.md). Flows that do not depend on the database run on SQLite only. [Clients](clients.md)
explains how to point each client here, and lists what was tried by hand and what does not work.

${tableRow('client', 'version', 'flow', ...Object.values(COLUMNS))}
|---|---|---|---|---|
${rows.join('\n')}
`
}

/** Writes the page to `file`. If it may not write, throws the lines that differ from the committed page. */
export function keepPage(file: string, page: string, { mayWrite }: { readonly mayWrite: boolean }): void {
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (page === committed) return
  if (mayWrite) {
    writeFileSync(file, page)
    return
  }
  const [was, is] = [committed.split('\n'), page.split('\n')]
  const lines = [
    `The results of this run differ from ${file}. Run ${REMEDY} and commit the page.`,
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

/** Returns the flow of a test; undefined for a test that is not about a client. */
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
      'Begin it with a client of support/requirements.ts, or give the file a client in support/conformance.ts.'
    throw new Error(`interop/${file}: "${title}" does not name a client. ${remedy}`)
  }
  const client = CLIENT_OF_FILE[file]
  return client === undefined ? undefined : { ...common, client, flow: titles.at(-1) ?? '' }
}

const outcome = (runs: readonly Flow[]): string =>
  runs.length === 0 ? '—' : runs.every(({ passed }) => passed) ? 'passes' : 'fails'

const tableRow = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '\\<')).join(' | ')} |`
