// Runs commands at a real terminal: a typed password is never shown, and irreversible commands ask for confirmation.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type AtTerminal, atTerminal, type Typed } from './support/at-terminal.ts'
import { clientPaths } from './support/paths.ts'

const PASSWORD = 'correct horse battery'

let directory: string
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'ratafia-terminal-'))
})
after(() => rmSync(directory, { recursive: true, force: true }))

/** Runs a command, and types each answer the instant its question appears. */
const ratafiaAtTerminal = (words: readonly string[], answers: Typed): Promise<AtTerminal> =>
  atTerminal([process.execPath, clientPaths.ratafia, ...words], { RATAFIA_DATA_DIR: directory }, answers)

const ANN = ['accounts', 'add', 'ann', '--email', 'ann@example.org', '--name', 'Ann']

test('a password typed the instant the question appears is not shown', async () => {
  const { shown, echoes, code } = await ratafiaAtTerminal(ANN, [
    ['Password: ', `${PASSWORD}\r`],
    ['Repeat password: ', `${PASSWORD}\r`],
  ])
  assert.equal(code, 0, shown)
  assert.deepEqual(echoes, [false, false])
  assert.ok(!shown.includes('horse'), shown)
  assert.match(shown, /Created the account ann/)
})

test('an irreversible command asks for confirmation, and Ctrl-C changes nothing', async () => {
  const no = await ratafiaAtTerminal(['accounts', 'disable', 'ann'], [['to confirm: ', '\u0003']])
  assert.equal(no.code, 1, no.shown)
  assert.match(no.shown, /ann will not be able to log in[\s\S]*Nothing was changed\./)
  const yes = await ratafiaAtTerminal(['accounts', 'disable', 'ann'], [['to confirm: ', 'ann\r']])
  assert.equal(yes.code, 0, yes.shown)
  assert.match(yes.shown, /Disabled the account ann/)
})

test('serve prints a setup link at a terminal, where only its user reads it', async () => {
  const serve = [process.execPath, clientPaths.ratafia, 'serve']
  const data = { RATAFIA_DATA_DIR: join(directory, 'first start') }
  const environment = { ...data, RATAFIA_PORT: '0', RATAFIA_WORKERS: '1' }
  const { shown, code } = await atTerminal(serve, environment, [['/setup/', '\u0003']])
  assert.equal(code, 0, shown)
  assert.match(shown, /at this address:\r?\n +http:\/\/127\.0\.0\.1:\d+\/setup\/[\w-]{43}\r?\n/)
})
