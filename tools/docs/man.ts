// Prints the man page ratafia(1), in the format of man(7), from the command tree of the program.

import type { Argument, Command, Option } from 'commander'
import { EXIT_HELP } from '../../packages/server/src/cli/context.ts'
import { VARIABLES } from '../../packages/server/src/config/variables.ts'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { describedProgram, runCommandsOf } from './program.ts'

const program = await describedProgram()
process.stdout.write(`.TH RATAFIA 1 "" "ratafia ${escaped(RELEASE)}" "Ratafia"
.nh
.SH NAME
ratafia \\- ${escaped(program.description().replace(/^The /, 'the ').replace(/\.$/, ''))}
.SH SYNOPSIS
.B ratafia
.I command
[\\fIoptions\\fR]
.SH DESCRIPTION
Ratafia issues developer tokens and keeps the register of devices for a snap store.
.B ratafia serve
runs the service. All other commands administer it, or log in to it from any machine.
.PP
With the Debian package, a command that root calls acts on the installed service: it runs as the user ratafia, with the
settings and the secret key of the service. Of root's environment it gets RATAFIA_URL, RATAFIA_TOKEN_FILE and
RATAFIA_AGENT_FILE. It cannot read files that the user ratafia cannot read: use \\- as the file and pass the content on
standard input. For other users, or if RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL is set, a command gets the whole
environment.
.SH COMMANDS
${runCommandsOf(program, []).map(sectionOf).join('\n')}
.SH EXIT STATUS
${[...EXIT_HELP.matchAll(/^ {2}(\d) {2}(.*)$/gm)].map(([, code = '', meaning = '']) => tagged(code, meaning)).join('\n')}
.SH ENVIRONMENT
${Object.entries(VARIABLES)
  .map(([name, { meaning, default: fallback }]) => tagged(name, `${meaning}. Default: ${fallback}`))
  .join('\n')}
.SH FILES
${tagged('/etc/ratafia/ratafia.env', 'the settings of the service: NAME=VALUE lines with the variables above')}
${tagged('/etc/credstore/ratafia.secret-key', 'the secret key, with PostgreSQL')}
${tagged('/var/lib/ratafia', 'the database and the secret key, without PostgreSQL')}
`)

function sectionOf([name, command]: readonly [name: string, command: Command]): string {
  const usage = ['ratafia', name, ...command.registeredArguments.map(placeholder)].join(' ')
  const options = command.options.filter(({ hidden }) => !hidden)
  return [
    `.SS ${escaped(usage)}${options.length > 0 ? ' [options]' : ''}`,
    escaped(command.description()),
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .map((argument) => tagged(placeholder(argument), argument.description)),
    ...options.map((option) => tagged(option.flags, described(option))),
  ].join('\n')
}

function placeholder(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

function described({ description, argChoices, mandatory }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`
  return `${description}${choices}${mandatory ? ' (required)' : ''}`
}

/** Returns a paragraph with a hanging tag. */
function tagged(tag: string, text: string): string {
  return `.TP\n.B ${escaped(tag)}\n${escaped(text)}`
}

/** Returns text that man(7) shows unchanged. At the beginning of a line, a dot or an apostrophe starts a command. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll('…', '...')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/^[.']/, '\\&$&')
}
