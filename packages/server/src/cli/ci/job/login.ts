/** `ratafia ci login`: the ID token of a job, exchanged for a credential that lasts some minutes. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { JobEnvironment } from '../../../config/job-environment.ts'
import { type JsonObject, objectIn } from '../../../foreign-json.ts'
import { pasteFault, withoutWhiteSpace } from '../../../http/credentials/pasted.ts'
import { type CommandContext, ServiceRefusal, type Streams, UsageError } from '../../context.ts'
import { orEnd } from '../../login/or-end.ts'
import { readDuration } from '../../option-values.ts'
import { note } from '../../output.ts'
import { harmless } from '../../terminal/harmless.ts'
import { chooseSource } from './choose-source.ts'
import { type Destination, destinationOf, requireWritable, writeCredential } from './destination.ts'
import { audienceOf, exchange, type Format, type Minted, type Wanted } from './exchange.ts'
import { heldCredential } from './held-credential.ts'
import { runProgram } from './program.ts'
import { withRetries } from './retry.ts'
import { revokeSession } from './revoke-session.ts'
import { serviceAddress } from './service-address.ts'

/** Resolves when the platform knows them. */
type Hide = (secrets: readonly string[]) => Promise<void>

/** `say` writes to a stream that the platform reads. */
function hiding(job: JobEnvironment, say: (text: string) => void): Hide {
  const line = lineFor(job)
  if (line) return async (secrets) => say(linesOf(secrets).map(line).join(''))
  if (job.variable('BUILDKITE') !== undefined) return (secrets) => redact(linesOf(secrets), job)
  return async () => {}
}

/** The command that the platform looks for in what a step writes. */
function lineFor(job: JobEnvironment): ((secret: string) => string) | undefined {
  // Forgejo, too.
  if (job.variable('GITHUB_ACTIONS') !== undefined) {
    return (secret) => `::add-mask::${secret.replaceAll('%', '%25')}\n`
  }
  if (job.variable('TF_BUILD') !== undefined) {
    return (secret) => `##vso[task.setsecret]${secret.replaceAll('%', '%AZP25')}\n`
  }
  return undefined
}

/** A command ends with its line. */
const linesOf = (secrets: readonly string[]): readonly string[] => [
  ...new Set(secrets.flatMap((secret) => secret.split(/[\r\n]+/)).filter((text) => text !== '')),
]

/** An agent before 3.67 cannot. Even then nothing prints the secrets: they go only where `--export` says. */
async function redact(secrets: readonly string[], job: JobEnvironment): Promise<void> {
  for (const secret of secrets) {
    await runProgram('buildkite-agent', ['redactor', 'add'], { job, input: secret }).catch(() => undefined)
  }
}

export interface LoginOptions {
  readonly url?: string
  readonly from: string
  readonly audience?: string
  readonly rule?: string
  readonly format: Format
  readonly export?: string
  readonly variable: string
  readonly permission?: readonly string[]
  readonly package?: readonly string[]
  readonly channel?: readonly string[]
  readonly lifetime?: string
}

/** Milliseconds. */
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
  const hide = hiding(job, (text) => (destination.kind === 'stdout' ? stderr : stdout).write(text))
  const idempotencyKey = randomBytes(16).toString('hex')

  const minted = await withRetries(streams, async (patience) => {
    const idToken = idTokenIn(await source.get({ job, audience, patience }), source.name)
    await hide([idToken])
    requireAudience(idToken, source.fixedAudience ?? audience, source.correction(audience))
    return exchange({ url, idToken, wanted, idempotencyKey, patience })
  })
  await hide(minted.secrets)
  const { credentials, sessionId } = minted
  await orEnd(
    `The session ${sessionId}`,
    () => writeCredential(destination, { variable, credentials }, streams),
    () => revokeSession({ url, ...heldCredential(credentials, 'The answer'), patience: REVOKE_MS }),
  )
  note(streams, summaryOf(minted, destination, variable))
}

/**
 * A service must not get ID tokens for another one by naming that one's audience. To reach a service under an address that
 * is not its own, give `--audience`.
 */
async function askedAudience(url: string, streams: Streams): Promise<string> {
  const audience = await withRetries(streams, (patience) => audienceOf(url, patience))
  if (URL.canParse(audience) && new URL(audience).origin === new URL(url).origin) return audience
  throw new ServiceRefusal(
    `The service at ${url} asks for an ID token for ${JSON.stringify(audience.slice(0, 200))}. If that is its own address, give it with --audience.`,
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
  throw new UsageError(`--variable ${text} is not the name of a variable: letters, digits and underscores.`)
}

function summaryOf(minted: Minted, { kind, path }: Destination, variable: string): string {
  const { sessionId, lifetime, rule } = minted
  const where = {
    'github-env': `${variable} is set for the further steps of this job.`,
    dotenv: `${path} sets ${variable}; \`set -a; . ${path === undefined ? '' : resolve(path)}\` reads it.`,
    file: `${path} has the credential.`,
    stdout: 'The credential is on standard output.',
  }[kind]
  const by = rule === undefined ? '' : `, by the rule ${harmless(rule)}`
  return `${where} It lasts ${minutes(lifetime)}${by}. \`ratafia ci logout\` ends its session, ${sessionId}, sooner.`
}

/** Rounded: a second or two of a lifetime in minutes may have passed. */
const minutes = (seconds: number): string =>
  seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`

/** As the service does (contract/oidc.md, A20). */
const MOST_CHARACTERS = 16 * 1024

/**
 * Without white space, such as the line end that files and programs add. `where`: what gave it, at the beginning of a sentence. Throws
 * {@link ServiceRefusal} for anything else than an ID token, and does not repeat it.
 */
function idTokenIn(text: string, where: string): string {
  const token = withoutWhiteSpace(text)
  if (token === '') throw new ServiceRefusal(`${where} gives no ID token: it is empty.`)
  if (token.length > MOST_CHARACTERS)
    throw new ServiceRefusal(`${where} gives more than 16 KiB: that is not an ID token.`)
  if (claimsOf(token) === undefined) {
    const fault = pasteFault(text)
    const hint = fault === undefined ? '' : ` ${fault}.`
    throw new ServiceRefusal(
      `${where} gives something other than an ID token (three parts with dots between).${hint}`,
    )
  }
  return token
}

/**
 * An ID token for another service is not sent: the receiver could use it there. Throws {@link ServiceRefusal}. `advice` is
 * a sentence.
 */
function requireAudience(token: string, audience: string, advice: string): void {
  const { aud } = claimsOf(token) ?? {}
  const all: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (all.includes(audience)) return
  const named = all.filter((one) => typeof one === 'string').map((one) => JSON.stringify(one.slice(0, 200)))
  throw new ServiceRefusal(
    `The ID token is for ${named.slice(0, 3).join(', ') || 'nobody'}, not for ${audience}, so it was not sent. ${advice}`,
  )
}

function claimsOf(token: string): JsonObject | undefined {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? []
  return payload === undefined ? undefined : objectIn(Buffer.from(payload, 'base64url').toString('utf8'))
}
