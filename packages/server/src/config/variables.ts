/** All variables of the service with their defaults and meanings, by subject. */
import { TRACING_VARIABLES } from './tracing.ts'
import { COMMAND_VARIABLES } from './variables/commands.ts'
import { DEVICE_VARIABLES } from './variables/devices.ts'
import { MANAGEMENT_VARIABLES } from './variables/management.ts'
import { REMINDER_VARIABLES } from './variables/reminders.ts'
import { SERVING_VARIABLES } from './variables/serving.ts'
import { STORAGE_VARIABLES } from './variables/storage.ts'
import { TOKEN_VARIABLES } from './variables/tokens.ts'

export const SERVICE_VARIABLES = {
  ...SERVING_VARIABLES,
  ...STORAGE_VARIABLES,
  ...TOKEN_VARIABLES,
  ...DEVICE_VARIABLES,
  ...MANAGEMENT_VARIABLES,
  ...REMINDER_VARIABLES,
  ...COMMAND_VARIABLES,
} as const

/** All variables, with those of OpenTelemetry, that the documentation and `ratafia serve --help` show. */
export const VARIABLES = { ...SERVICE_VARIABLES, ...TRACING_VARIABLES } as const

export type VariableName = keyof typeof VARIABLES

/** The variables under headings, for docs/reference.md. */
export const VARIABLES_BY_SUBJECT = {
  Serving: SERVING_VARIABLES,
  Storage: STORAGE_VARIABLES,
  'Logins and tokens': TOKEN_VARIABLES,
  Devices: DEVICE_VARIABLES,
  'Administration over HTTP': MANAGEMENT_VARIABLES,
  Reminders: REMINDER_VARIABLES,
  Traces: TRACING_VARIABLES,
  'Commands over HTTP': COMMAND_VARIABLES,
} as const

/** Returns the variables as `ratafia serve --help` prints them. */
export function variablesHelp(): string {
  const rows = Object.entries(VARIABLES).map(
    ([name, row]) => `  ${name}\n      ${row.meaning}\n      Default: ${row.default}`,
  )
  return `\nConfiguration by environment variables:\n${rows.join('\n')}`
}
