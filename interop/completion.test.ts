// fish and zsh complete commands and options with the scripts that `ratafia completion` prints.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ratafiaCommand } from '../tools/test/programs.ts'
import { cleanEnvironment } from './support/paths.ts'

let directory: string
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'ratafia-completion-'))
})
after(() => rmSync(directory, { recursive: true, force: true }))

const run = (program: string, words: readonly string[]): string =>
  execFileSync(program, words, {
    encoding: 'utf8',
    cwd: directory,
    // An empty home has no settings of the user who runs the tests.
    env: { ...cleanEnvironment(), HOME: directory, XDG_CONFIG_HOME: directory },
    timeout: 60_000,
  })
const scriptFor = (shell: string): string => {
  const file = join(directory, `ratafia.${shell}`)
  const [program, ...first] = ratafiaCommand()
  writeFileSync(file, run(program, [...first, 'completion', shell]))
  return file
}

/**
 * Types the words and presses the tab key twice in a terminal of zsh, and prints what the terminal shows. The
 * terminal has room for every command: otherwise zsh first asks whether to show them all.
 */
const ZSH = `
zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal "stty columns 150 rows 60; LISTMAX=0; autoload -Uz compinit; compinit -u -d $2/dump; source $1; PS1= ; print ready''now"
zpty -r terminal shown '*readynow*'
zpty -n -w terminal "$3"$'\\t\\t'
zpty -r terminal shown "*$4*"
print -r -- $shown
zpty -d terminal
`

for (const [what, line, proposed] of [
  ['commands', 'ratafia ', 'accounts'],
  ['the commands of a subject', 'ratafia devices ', 'approve'],
  ['the rest of an option', 'ratafia devices list --st', '--status'],
  ['several values of an option', 'ratafia devices list --columns model,reg', 'model,registered_at'],
] as const) {
  test(`fish: completes ${what}`, () => {
    const proposals = run('fish', ['-c', `source ${scriptFor('fish')}; complete -C ${JSON.stringify(line)}`])
    assert.match(proposals, new RegExp(`^${proposed}(\\t|$)`, 'm'))
  })

  test(`zsh: completes ${what}`, () => {
    const shown = run('zsh', ['-f', '-c', ZSH, 'zsh', scriptFor('zsh'), directory, line, proposed])
    assert.ok(shown.includes(proposed), shown)
  })
}

test('fish: completes the values of an option', () => {
  const line = 'ratafia devices list --status '
  const proposals = run('fish', ['-c', `source ${scriptFor('fish')}; complete -C ${JSON.stringify(line)}`])
  assert.match(proposals, /^revoked\t/m)
})
