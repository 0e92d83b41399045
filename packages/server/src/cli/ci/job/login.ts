/** `ratafia ci login`: exchanges a job's ID token for a credential that expires after some minutes. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { JobEnvironment } from '../../../config/command-environment.ts'
import { type JsonObject, objectIn } from '../../../foreign-json.ts'
import { pasteFault, withoutWhiteSpace } from '../../../http/credentials/pasted.ts'
import { type CommandContext, ServiceRefusal, type Streams, UsageError } from '../../context.ts'
import { orEnd } from '../../login/print-credential.ts'
import { readDuration } from '../../option-values.ts'
import { note } from '../../output.ts'
import { harmless } from '../../terminal/harmless.ts'
import type { LimitOptions } from '../../tokens/limit-options.ts'
import { chooseSource } from './choose-source.ts'
import { type Destination, destinationOf, requireWritable, writeCredential } from './destination.ts'
import { audienceOf, exchange, type Format, type Minted, type Wanted } from './exchange.ts'
import { heldCredential, revokeSession } from './held-credential.ts'
import { runProgram } from './program.ts'
import { withRetries } from './retry.ts'
import { serviceAddress } from './service-address.ts'

/** Resolves once the platform hides the secrets; `say` writes to a stream that the platform reads. */
async function hide(secrets: readonly string[], job: JobEnvironment, say: (text: string) => void) {
  const line = lineFor(job)
  if (line) say(linesOf(secrets).map(line).join(''))
  else if (job.variable('BUILDKITE') !== undefined) await redact(linesOf(secrets), job)
}

/** Returns the command for the platform, which looks for it in the output of a step. */
function lineFor(job: JobEnvironment): ((secret: string) => string) | undefined {
  // Forgejo sets this variable as well.
  if (job.variable('GITHUB_ACTIONS') !== undefined) {
    return (secret) => `::add-mask::${secret.replaceAll('%', '%25')}\n`
  }
  if (job.variable('TF_BUILD') !== undefined) {
    return (secret) => `##vso[task.setsecret]${secret.replaceAll('%', '%AZP25')}\n`
  }
  return undefined
}

/** Splits the secrets into lines, because a command of the platform ends with its line. */
const linesOf = (secrets: readonly string[]): readonly string[] => [
  ...new Set(secrets.flatMap((secret) => secret.split(/[\r\n]+/)).filter((text) => text !== '')),
]

/** Hides the secrets. Agents before 3.67 cannot, but the secrets are written only where `--export` directs them. */
async function redact(secrets: readonly string[], job: JobEnvironment): Promise<void> {
  for (const secret of secrets) {
    await runProgram('buildkite-agent', ['redactor', 'add'], { job, input: secret }).catch(() => undefined)
  }
}

export interface LoginOptions extends Omit<LimitOptions, 'store'> {
  readonly url?: string
  readonly from: string
  readonly audience?: string
  readonly rule?: string
  readonly format: Format
  readonly export?: string
  readonly variable: string
  readonly lifetime?: string
}

/** How long the revocation can take, in milliseconds. */
const REVOKE_MS = 30_000

export async function login(options: LoginOptions, context: CommandContext): Promise<void> {
  const { job, streams } = context
  const url = await serviceAddress(options.url, context)
  const destination = destinationOf(options.export, job)
  const variable = variableName(options.variable)
  const wanted = wantedOf(options)
  const source = await chooseSource(options.from, context)
  await requireWritable(destination)
  const audience = options.audience ?? (await askedAudience(url, streams))
  const { stdout, stderr } = streams
  const say = (text: string) => (destination.kind === 'stdout' ? stderr : stdout).write(text)
  const idempotencyKey = randomBytes(16).toString('hex')

  const minted = await withRetries(streams, async (patience) => {
    const idToken = idTokenIn(await source.get({ job, audience, patience }), source.name)
    await hide([idToken], job, say)
    requireAudience(idToken, source.fixedAudience ?? audience, source.correction(audience))
    return exchange({ url, idToken, wanted, idempotencyKey, patience })
  })
  await hide(minted.secrets, job, say)
  const { credentials, sessionId } = minted
  await orEnd(
    `The session ${sessionId}`,
    () => writeCredential(destination, { variable, credentials }, streams),
    () => revokeSession(url, heldCredential(credentials, 'The answer'), REVOKE_MS),
  )
  note(streams, summaryOf(minted, destination, variable))
}

