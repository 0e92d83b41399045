/** Checks several variables together: unknown names, and values that require or contradict each other. */
import { closest } from './closest.ts'
import { reminderProblems } from './reminders/reminder-config.ts'
import { type Environment, textOf, type ValuesOf } from './row.ts'
import { isEveryAddress } from './values.ts'
import { type SERVICE_VARIABLES, VARIABLES, type VariableName } from './variables.ts'

type Values = ValuesOf<typeof SERVICE_VARIABLES>

/** Pairs of variables where the first has no effect without the second. */
const NEEDS: readonly (readonly [name: VariableName, needed: VariableName])[] = [
  ['RATAFIA_DATABASE_LISTEN_URL', 'RATAFIA_DATABASE_URL'],
  ['RATAFIA_DATABASE_POOL', 'RATAFIA_DATABASE_URL'],
  ['RATAFIA_DEVICE_SERVICE_HEADERS', 'RATAFIA_DEVICE_SERVICE_URLS'],
  ['RATAFIA_IDENTITY_PUBLIC_KEY', 'RATAFIA_IDENTITY_URL'],
  ['RATAFIA_METRICS_HOST', 'RATAFIA_METRICS_PORT'],
  ['RATAFIA_TLS_CERT', 'RATAFIA_TLS_KEY'],
  ['RATAFIA_TLS_KEY', 'RATAFIA_TLS_CERT'],
  ['RATAFIA_WEBHOOK_SECRET', 'RATAFIA_WEBHOOK_URL'],
  ['RATAFIA_WEBHOOK_SECRET_FILE', 'RATAFIA_WEBHOOK_URL'],
  ['RATAFIA_WEBHOOK_PRIVATE_ADDRESSES', 'RATAFIA_WEBHOOK_URL'],
]

/** Pairs of variables for the same setting. */
const EXCLUDES: readonly (readonly [name: VariableName, other: VariableName])[] = [
  ['RATAFIA_DATABASE_URL', 'RATAFIA_DATABASE_URL_FILE'],
  ['RATAFIA_SECRET_KEY', 'RATAFIA_SECRET_KEY_FILE'],
  ['RATAFIA_PREVIOUS_SECRET_KEY', 'RATAFIA_PREVIOUS_SECRET_KEY_FILE'],
  ['RATAFIA_SMTP_URL', 'RATAFIA_SMTP_URL_FILE'],
  ['RATAFIA_WEBHOOK_SECRET', 'RATAFIA_WEBHOOK_SECRET_FILE'],
]

/** Returns a line per contradiction, beginning with the variable. Variables in lines of `invalid` are not compared. */
export function contradictions(
  environment: Environment,
  values: Values,
  invalid: readonly string[],
): string[] {
  const isSet = (name: VariableName) => textOf(environment, name) !== undefined
  const areRead = (...names: readonly VariableName[]) =>
    !names.some((name) => invalid.some((line) => line.startsWith(`${name} `)))
  const problems: string[] = []
  for (const [name, needed] of NEEDS) {
    if (isSet(name) && !isSet(needed) && textOf(environment, `${needed}_FILE`) === undefined)
      problems.push(`${name} has no effect without ${needed}. Also set ${needed}, or remove ${name}.`)
  }
  for (const [name, other] of EXCLUDES) {
    if (isSet(name) && isSet(other)) problems.push(`${name} and ${other} are both set. Keep one of them.`)
  }
  const isPostgres = isSet('RATAFIA_DATABASE_URL') || isSet('RATAFIA_DATABASE_URL_FILE')
  if (isPostgres && !isSet('RATAFIA_SECRET_KEY') && !isSet('RATAFIA_SECRET_KEY_FILE')) {
    problems.push(
      'RATAFIA_SECRET_KEY (or RATAFIA_SECRET_KEY_FILE) is required with PostgreSQL: every node needs the same one. `openssl rand -base64 32` creates one.',
    )
  }
  if (isEveryAddress(values.RATAFIA_HOST) && !isSet('RATAFIA_BASE_URL')) {
    problems.push(
      `RATAFIA_BASE_URL is required when RATAFIA_HOST is ${values.RATAFIA_HOST}, because clients cannot connect to that address. Set the URL that they use.`,
    )
  }
  if (isSet('RATAFIA_TLS_CERT') && values.RATAFIA_BASE_URL?.startsWith('http:')) {
    problems.push(
      'RATAFIA_BASE_URL is http, but with RATAFIA_TLS_CERT the service serves only https. Set an https URL.',
    )
  }
  const { RATAFIA_METRICS_PORT: metricsPort = 0 } = values
  if (areRead('RATAFIA_PORT') && metricsPort > 0 && metricsPort === values.RATAFIA_PORT) {
    problems.push('RATAFIA_METRICS_PORT is also the port of the service. Choose a separate port for metrics.')
  }
  const { RATAFIA_RETENTION_CLONE_EVIDENCE: evidence, RATAFIA_RETENTION_DEVICE_SESSIONS: sessions } = values
  const areRetentionsRead = areRead('RATAFIA_RETENTION_CLONE_EVIDENCE', 'RATAFIA_RETENTION_DEVICE_SESSIONS')
  if (areRetentionsRead && evidence < sessions) {
    problems.push(
      'RATAFIA_RETENTION_CLONE_EVIDENCE is shorter than RATAFIA_RETENTION_DEVICE_SESSIONS, so decisions about old sessions would be removed before the sessions. Raise it.',
    )
  }
  const { RATAFIA_TOKEN_LIFETIME: usual, RATAFIA_TOKEN_MAX_LIFETIME: longest } = values
  const isUsualChosen = isSet('RATAFIA_TOKEN_LIFETIME') && areRead('RATAFIA_TOKEN_LIFETIME')
  if (isUsualChosen && longest !== undefined && longest < usual) {
    problems.push(
      'RATAFIA_TOKEN_MAX_LIFETIME is shorter than RATAFIA_TOKEN_LIFETIME, the default lifetime. Lower that too.',
    )
  }
  problems.push(...reminderProblems(values, isSet))
  return problems
}

/** Refuses a misspelt name: a setting, such as a limit on the lifetime of tokens, would silently have no effect. */
export function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith('RATAFIA_') && !name.startsWith('RATAFIA_TEST_') && !(name in VARIABLES),
    )
    .map((name) => {
      if (/^RATAFIA_(SERVICE_(HOST|PORT)|PORT_\d+_)/.test(name)) {
        return `${name} is set by Kubernetes for a Service with this name. Set enableServiceLinks: false in the pod.`
      }
      const meant = closest(name, Object.keys(VARIABLES))
      const advice = meant ? `Did you mean ${meant}?` : '`ratafia serve --help` lists all variables.'
      return `${name} is not a variable of this service. ${advice}`
    })
}
