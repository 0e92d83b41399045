// Commands at a real terminal: what is typed at a question for a password is never shown, and what cannot be undone is
// asked about.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { cleanEnvironment, clientPaths } from './support/paths.ts'

const PASSWORD = 'correct horse battery'

let directory: string
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'ratafia-terminal-'))
})
after(() => rmSync(directory, { recursive: true, force: true }))

interface AtTerminal {
  readonly shown: string
  readonly echoes: readonly boolean[]
  readonly code: number
}

/** Types each text the instant its question is shown. */
function atTerminal(
  words: readonly string[],
  answers: readonly (readonly [question: string, text: string])[],
  environment: Readonly<Record<string, string>> = {},
): AtTerminal {
  const asked = {
    command: [process.execPath, clientPaths.ratafia, ...words],
    environment: cleanEnvironment({ RATAFIA_DATA_DIR: directory, TERM: 'xterm', ...environment }),
    answers,
  }
  const script = join(clientPaths.interop, 'clients/at_terminal.py')
  return JSON.parse(
    execFileSync(clientPaths.python, [script, JSON.stringify(asked)], { encoding: 'utf8', timeout: 120_000 }),
  )
}

const ANN = ['accounts', 'add', 'ann', '--email', 'ann@example.org', '--name', 'Ann']

test('a password typed the instant the question appears is not shown', () => {
  const { shown, echoes, code } = atTerminal(ANN, [
    ['Password: ', `${PASSWORD}\r`],
    ['Again: ', `${PASSWORD}\r`],
  ])
  assert.equal(code, 0, shown)
  assert.deepEqual(echoes, [false, false])
  assert.ok(!shown.includes('horse'), shown)
  assert.match(shown, /Created the account ann/)
})

test('what cannot be undone is asked about, and Ctrl-C changes nothing', () => {
  const no = atTerminal(['accounts', 'disable', 'ann'], [['[y/N] ', '\u0003']])
  assert.equal(no.code, 1, no.shown)
  assert.match(no.shown, /ann cannot log in any longer[\s\S]*Nothing was changed\./)
  const yes = atTerminal(['accounts', 'disable', 'ann'], [['[y/N] ', 'y\r']])
  assert.equal(yes.code, 0, yes.shown)
  assert.match(yes.shown, /The account ann is disabled/)
})
