// examples/systemd/ratafia runs a command with the settings of examples/systemd/ratafia.service. The tests replace
// systemd-run with a script that prints its arguments.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const examples = join(import.meta.dirname, '../../examples/systemd')
const unit = readFileSync(join(examples, 'ratafia.service'), 'utf8')
const directory = mkdtempSync(join(tmpdir(), 'ratafia-systemd-'))
after(() => rmSync(directory, { recursive: true, force: true }))

/** Returns the arguments that systemd-run gets for a command. `etc` replaces /etc/ratafia. */
function systemdRunOf(etc: string, words: readonly string[]): readonly string[] {
  const script = join(directory, 'ratafia')
  const text = readFileSync(join(examples, 'ratafia'), 'utf8').replaceAll('/etc/ratafia', etc)
  writeFileSync(script, text, { mode: 0o755 })
  writeFileSync(join(directory, 'systemd-run'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  writeFileSync(join(directory, 'id'), '#!/bin/sh\necho 0\n', { mode: 0o755 })
  const { status, stdout, stderr } = spawnSync('/bin/bash', [script, ...words], {
    encoding: 'utf8',
    env: { PATH: `${directory}:/usr/bin:/bin`, SUDO_USER: 'ann' },
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

const settingsOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

test("a command gets the unit's user, settings and key, and its arguments unchanged", () => {
  const etc = join(directory, 'with-key')
  mkdirSync(etc)
  writeFileSync(join(etc, 'secret.key'), 'key')
  const words = systemdRunOf(etc, ['accounts', 'add', 'ann', '--name', 'Ann $PATH'])
  const names = ['User', 'Group', 'UMask', 'EnvironmentFile', 'Environment', 'LoadCredential']
  for (const name of [...names, 'CacheDirectory', 'CacheDirectoryMode']) {
    const settings = settingsOf(name)
    assert.ok(settings.length > 0, name)
    for (const value of settings) {
      if (value.includes('%')) continue
      assert.ok(
        words.includes(`--property=${name}=${value.replaceAll('/etc/ratafia', etc)}`),
        `${name}=${value}`,
      )
    }
  }
  assert.ok(words.includes('--pipe'), 'the test is not running at a terminal')
  assert.ok(words.includes('--setenv=SUDO_USER=ann'))
  assert.ok(
    words.every((word) => !word.startsWith('--') || !word.includes('%')),
    'systemd-run does not expand %d',
  )
  const [node = '', program = ''] = settingsOf('ExecStart')[0]?.split(' ') ?? []
  const [home] = settingsOf('WorkingDirectory')
  assert.deepEqual(words.slice(-7), [
    node,
    `${home}/${program}`,
    ...['accounts', 'add', 'ann', '--name', 'Ann $$PATH'],
  ])
  const [shell = '', ...rest] = words.slice(words.indexOf('/bin/sh'), -7)
  const { stdout } = spawnSync(shell, [...rest, '/usr/bin/env'], {
    encoding: 'utf8',
    env: { CREDENTIALS_DIRECTORY: '/run/credentials/a b' },
  })
  const keyFile = settingsOf('Environment').find((value) => value.includes('%d')) ?? assert.fail()
  assert.ok(stdout.split('\n').includes(keyFile.replace('%d', '/run/credentials/a b')), stdout)
})

test('a key that is sealed to the machine is loaded as an encrypted credential', () => {
  const etc = join(directory, 'sealed')
  mkdirSync(etc)
  writeFileSync(join(etc, 'secret.key.cred'), 'sealed')
  const words = systemdRunOf(etc, ['status'])
  assert.deepEqual(
    words.filter((word) => word.includes('LoadCredential')),
    [`--property=LoadCredentialEncrypted=secret.key:${etc}/secret.key.cred`],
  )
})

test('without a key file, as with SQLite, no credential is loaded', () => {
  const words = systemdRunOf(join(directory, 'without'), ['status'])
  assert.ok(!words.some((word) => word.includes('secret.key')), words.join(' '))
})
