/** Commands load only the code they need: every --help, `version` and `completion` loads no server code. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { createRatafia } from '../../src/start/run.ts'
import { runHere } from '../support/program.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/ratafia.js', import.meta.url))
const SOURCES = new URL('../../src/', import.meta.url).href

/** A module that prints the URLs of all loaded modules on standard error when the process exits. */
const SPY = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () => process.stderr.write(JSON.stringify(loaded)))`)}`

/** Files of features that contain names and rules for the help of commands. */
const WORDS = `
  accounts/passwords/password.ts addresses/address-classes.ts addresses/address.ts
  brands/models/model-policy.ts ci/issuers/kinds.ts ci/rules/managing/publisher-record.ts ci/rules/matcher.ts
  credential-forms.ts devices/clones/clone-evidence.ts devices/device.ts devices/fleet/list-filter.ts
  devices/transfer/device-columns.ts files/draft.ts files/foreign-text.ts files/streamed.ts
  http/credentials/pasted.ts http/management/instant-text.ts package-directory/package-reference.ts
  text/joiners.ts text/system-reason.ts text/url-fault.ts`.split(/\s+/)

function loadedBy(words: readonly string[]): readonly string[] {
  const { status, stderr } = spawnSync(process.execPath, ['--import', SPY, PROGRAM, ...words], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stderr)
}

/**
 * Returns the modules that these commands load in one process with only this environment. Checks that they
 * exit with these codes.
 */
async function loadedByAll(
  commands: Readonly<Record<string, number>>,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const script = `
    import { Readable, Writable } from 'node:stream'
    import { run } from '${SOURCES}start/run.ts'
    const nowhere = () => new Writable({ write: (chunk, encoding, done) => done() })
    const codes = {}
    for (const line of ${JSON.stringify(Object.keys(commands))}) {
      const streams = { stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere() }
      const options = { environment: ${JSON.stringify(environment)}, streams }
      codes[line] = await run(['node', 'ratafia', ...line.split(' ')], options)
    }
    process.stdout.write(JSON.stringify(codes))`
  const running = ['--import', SPY, '--input-type=module', '--eval', script]
  const child = spawn(process.execPath, running, { env: { PATH: process.env['PATH'] } })
  const [codes, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.deepEqual(JSON.parse(codes), commands)
  return JSON.parse(stderr.slice(stderr.lastIndexOf('["')))
}

/** Small libraries without dependencies, for command lines and tables. */
const LIBRARIES = [
  '/node_modules/commander/',
  '/node_modules/get-east-asian-width/',
  '/node_modules/ipaddr.js/',
  '/packages/api/src/management/counters.ts',
  '/packages/api/src/management/roles.ts',
  '/packages/api/src/management/routes.ts',
]

/** Returns the files of features, and of all other libraries. */
function serverCode(urls: readonly string[]): readonly string[] {
  return urls.filter((url) => {
    if (url.startsWith('node:') || url.startsWith('data:') || url === pathToFileURL(PROGRAM).href)
      return false
    if (!url.startsWith(SOURCES)) return !LIBRARIES.some((path) => url.includes(path))
    const path = url.slice(SOURCES.length)
    // Files directly in src/ belong to every layer.
    return path.includes('/') && !/^(cli|config|start)\//.test(path) && !WORDS.includes(path)
  })
}

// Commander creates every command before it selects one, so the help of each loads the same.
for (const words of [
  ['--help'],
  ['serve', '--help'],
  ['devices', 'import', '--help'],
  ['version'],
  ['completion', 'bash'],
]) {
  test(`ratafia ${words.join(' ')} loads no server code`, () => {
    assert.deepEqual(serverCode(loadedBy(words)), [])
  })
}

test('a command on the database loads server code, which this test detects', () => {
  const loaded = serverCode(loadedBy(['migrate', '--plan']))
  assert.ok(loaded.some((url) => url.includes('/kysely/')))
  assert.ok(loaded.some((url) => url.includes('/src/database/')))
})

/** Matches modules that only a service, or a command on the database, uses. */
const OF_A_SERVICE =
  /\/node_modules\/(kysely|pg|fastify|pino|prom-client)\/|\/src\/(database|keyring|telemetry|web|start\/service)\//

describe('commands over HTTP', () => {
  const LISTS = ['devices', 'jobs', 'accounts', 'tokens', 'entries', 'models', 'brands', 'evidence']
  const answer = JSON.stringify({ ...Object.fromEntries(LISTS.map((name) => [name, []])), next: null })
  // Lists are empty, so that commands print their answers. Everything else is refused.
  const server = createServer(({ method, url = '' }, response) => {
    const isList = method === 'GET' && LISTS.some((name) => new RegExp(`[/-]${name}[?]`).test(url))
    response.writeHead(isList || url.includes('/audit?') ? 200 : 403, { 'content-type': 'application/json' })
    response.end(
      response.statusCode === 200
        ? answer
        : '{"error_list":[{"code":"permission-denied","message":"No.","extra":{}}]}',
    )
  })
  let directory: string
  let url: string
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ratafia-loaded-'))
    writeFileSync(join(directory, 'token'), 'AgEU')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    url = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : assert.fail()
  })
  after(() => {
    server.close()
    rmSync(directory, { recursive: true })
  })

  test('load no database, keys or telemetry', async () => {
    const TOKEN = encodeBase64Url(encodeBinary(mint({ id: Buffer.from('x'), rootKey: Buffer.alloc(32) })))
    const environment = { RATAFIA_URL: url, RATAFIA_TOKEN_FILE: join(directory, 'token'), TOKEN }
    const loaded = await loadedByAll(ASKING, environment)
    assert.ok(loaded.length > 50)
    assert.deepEqual(
      loaded.filter((one) => OF_A_SERVICE.test(one)),
      [],
    )
  })
})

