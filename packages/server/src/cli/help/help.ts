/** The parts of `--help` besides the commands' own text: groups, required options, examples. */
import { styleText } from 'node:util'
import type { Command, Help, Option } from 'commander'
import { EXAMPLES } from './examples.ts'

/** The commands of `ratafia --help`, in groups. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Run the service:': ['serve', 'identity', 'migrate', 'status', 'health', 'counters', 'config', 'demo'],
  'Accounts and permissions:': [
    'accounts',
    'agents',
    'grants',
    'setup-link',
    'sign-in-link',
    'tokens',
    'packages',
  ],
  'Tokens for CI jobs:': ['issuers', 'publishers'],
  'Log in to a service from any machine:': ['login', 'whoami', 'logout', 'ci'],
  'Brands and models:': [
    'trust',
    'brands',
    'signing-keys',
    'assertions',
    'models',
    'api-keys',
    'allow-list',
    'hardware-identities',
  ],
  'Devices:': ['devices', 'clones', 'jobs'],
  'Backup, audit and keys:': ['backup', 'restore', 'import', 'verify', 'audit', 'keys', 'secret'],
  'This program:': ['release', 'completion', 'version', 'licences', 'help'],
}

/** Settings for `configureHelp` of the program, which its commands inherit. */
export const HELP_STYLE = {
  styleTitle: (title: string): string => styleText('bold', title, { validateStream: false }),
  optionDescription(this: Help, option: Option): string {
    const described = Object.getPrototypeOf(this).optionDescription.call(this, option)
    return option.mandatory ? `${described} (required)` : described
  },
  commandUsage(this: Help, command: Command): string {
    const usage: string = Object.getPrototypeOf(this).commandUsage.call(this, command)
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
    return required.length === 0 ? usage : usage.replace('[options]', `${required.join(' ')} [options]`)
  },
}

/** Adds groups and examples. Call it after adding every command. */
export function completeHelp(program: Command): void {
  for (const [heading, names] of Object.entries(GROUPS)) {
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading)
  }
  program.addHelpCommand(
    program
      .createCommand('help')
      .argument('[command]')
      .description('show the usage of a command')
      .helpGroup('This program:'),
  )
  addExamples(program, '')
}

function addExamples(command: Command, path: string): void {
  const examples = EXAMPLES[path]
  if (examples) {
    const lines = examples.map((words) => `  ratafia ${path} ${words}`.trimEnd())
    command.addHelpText('after', ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n'))
  }
  for (const child of command.commands) addExamples(child, `${path} ${child.name()}`.trim())
}
