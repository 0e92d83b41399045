/** Commands of a user without a home directory, for example in a container, require one only where they use it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { allCommands } from '../support/commands.ts'
import { oneDatabase } from '../support/databases.ts'
import { runHere, testProgram, type Variables } from '../support/program.ts'

/** Values of HOME, and the messages of commands that need it. */
const HOMES: readonly (readonly [what: string, environment: Variables, message: RegExp])[] = [
  [
    'no HOME',
    {},
    /HOME is not set, and the system has no home directory for this user\. Set XDG_CONFIG_HOME/,
  ],
  ['an empty HOME', { HOME: '' }, /HOME is not set, and the system has no home/],
  [
    'a relative HOME',
    { HOME: 'home' },
    /HOME is home, which is not an absolute path\. Correct it, or set XDG/,
  ],
]

oneDatabase(() => {
  const program = testProgram()
  const { userInfo, homedir } = os
  before(async () => {
    assert.equal((await program.run('migrate')).code, 0)
    const unknown = () => {
      throw Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { code: 'ENOENT' })
    }
    Object.assign(os, { userInfo: unknown, homedir: unknown })
    syncBuiltinESMExports()
  })
  after(() => {
    Object.assign(os, { userInfo, homedir })
    syncBuiltinESMExports()
  })

  test('every command shows its help without a home', async () => {
    for (const words of (await allCommands()).keys()) {
      const { code, stderr } = await runHere(`${words} --help`, { environment: {} })
      assert.deepEqual([code, stderr], [0, ''], words)
    }
  })

  for (const [what, environment, message] of HOMES) {
    for (const words of ['--version', 'version', 'accounts list', 'config check', 'status']) {
      test(`${what}: ratafia ${words} works`, async () => {
        const { code, stderr } = await program.run(words, { environment })
        assert.ok(code === 0 || words === 'status', stderr)
        assert.doesNotMatch(stderr, /HOME|passwd/)
      })
    }

    for (const words of ['login', 'whoami', 'logout', 'accounts list']) {
      test(`${what}: ratafia ${words} over HTTP names the variable, and writes no file`, async () => {
        const earlier = await readdir('.')
        const { code, stderr } = await runHere(words, {
          environment: { ...environment, RATAFIA_URL: 'http://127.0.0.1:9' },
        })
        assert.equal(code, 4, stderr)
        assert.match(stderr, message)
        assert.deepEqual(await readdir('.'), earlier)
      })
    }

    test(`${what}: a key of snap create-key is searched only in SNAP_GNUPG_HOME`, async () => {
      const output = join(program.directory, 'x')
      const words = `trust create-root x --key gpg:x --output ${output}`
      await program.refuses(words, /SNAP_GNUPG_HOME/, 4, { environment })
      const named = await program.run(words, {
        environment: { ...environment, SNAP_GNUPG_HOME: '/nonexistent' },
      })
      assert.match(named.stderr, /There is no GnuPG home \/nonexistent\./)
      assert.equal(existsSync(output), false)
    })
  }
})
