/** `ratafia health`, which containers run every few seconds. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { suite, test } from 'node:test'
import { askReady } from '../../src/cli/service/ask-ready.ts'
import { onLoopback } from '../support/loopback.ts'
import { runHere, testProgram } from '../support/program.ts'

const RUN = new URL('../../src/start/run.ts', import.meta.url).href

suite('ratafia health', { timeout: 120_000 }, () => {
  const program = testProgram()
  let respond: RequestListener = () => {}
  const stub = onLoopback(createServer((request, response) => respond(request, response)))
  const health = (environment: Record<string, string>) => runHere('health', { environment })

  test('succeeds for a service that is ready, whatever its base URL', async () => {
    const { baseUrl } = await program.serve({ RATAFIA_BASE_URL: 'https://store.example.com/auth' })
    for (const host of ['127.0.0.1', '0.0.0.0', 'localhost']) {
      const { port } = new URL(baseUrl)
      const shown = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
      assert.deepEqual(await health({ RATAFIA_HOST: host, RATAFIA_PORT: port }), {
        code: 0,
        stdout: `${shown} accepts requests.\n`,
        stderr: '',
      })
    }
  })

  for (const [what, answer, why] of [
    [
      'a service that is not ready',
      [
        503,
        JSON.stringify({
          error_list: [{ code: 'service-unavailable', message: 'The database does not answer.' }],
        }),
      ],
      'The database does not answer.',
    ],
    ['another program', [200, '<h1>Welcome</h1>'], 'it answers 200 to /health/ready.'],
    ['another JSON document', [200, '{"status":"live"}'], 'it answers 200 to /health/ready.'],
    ['control characters', [503, '{"error_list":[{"message":"\\u001b[2J"}]}'], '?[2J'],
  ] as const) {
    test(`fails for ${what}, with the reason`, async () => {
      respond = (request, response) => {
        assert.equal(request.url, '/health/ready')
        response.writeHead(answer[0]).end(answer[1])
      }
      assert.deepEqual(await health({ RATAFIA_PORT: String(stub.port) }), {
        code: 1,
        stdout: '',
        stderr: `ratafia: ${stub.url} does not accept requests: ${why}\n`,
      })
    })
  }

  test('fails with a reason where nothing answers, or where the port is not known', async () => {
    for (const [environment, message] of [
      // Nothing listens on port 9 (discard).
      [
        { RATAFIA_PORT: '9' },
        /^ratafia: Nothing answers at http:\/\/127\.0\.0\.1:9\. Start `ratafia serve`, or /,
      ],
      [{ RATAFIA_PORT: '9', RATAFIA_HOST: '::' }, /^ratafia: Nothing answers at http:\/\/\[::1\]:9\. /],
      [{ RATAFIA_PORT: '0' }, /^ratafia: RATAFIA_PORT is 0, so the port is not known here\. /],
      [{ RATAFIA_PORT: 'x' }, /^ratafia: RATAFIA_PORT is not a port: x\. /],
    ] as const) {
      const { code, stdout, stderr } = await health(environment)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, message)
    }
  })

  test('gives up on a service that does not answer, or does not end its answer', async () => {
    for (const hang of [
      () => {},
      ((_request, response) => void response.write('{')) satisfies RequestListener,
    ]) {
      respond = hang
      assert.deepEqual(await askReady(stub.url, 50), {
        url: stub.url,
        ready: false,
        why: 'it does not answer within 0.05 seconds.',
      })
    }
    respond = (_request, response) => void response.writeHead(200).end('x'.repeat(100_000))
    assert.equal((await askReady(stub.url)).ready, undefined, 'it read more than an answer has')
  })

  test('has help, and refuses arguments', async () => {
    const { code, stdout } = await runHere('health --help')
    assert.equal(code, 0)
    assert.match(stdout, /^Usage: ratafia health/)
    assert.equal((await runHere('health now')).code, 2)
  })

  test('loads no library, except the one for network addresses', () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => {
        const found = next(name, context)
        loaded.push(found.url)
        return found
      } })
      const { run } = await import(${JSON.stringify(RUN)})
      const code = await run(['node', 'ratafia', 'health'], { environment: { RATAFIA_PORT: '9' }})
      console.log(JSON.stringify({ code, libraries: loaded.filter((url) => /node_modules.(?!ipaddr)/.test(url)) }))`
    const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    const { code, libraries } = JSON.parse(stdout || assert.fail(stderr))
    assert.deepEqual({ code, libraries }, { code: 1, libraries: [] })
  })
})