/**
 * Returns the service's audience, if it is at the service's own address. A service must not get ID tokens for
 * another one by naming that one's audience. `--audience` allows an address that is not the service's own.
 */
async function askedAudience(url: string, streams: Streams): Promise<string> {
  const audience = await withRetries(streams, (patience) => audienceOf(url, patience))
  if (URL.canParse(audience) && new URL(audience).origin === new URL(url).origin) return audience
  throw new ServiceRefusal(
    `The service at ${url} requests an ID token for ${JSON.stringify(audience.slice(0, 200))}. If that is its own address, pass it with --audience.`,
  )
}

function wantedOf(options: LoginOptions): Wanted {
  const { format, rule, permission = [], package: packages = [], channel = [], lifetime } = options
  return {
    format,
    ...(rule !== undefined && { rule }),
    permissions: permission,
    packages,
    channels: channel,
    ...(lifetime !== undefined && { lifetime: readDuration('--lifetime', lifetime) / 1000 }),
  }
}

function variableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text)) return text
  throw new UsageError(
    `--variable ${text} is not the name of a variable. Use letters, digits and underscores.`,
  )
}

function summaryOf(minted: Minted, { kind, path }: Destination, variable: string): string {
  const { sessionId, lifetime, rule } = minted
  const where = {
    'github-env': `${variable} is set for the later steps of this job.`,
    dotenv: `${path} sets ${variable}; \`set -a; . ${path === undefined ? '' : resolve(path)}\` reads it.`,
    file: `The credential is in ${path}.`,
    stdout: 'The credential is on standard output.',
  }[kind]
  const by = rule === undefined ? '' : `The rule ${harmless(rule)} granted it. `
  return `${where} It expires in ${minutes(lifetime)}. ${by}To revoke its session ${sessionId} earlier, run \`ratafia ci logout\`.`
}

/** Rounds to minutes, because a second or two of the lifetime may have passed. */
const minutes = (seconds: number): string =>
  seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`

/** The limit of the service (contract/oidc.md, A20). */
const MOST_CHARACTERS = 16 * 1024

/**
 * Returns the ID token without white space, such as the line end that files and programs add. `where`: its source, as
 * the beginning of a sentence. Throws {@link ServiceRefusal} for any other text, and does not repeat it.
 */
function idTokenIn(text: string, where: string): string {
  const token = withoutWhiteSpace(text)
  if (token === '') throw new ServiceRefusal(`${where} is empty: it contains no ID token.`)
  if (token.length > MOST_CHARACTERS)
    throw new ServiceRefusal(`${where} has more than 16 KiB, so it cannot be an ID token.`)
  if (claimsOf(token) === undefined) {
    const fault = pasteFault(text)
    const hint = fault === undefined ? '' : ` ${fault}.`
    throw new ServiceRefusal(`${where} does not contain an ID token (three parts separated by dots).${hint}`)
  }
  return token
}

/** Throws {@link ServiceRefusal}, with `advice`, for an ID token that the receiver could use at another service. */
function requireAudience(token: string, audience: string, advice: string): void {
  const { aud } = claimsOf(token) ?? {}
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (all.includes(audience)) return
  const named = all.filter((one) => typeof one === 'string').map((one) => JSON.stringify(one.slice(0, 200)))
  throw new ServiceRefusal(
    `The ID token is for ${named.slice(0, 3).join(', ') || 'no audience'}, not for ${audience}, so it was not sent. ${advice}`,
  )
}

function claimsOf(token: string): JsonObject | undefined {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? []
  return payload === undefined ? undefined : objectIn(Buffer.from(payload, 'base64url').toString('utf8'))
}
