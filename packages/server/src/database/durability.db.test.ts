import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { eachDatabase } from '../../test/support/databases.ts'

const child = new URL('../../test/support/write-child.ts', import.meta.url).pathname

eachDatabase((_kind, open, { target }) => {
  test('acknowledged rows survive kill -9 of the process that wrote them', async () => {
    const { query } = await open()
    const writer = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', child, JSON.stringify(await target())],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let output = ''
    for await (const chunk of writer.stdout) {
      output += chunk
      if (output.length > 10_000 && !writer.killed) writer.kill('SIGKILL')
    }
    if (writer.signalCode === null) await once(writer, 'exit')
    assert.equal(writer.signalCode, 'SIGKILL')
    const acknowledged = output.slice(0, output.lastIndexOf('\n')).split('\n')
    const stored = new Set(
      (await query.selectFrom('package').select('name').execute()).map(({ name }) => name),
    )
    assert.ok(acknowledged.length > 500)
    assert.deepEqual(
      acknowledged.filter((name) => !stored.has(name)),
      [],
    )
  })
})
