/**
 * Guarantee: commands that start at once in a fresh directory create one installation, which only their user can read.
 */
import assert from 'node:assert/strict'
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FULL } from '../../../../tools/test/effort.ts'
import { testProgram } from '../support/program.ts'

describe('a fresh directory', () => {
  const program = testProgram()

  const TOGETHER = FULL ? 10 : 5

  test('commands that start at once create one key and one database, readable only by their user', async () => {
    const adding = Array.from({ length: TOGETHER }, (_, index) =>
      program.spawn(['accounts', 'add', `a${index}`, '--email', 'a@b.c', '--name', 'A', '--no-password']),
    )
    for (const { code, stderr } of await Promise.all(adding)) assert.equal(code, 0, stderr)
    assert.equal((await program.json('keys', 'list')).length, 3, 'a root key and two key pairs')
    const data = String(program.environment['RATAFIA_DATA_DIR'])
    const modes = ['', 'secret.key', 'ratafia.db'].map(
      async (name) => (await stat(join(data, name))).mode & 0o777,
    )
    assert.deepEqual(await Promise.all(modes), [0o700, 0o600, 0o600])
  })

  test('warns about a key that others can read, and uses it', async () => {
    const file = join(String(program.environment['RATAFIA_DATA_DIR']), 'secret.key')
    await chmod(file, 0o644)
    const { code, stdout, stderr } = await program.spawn(['accounts', 'list', '--json'])
    assert.deepEqual([code, JSON.parse(stdout).length], [0, TOGETHER])
    assert.ok(stderr.includes(`Other users can read ${file}. Run chmod 600 ${file}`), stderr)
  })
})
