/**
 * Writes docs/reference.md from the program, docs/management-api.md from the table of its operations, and
 * docs/licences.md from the lock file: `npm run docs:reference`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Argument, Command, Option } from 'commander'
import { EXIT_HELP } from '../../packages/server/src/cli/context.ts'
import { VARIABLES_BY_SUBJECT } from '../../packages/server/src/config/variables.ts'
import { LICENCES_PAGE, licencesPage } from './licences.ts'
import { MANAGEMENT_PAGE, managementPage } from './management.ts'
import { describedProgram, leavesOf } from './program.ts'
import { tableRow } from './table-row.ts'

export const REFERENCE = join(import.meta.dirname, '../../docs/reference.md')

export async function referencePage(): Promise<string> {
  const program = await describedProgram()
  return `# Reference

<!-- Made by \`npm run docs:reference\`; a test compares. -->

Every command of \`ratafia\` with its options, the [exit codes](#exit-codes), and every
[environment variable](#environment-variables).

## Commands

In a checkout run \`npx ratafia COMMAND\`. Commands work on the database that the environment names, whether the service
runs or not. A command that only reads makes neither a database nor a key; one that makes them says so, and where.

Answers go to standard output, the log to standard error. With \`--json\` a command prints JSON on one line, whose keys
are written with underscores, and an error is the last line on standard error:
\`{"error":{"code":"invalid-field","exit_code":1,"message":"There is no account \\"nobody\\"."}}\`. \`code\` is an
[error code](errors.md) of the API, or \`usage\`, \`file\`, \`import\`, \`declined\`, \`service\`, \`unavailable\`, \`configuration\`,
\`workers\` or \`fault\`. Details of audit entries are shown as they were recorded.

What cannot be undone, or does wide damage, is asked about at a terminal; \`--yes\` answers. Without a terminal a script
goes on, or ends with 2 if it needs \`--yes\`: the description of that option says so. At a terminal tables fit its
width, and have colour unless \`NO_COLOR\` is set; \`FORCE_COLOR\` colours elsewhere too. In a pipe they are whole:
\`ratafia devices list | less -S\`.

A command that takes several names acts on each, whatever becomes of the others, and prints a line for each. With
\`--json\` it prints a list: each item has \`given\` (the name), \`result\` (\`done\` or \`failed\`), \`message\` (null, or why
it failed), and what the command prints for a single name. The exit code is 1 if one failed. \`devices approve\`,
\`reject\`, \`revoke\` and \`release\` of several make a job, and print that.

${indexOf(program)}

${program.commands.map((command) => sectionOf(command, [])).join('\n\n')}

## Exit codes

${exitCodes()}

## Environment variables

Read once, at start. An invalid value, or a \`RATAFIA_…\` variable that is not listed here, is refused with a message
that names it.

${Object.entries(VARIABLES_BY_SUBJECT)
  .map(
    ([subject, rows]) =>
      `### ${subject}\n\n| variable | meaning | default |\n|---|---|---|\n${Object.entries(rows)
        .map(([name, row]) => tableRow(`\`${name}\``, row.meaning, row.default))
        .join('\n')}`,
  )
  .join('\n\n')}
`
}

/** The commands that can run, each with a link to its section. */
function indexOf(program: Command): string {
  const rows = leavesOf(program, []).map(([name, command]) =>
    tableRow(`[\`ratafia ${name}\`](#ratafia-${name.replaceAll(' ', '-')})`, command.description()),
  )
  return ['| command | what it does |', '|---|---|', ...rows].join('\n')
}

function sectionOf(command: Command, path: readonly string[]): string {
  const name = [...path, command.name()]
  if (command.commands.length > 0) return command.commands.map((child) => sectionOf(child, name)).join('\n\n')
  const usage = ['ratafia', ...name, ...command.registeredArguments.map(placeholder)].join(' ')
  const aliases = command.aliases().map((alias) => `\`ratafia ${[...path, alias].join(' ')}\``)
  const options = command.options.filter(({ hidden }) => !hidden)
  return [
    `### ratafia ${name.join(' ')}`,
    `\`${usage}${options.length > 0 ? ' [options]' : ''}\``,
    sentence(command.description()) + (aliases.length > 0 ? ` Also: ${aliases.join(', ')}.` : ''),
    ...argumentTable(command.registeredArguments),
    ...optionTable(options),
  ].join('\n\n')
}

const placeholder = (argument: Argument): string => {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

function argumentTable(all: readonly Argument[]): string[] {
  const described = all.filter(({ description }) => description !== '')
  if (described.length === 0) return []
  const rows = described.map((one) => tableRow(`\`${placeholder(one)}\``, one.description))
  return [['| argument | meaning |', '|---|---|', ...rows].join('\n')]
}

function optionTable(all: readonly Option[]): string[] {
  if (all.length === 0) return []
  const rows = all.map((option) => {
    const choices = option.argChoices ? ` (${option.argChoices.map((one) => `\`${one}\``).join(', ')})` : ''
    const fallback =
      option.defaultValue === undefined
        ? ''
        : `; default: ${option.defaultValueDescription ?? option.defaultValue}`
    const required = option.mandatory ? '; required' : ''
    return tableRow(`\`${option.flags}\``, option.description + choices + fallback + required)
  })
  return [['| option | meaning |', '|---|---|', ...rows].join('\n')]
}

/** The exit codes, as `ratafia --help` lists them. */
function exitCodes(): string {
  const rows = [...EXIT_HELP.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, code = '', meaning = '']) =>
    tableRow(code, meaning),
  )
  return ['| code | meaning |', '|---|---|', ...rows].join('\n')
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.:]$/.test(text) ? '' : '.'}`

if (import.meta.main) {
  writeFileSync(REFERENCE, await referencePage())
  writeFileSync(MANAGEMENT_PAGE, await managementPage())
  writeFileSync(LICENCES_PAGE, licencesPage())
}
