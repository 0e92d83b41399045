/** Tests that a failed set-up of a database is repeated with a new database. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeScene } from '../load/scene.ts'
import { thisRelease } from './release.ts'
import { makeWorld } from './world.ts'

test('a database that cannot be set up is replaced by new ones, and each is announced', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-world-'))
  const scene = await makeScene({ people: 0, models: 0, keys: 0 })
  const said: string[] = []
  try {
    const making = {
      scene: { ...scene, next: { ...scene.next, text: 'no model' } },
      release: thisRelease(),
      layout: { database: 'sqlite', nodes: 0, workers: 1 },
      directory,
      postgres: () => Promise.reject(new TypeError('it has no server')),
    } as const
    await assert.rejects(
      makeWorld(making, (why) => said.push(why)),
      { code: 'invalid-field' },
    )
    assert.equal(said.length, 4)
    assert.match(said[1] ?? '', /^database 2 could not be set up, trying a new one: ./)
    assert.deepEqual(readdirSync(directory).sort(), ['world-1', 'world-2', 'world-3', 'world-4', 'world-5'])
  } finally {
    rmSync(directory, { recursive: true })
  }
})