test('commands on the database load neither the HTTP server nor pages', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-loaded-'))
  try {
    const environment = { RATAFIA_DATA_DIR: directory, RATAFIA_SECRET_KEY: '07'.repeat(32) }
    assert.equal((await runHere('migrate', { environment })).code, 0)
    const loaded = await loadedByAll(ON_THE_DATABASE, environment)
    assert.ok(loaded.some((url) => url.includes('/src/http/management/in-process.ts')))
    assert.deepEqual(
      loaded.filter((url) => OF_A_SERVER.test(url)),
      [],
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
})

const OF_A_SERVER = /\/node_modules\/(@fastify|fastify|pino|prom-client)\/|\/src\/(web|start\/service)\//

/** One command for each group of operations, with its exit code in an empty installation. */
const ON_THE_DATABASE: Readonly<Record<string, number>> = {
  ...{ 'tokens list': 0, 'accounts list': 0, 'grants list': 0, 'audit list': 0, 'agents list': 0 },
  ...{ 'devices list': 0, 'clones list': 0, 'brands list': 0, 'models list': 0, 'packages list': 0 },
  ...{ 'counters --name logins': 0, 'issuers list': 0, 'publishers list': 0, status: 1, 'jobs list': 0 },
}

/** Commands with their exit codes, some for an answer without records, some for a refusal. */
const ASKING: Readonly<Record<string, number>> = {
  ...{ whoami: 1, 'grants list': 1, 'devices show acme/pi/1': 1, 'devices approve acme/pi/1': 1 },
  ...{ 'devices export --listed': 1, 'agents remove farm --account build': 1, 'tokens list': 0 },
  ...{ 'allow-list remove --model acme/pi --serial 1': 1, 'devices list': 0, 'jobs list': 0 },
  ...{ 'devices list --sort -seen --status pending': 0, 'accounts list': 0, 'audit list': 0 },
  ...{ 'models list': 0, 'clones list': 0, 'devices approve --all --dry-run': 1, 'audit verify': 1 },
  ...{ 'counters --name logins': 1, 'tokens create --all': 1, 'tokens explain env:TOKEN': 1 },
  'tokens attenuate env:TOKEN --channel edge': 0,
}

/** Returns what completion proposes for the last word of the line, which can be empty. */
function proposals(script: string, line = ''): readonly string[] {
  // The empty PATH checks that completion does not start another program.
  const test = `PATH=/nonexistent\n${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ratafia; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', test, 'bash', 'ratafia', ...line.split(' ')], {
    ...{ encoding: 'utf8', cwd: fileURLToPath(new URL('../data/', import.meta.url)) },
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout.split('\n').filter(Boolean)
}

test('completion in bash proposes commands, subcommands, options, and the values of options', async () => {
  const { stdout: script } = await runHere('completion bash')
  for (const [line, ...proposed] of [
    ['acc', 'accounts'],
    ['accounts s', 'show', 'set-password', 'set-email'],
    ['devices list --st', '--status'],
    ['devices export --format ', 'csv', 'json'],
    ['devices list --columns mo', 'model'],
    ['devices list --columns model,id,se', 'model,id,serial'],
    ['packages list --columns ', 'name', 'snap_id'],
    ['packages list --columns name --j', '--json'],
    ['completion ', '--help', 'bash', 'zsh', 'fish'],
    ['tokens create --for r', 'raw'],
    ['grants add ada op', 'operator'],
    ['login --role v', 'viewer'],
    ['accounts password-logins o', 'on', 'off'],
  ]) {
    assert.deepEqual(proposals(script, line), proposed, line)
  }
})

test('completion in bash proposes files where a file is expected, and nothing for records', async () => {
  const { stdout: script } = await runHere('completion bash')
  const [file = ''] = readdirSync(new URL('../data/', import.meta.url))
  for (const line of ['backup', 'tokens create --agent', 'signing-keys add']) {
    assert.ok(proposals(script, `${line} ${file.slice(0, 3)}`).includes(file), line)
  }
  for (const line of ['devices show ', 'accounts show ']) {
    assert.ok(
      proposals(script, line).every((word) => word.startsWith('--')),
      line,
    )
  }
  assert.deepEqual(proposals(script, 'tokens list --account '), [])
})

for (const [shell, files] of [
  ['zsh', ["'tokens create --agent') _files; return", "'tokens list --account') return"]],
  [
    'fish',
    ['__ratafia_at "tokens create"\' -l agent -r -F', '__ratafia_at "tokens list"\' -l account -x -d'],
  ],
] as const) {
  test(`completion in ${shell} proposes every command, and files where one is expected`, async () => {
    const { code, stdout } = await runHere(['completion', shell])
    assert.equal(code, 0)
    for (const command of (await createRatafia()).commands)
      assert.ok(stdout.includes(command.name()), command.name())
    for (const line of files) assert.ok(stdout.includes(line), line)
    assert.match(stdout, /'?grants add'?.*operator/)
    // The shell parses the script, if it is installed.
    const directory = mkdtempSync(join(tmpdir(), 'ratafia-completion-'))
    const file = join(directory, 'script')
    writeFileSync(file, stdout)
    const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    rmSync(directory, { recursive: true })
    if (error) assert.match(error.message, /ENOENT/)
    else assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })
}

test('completion refuses an unknown shell', async () => {
  const { code, stderr } = await runHere('completion tcsh')
  assert.equal(code, 2)
  assert.match(stderr, /bash, zsh, fish/)
})
