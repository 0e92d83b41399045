/** What `--help` promises: every command has examples, and they are command lines that it takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { EXAMPLES } from '../../src/cli/help/examples.ts'
import { createRatafia } from '../../src/start/run.ts'

const leavesOf = (command: Command, path = ''): readonly (readonly [string, Command])[] =>
  command.commands.flatMap((child) => {
    const name = `${path} ${child.name()}`.trim()
    return child.commands.length > 0 ? leavesOf(child, name) : [[name, child] as const]
  })
const COMMANDS = new Map(leavesOf(await createRatafia()))

/** As a shell takes them apart; what is read from or written to a file is left out. */
const wordsOf = (line: string): readonly string[] =>
  (line.replace(/ [<>] \S+$/, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

test('every command has an example, and no example is of another', () => {
  assert.deepEqual(Object.keys(EXAMPLES).toSorted(), [...COMMANDS.keys()].toSorted())
})

for (const [name, command] of COMMANDS) {
  test(`the examples of ratafia ${name} have options that exist, those that are required, and its arguments`, () => {
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

test('every command of the program stands in a group of its help', async () => {
  const program = await createRatafia()
  assert.deepEqual(
    program.commands.filter((command) => command.helpGroup() === '').map((command) => command.name()),
    [],
  )
})
