/** docs/management-api.md: every operation of the management API, and the commands that use it. */
import { join } from 'node:path'
import {
  MANAGEMENT_OPERATIONS,
  MANAGEMENT_PREFIX,
  type ManagementOperation,
} from '../../packages/api/src/schemas.ts'
import { waysOf } from '../../packages/server/src/cli/service/ways.ts'
import { describedProgram, leavesOf } from './program.ts'
import { tableRow } from './table-row.ts'

export const MANAGEMENT_PAGE = join(import.meta.dirname, '../../docs/management-api.md')

/** The commands that use an operation, by its name. */
export async function commandsByOperation(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const [name, command] of leavesOf(await describedProgram(), [])) {
    for (const operation of waysOf(command).operations) {
      found.set(operation, [...(found.get(operation) ?? []), name])
    }
  }
  return found
}

export async function managementPage(): Promise<string> {
  const commands = await commandsByOperation()
  const sections = Map.groupBy(
    Object.entries<ManagementOperation>(MANAGEMENT_OPERATIONS),
    ([, { path }]) => path.split('/')[1] ?? '',
  )
  return `# Operations of the management API

<!-- Made by \`npm run docs:reference\`; a test compares. -->

Below \`${MANAGEMENT_PREFIX}\`. Parameters, bodies and answers are in \`${MANAGEMENT_PREFIX}/openapi.json\` of a service, how to
use it in [administration.md](administration.md). **Takes**: the permission; *person* and *recent sign-in* are needed
besides. **Writes**: the action in the audit log.

${[...sections].map(([noun, rows]) => sectionOf(noun, rows, commands)).join('\n\n')}
`
}

function sectionOf(
  noun: string,
  operations: readonly (readonly [string, ManagementOperation])[],
  commands: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = operations.map(([name, operation]) => {
    const { method, path, summary, actions = [] } = operation
    return tableRow(
      `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
      summary,
      takes(operation),
      actions.map((action) => `\`${action}\``).join(', '),
      (commands.get(name) ?? []).map((command) => `\`${command}\``).join(', '),
    )
  })
  return [
    `## ${noun.charAt(0).toUpperCase()}${noun.slice(1).replaceAll('-', ' ')}`,
    ['| operation | what it does | takes | writes | commands |', '|---|---|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

function takes({ credential, permission, person, recentSignIn }: ManagementOperation): string {
  if (credential === 'none') return 'nothing'
  if (credential === 'management-root') return 'root and discharge'
  const needs = [
    permission === undefined ? 'a token' : `\`${permission}\``,
    ...(person ? ['person'] : []),
    ...(recentSignIn ? ['recent sign-in'] : []),
  ]
  return needs.join(', ')
}
