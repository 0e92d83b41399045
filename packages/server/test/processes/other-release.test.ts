/** Guarantee: all workers of a machine are of one release, also if an upgrade replaces the program while it serves. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { crewOf, isAlive, logged, send } from '../support/crew.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { testProgram } from '../support/program.ts'
import { converse } from '../support/raw-http.ts'
import { replaceableProgram } from '../support/replaceable-program.ts'

const REASON =
  'another release replaced the program while it ran: finishing the requests in flight, then exiting with code 6. A service manager starts the new release; without one, start it yourself.'

// Does not depend on the database. `npm run test:full` runs it on PostgreSQL, and in CI with the one-file program.
eachDatabase((_kind, _open, fresh) => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-other-release-'))
  const installed = replaceableProgram(directory)
  const program = testProgram(fresh, installed.command)
  before(installed.prepare)
  after(() => rmSync(directory, { recursive: true, force: true }))

  test('after an upgrade, no worker of the new release joins: the service finishes, exits with 6 and starts again', async () => {
    const version = async () => (await program.spawn('version --json')).stdout
    const old = await version()
    const running = await program.start({ RATAFIA_WORKERS: '2' })
    const [killed = 0, other = 0] = await crewOf(running)
    // The other worker gets the request, because this one accepts nothing any more.
    process.kill(killed, 'SIGSTOP')
    const { socket, text } = converse(running.baseUrl)
    socket.write(
      'POST /api/v2/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    )
    // Once the service has answered a later request, it has this one.
    await fetch(running.baseUrl, { headers: { connection: 'close' } })

    installed.replace()
    process.kill(killed, 'SIGKILL')
    const [found] = await eventually('it finds the other release', () => {
      const lines = logged(running, REASON)
      return lines.length > 0 ? lines : undefined
    })
    assert.equal(found?.exitCode, 6, 'the new worker exited before it listened')
    assert.ok(isAlive(other), 'it waits for the request in flight')
    socket.write('}')
    await once(socket, 'close')
    assert.match(text(), /^HTTP\/1\.1 200 OK\r\n/)
    const { code, stderr } = await running.finished
    assert.equal(code, 6)
    assert.equal(logged(running, REASON).length, 1)
    assert.equal(logged(running, 'a worker is listening').length, 2)
    for (const line of stderr.trimEnd().split('\n')) {
      const { level, msg } = JSON.parse(line)
      assert.ok(level < 50 || msg === 'a worker died and will be replaced', line)
    }

    assert.notEqual(await version(), old)
    const again = await program.start({ RATAFIA_WORKERS: '2' })
    await crewOf(again)
    assert.equal((await send(`${again.baseUrl}/health/ready`)).status, 200)
    assert.equal((await again.end('SIGTERM')).code, 0)
  })

  test('a worker of a supervisor without this rule exits before it reads the settings', async () => {
    // Node sets this variable for workers.
    const environment = { NODE_UNIQUE_ID: '1', RATAFIA_PORT: 'wrong' }
    assert.deepEqual(await program.spawn('serve', { environment }), { code: 6, stdout: '', stderr: '' })
  })
})
