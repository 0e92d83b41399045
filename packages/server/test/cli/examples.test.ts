/** In `--help` every command has examples, which are command lines that it accepts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLES } from '../../src/cli/help/examples.ts'
import { createRatafia } from '../../src/start/run.ts'
import { allCommands } from '../support/commands.ts'

const COMMANDS = await allCommands()

/** Splits a line as a shell would, and leaves out redirections. */
const wordsOf = (line: string): readonly string[] =>
  (line.replace(/ [<>] \S+$/, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

test('every command has an example, and every example belongs to a command', () => {
  assert.deepEqual(Object.keys(EXAMPLES).toSorted(), [...COMMANDS.keys()].toSorted())
})

for (const [name, command] of COMMANDS) {
  test(`the examples of ratafia ${name} have valid options, all required ones, and its arguments`, () => {
    for (const example of EXAMPLES[name] ?? []) {
      const parsed = command.parseOptions([...wordsOf(example)])
      assert.deepEqual(parsed.unknown, [], example)
      const { registeredArguments: all, options } = command
      const needed = all.filter(({ required }) => required).length
      const most = all.some(({ variadic }) => variadic) ? Infinity : all.length
      const count = parsed.operands.length
      assert.ok(count >= needed && count <= most, `ratafia ${name} ${example} has ${count} arguments`)
      for (const { mandatory, long } of options) {
        if (mandatory)
          assert.ok(wordsOf(example).includes(String(long)), `ratafia ${name} ${example}: ${long}`)
      }
    }
  })
}

test('every command of the program is in a group of its help', async () => {
  const program = await createRatafia()
  assert.deepEqual(
    program.commands.filter((command) => command.helpGroup() === '').map((command) => command.name()),
    [],
  )
})
