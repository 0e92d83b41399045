/** `ratafia demo`: what a user sees, and that nothing is left of it, however it ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { rowsOf, textOf } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { Browser } from '../support/identity.ts'
import { testProgram, type Variables } from '../support/program.ts'

const program = testProgram()
const BANNER =
  /<aside class="notice warn" aria-label="Demo">This is a demo\. When it stops, everything in it is gone\.<\/aside>/

let demos = 0

function launch(words = '--port 0', environment: Variables = {}) {
  const TMPDIR = join(program.directory, `tmp-${++demos}`)
  mkdirSync(TMPDIR)
  const running = program.launch(`demo ${words}`, { TMPDIR, ...environment })
  return {
    ...running,
    /** Waits for a line, and returns what its groups match. */
    line: async (pattern: RegExp): Promise<readonly string[]> => {
      const look = () => {
        if (running.child.exitCode !== null) assert.fail(`it exited: ${running.stderr()}`)
        return pattern.exec(running.stdout())
      }
      return (await eventually(String(pattern), look)).slice(1)
    },
    /** Waits for its end. Checks that nothing is left, and that it did not touch the operator's data directory. */
    gone: async () => {
      const { code, stdout, stderr } = await running.finished
      assert.deepEqual(await readdir(TMPDIR), [], stderr)
      assert.equal(existsSync(program.environment['RATAFIA_DATA_DIR'] ?? ''), false)
      return { code, stdout, stderr }
    },
  }
}

test('shows devices in three states to a browser that its link signs in once, and removes everything on Ctrl-C', async () => {
  const demo = launch()
  const [directory = ''] = await demo.line(
    /^Everything in this demo is in (\S+), which is removed at the end\.$/m,
  )
  assert.equal((await stat(directory)).mode & 0o777, 0o700)
  const [baseUrl = ''] = await demo.line(/^Started the service at (http:\/\/127\.0\.0\.1:\d+)\.$/m)
  await demo.line(/^Press Ctrl-C to stop\./m)
  const { port } = new URL(baseUrl)
  const steps = demo.stdout().replaceAll(directory, 'DIRECTORY').replaceAll(`:${port}`, ':PORT')
  assert.match(
    steps,
    /^Created the account demo, an operator\.\nCreated the brand demo-brand and its model demo-device\.\nDEMO-1 registered: demo-brand signed its serial\.\nDEMO-1 opened a session, and refreshed it\.\nChanged the policy of demo-brand\/demo-device: new devices now need your approval\.\nDEMO-2 asked for a serial, and waits for approval\.\nDEMO-3 asked for a serial, was rejected, asked again, and was refused:\n {2}The operator rejected this device: It is not one of ours\.\n\nOpen the console\. This link signs you in, once, within 10 minutes:\n {2}http:\/\/127\.0\.0\.1:PORT\/identity\/sign-in-link\?secret=[\w-]{43}\nTo sign in later: username demo, password [\w-]{16}\nTo register another device:\n {2}ratafia demo device --brand DIRECTORY\/demo-brand http:\/\/127\.0\.0\.1:PORT\n\nApprove DEMO-2 or revoke DEMO-1 in the console, and watch it here\.\nPress Ctrl-C to stop\. Everything in this demo is gone then\.$/m,
  )

  const [link = ''] = await demo.line(/^ {2}(\S+\/identity\/sign-in-link\?secret=\S+)$/m)
  const browser = new Browser()
  const form = await browser.open(link)
  assert.match(form.text, BANNER)
  assert.equal((await browser.submit(form, 'sign-in-link')).title, 'Your account')
  assert.equal((await new Browser().open(link)).status, 410)

  const devices = await browser.open(`${baseUrl}/console/devices`)
  assert.match(devices.text, BANNER)
  const states = rowsOf(devices).map((row) => textOf({ text: row }).match(/DEMO-\d|active|pending|rejected/g))
  assert.deepEqual(states.toSorted(), [
    ['DEMO-1', 'active'],
    ['DEMO-2', 'pending'],
    ['DEMO-3', 'rejected'],
  ])
  const [path = ''] = /\/console\/devices\/[\w-]+(?=">DEMO-2)/.exec(devices.text) ?? assert.fail(devices.text)
  await browser.submit(await browser.open(`${baseUrl}${path}/approve`), `${path}/approve`)
  await demo.line(/^(DEMO-2) opened a session, and refreshed it\.$/m)
  const environment = { RATAFIA_DATA_DIR: directory }
  await program.says('devices revoke demo-brand/demo-device/DEMO-1 --reason stolen --yes', undefined, {
    environment,
  })
  await demo.line(/^(DEMO-1) was refused:\n {2}The device was revoked at /m)

  demo.child.kill('SIGINT')
  const { code, stdout, stderr } = await demo.gone()
  assert.equal(code, 0, stderr)
  assert.equal(stdout.trimEnd().split('\n').at(-1), `The demo has ended, and ${directory} is removed.`)
  assert.match(
    stderr,
    /^The demo ignores RATAFIA_PORT, RATAFIA_WORKERS, RATAFIA_RATE_LIMITS, RATAFIA_DATA_DIR\.\n$/,
  )
})

test('a closed terminal also removes everything, even while it starts', async () => {
  const demo = launch()
  await demo.line(/^Everything in this demo/m)
  demo.child.kill('SIGHUP')
  const { code, stderr } = await demo.gone()
  assert.equal(code, 0, stderr)
})

test('a closed output also removes everything', async () => {
  const demo = launch()
  await demo.line(/^Everything in this demo/m)
  demo.child.stdout?.destroy()
  const { code, stderr } = await demo.gone()
  assert.equal(code, 0, stderr)
})

test('an error also removes everything', async () => {
  const taken = await listener(0)
  try {
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await launch(`--port ${port}`).gone()
    assert.equal(code, 2)
    assert.match(
      stderr,
      /^ratafia: --port \d+: another program uses it\. Pass another one, or leave out --port for a/m,
    )
  } finally {
    taken.close()
  }
})

test('chooses the next port if another program uses the first one', async () => {
  // Unless something on this machine uses it already.
  const taken = await listener(8090).catch(() => undefined)
  try {
    const demo = launch('')
    const [port] = await demo.line(/^Started the service at http:\/\/127\.0\.0\.1:(\d+)\.$/m)
    assert.notEqual(port, '8090')
    assert.equal((await demo.end('SIGTERM')).code, 0)
  } finally {
    taken?.close()
  }
})

async function listener(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

for (const [words, environment, expected, message] of [
  [
    '',
    { RATAFIA_DATABASE_URL: 'postgres://u:secret@db/x' },
    4,
    /^ratafia: RATAFIA_DATABASE_URL is set, but a demo uses only a temporary database of its own\. Unset it, or run `ratafia serve`\.\n$/,
  ],
  [
    '',
    { RATAFIA_HOST: '0.0.0.0' },
    4,
    /^ratafia: RATAFIA_HOST is 0\.0\.0\.0, but a demo listens only on 127\.0\.0\.1\./,
  ],
  ['', { RATAFIA_HOST: '::' }, 4, /^ratafia: RATAFIA_HOST is ::, but/],
  ['', { RATAFIA_HOST: 'ratafia.example' }, 4, /^ratafia: RATAFIA_HOST is ratafia\.example, but/],
  ['--port x', {}, 2, /^ratafia: --port is not a port: x\./],
] as const) {
  const given = [...Object.entries(environment).map((pair) => pair.join('=')), words].join(' ')
  test(`refuses ${given}`, { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await launch(words, environment).gone()
    assert.deepEqual([code, stdout], [expected, ''])
    assert.match(stderr, message)
  })
}
