/**
 * `POST discharge`: issues a discharge to a logged-in user, or offers login methods (contract/bakery.md 3.1 to 3.3).
 */
import { hash } from 'node:crypto'
import { MacaroonError } from '@ratafia/macaroon'
import {
  BakeryError,
  type BakeryMacaroonJson,
  type CaveatCheck,
  discharge,
  encodeBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import {
  ConditionError,
  formatDeclared,
  formatTimeBefore,
  splitCondition,
} from '@ratafia/macaroon/conditions'
import type { Account } from '../../accounts/account.ts'
import { formatLoginMark } from '../../accounts/ended-logins/login-mark.ts'
import type { SignIn } from '../../authority.ts'
import { invalidRequest, unauthorized } from '../../errors.ts'
import { parseSummary } from '../../third-party/request-summary.ts'
import { SIGNED_IN_KEY, signedInText } from '../../third-party/signed-in.ts'
import { agentInteraction } from '../agents/agent-interaction.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { browserWindow } from '../logins/browser-window.ts'
import { browserRedirect } from '../redirect/browser-redirect.ts'
import {
  type Client,
  type DischargeToken,
  type InteractionKind,
  type InteractionMethods,
  InteractionRequired,
  type LoggedIn,
  type PendingLogin,
} from './interaction.ts'
import { withOwnKeyPairs } from './own-key-pairs.ts'

/**
 * The login methods, one row each: the offer to a client, and the check of the token it returns
 * (contract/bakery.md 3.3). A new method is a new row.
 */
const KINDS: readonly InteractionKind[] = [browserWindow, browserRedirect, agentInteraction]

async function offerInteractions(
  login: PendingLogin,
  deps: IdentityDependencies,
): Promise<InteractionMethods> {
  const offers = KINDS.map(async (kind) => [kind.method, await kind.offer(login, deps)] as const)
  return Object.fromEntries(await Promise.all(offers))
}

/**
 * Returns the login that a token proves. Throws `invalid-request` for an unknown kind, and a 401 for an invalid token.
 */
function redeemToken(
  { kind: name, value }: DischargeToken,
  caveat: Uint8Array,
  deps: IdentityDependencies,
): Promise<LoggedIn> {
  const kind = KINDS.find(({ tokenKind }) => tokenKind === name)
  if (kind) return kind.redeem(value, caveat, deps)
  const known = [...new Set(KINDS.map(({ tokenKind }) => `"${tokenKind}"`))].join(' and ')
  throw invalidRequest(`The token is of an unknown kind. This identity service accepts ${known}.`)
}

/**
 * How long a discharge can be used. This is Candid's default (contract/bakery.md 2.9), because some clients
 * present root and discharge all day instead of a token. It must open its session within an hour.
 */
const DISCHARGE_MS = 24 * 60 * 60_000

export interface DischargeRequest {
  /** The caveat's id. */
  readonly id: Uint8Array
  /** The payload of a caveat with a short id. */
  readonly caveat: Uint8Array | undefined
  readonly token: DischargeToken | undefined
  readonly client: Client
}

/**
 * Discharges a caveat. Throws {@link InteractionRequired} without a token, and `invalid-request` or a 401 for
 * an invalid caveat or token or a disabled account. Writes nothing.
 */
export async function dischargeCaveat(
  request: DischargeRequest,
  deps: IdentityDependencies,
): Promise<BakeryMacaroonJson> {
  const { id, caveat, token, client } = request
  const digest = caveatDigest(id, caveat)
  const check: CaveatCheck = async (condition, { firstPartyPublicKey, needDeclared }) => {
    const { key, summary } = parseIdentityCondition(condition)
    if (!token) {
      const login = { caveat: digest, firstParty: firstPartyPublicKey, summary, client }
      throw new InteractionRequired(await offerInteractions(login, deps))
    }
    const { account, signIn, limits } = await redeemToken(token, digest, deps)
    const now = deps.clock()
    const own = Buffer.from((await deps.keyring.sealingKeyPair()).publicKey).equals(firstPartyPublicKey)
    // Declarations must precede the first time-before. A later time-before limits the session.
    return [
      // Another account can get a username later, and the service that this identity service belongs to must
      // notice this.
      ...declarationsOf({ account, signIn }, [key, ...needDeclared, ...(own ? ['userid'] : [])]),
      ...(own ? [formatLoginMark(account, now)] : []),
      formatTimeBefore(new Date(now.getTime() + DISCHARGE_MS)),
      ...limits,
    ]
  }
  try {
    const discharged = await withOwnKeyPairs(deps.keyring, (keyPairs) =>
      discharge({ id, caveat, keyPairs, check }),
    )
    return encodeBakeryMacaroon(discharged)
  } catch (error) {
    throw error instanceof BakeryError && isDamaged(id)
      ? invalidRequest(DAMAGED, { cause: error })
      : refusalOfCaveat(error)
  }
}

const MALFORMED: ReadonlySet<string> = new Set([
  'malformed',
  'unsupported-version',
  'limit-exceeded',
  'payload-missing',
])

/** Turns an error into a refusal: a 401 if the caveat is forged or for another service, a 400 if it is unreadable. */
function refusalOfCaveat(cause: unknown): unknown {
  if (cause instanceof BakeryError) {
    const message = `The caveat cannot be discharged: ${cause.message}.`
    return MALFORMED.has(cause.code) ? invalidRequest(message, { cause }) : unauthorized(message, { cause })
  }
  if (cause instanceof ConditionError) return unauthorized(cause.message, { cause })
  if (cause instanceof MacaroonError) return invalidRequest(cause.message, { cause })
  return cause
}

/** UTF-8's replacement for invalid bytes. A client that reads the id as text puts it there, and loses the bytes. */
const REPLACEMENT = Buffer.from('\ufffd')

const isDamaged = (id: Uint8Array): boolean => Buffer.from(id).includes(REPLACEMENT)

const DAMAGED =
  'The id of the caveat was damaged on its way: the client read its bytes as text. Send them unchanged, in base64, as id64.'

/** Returns the digest of id and payload together, because short ids are the same for all clients. */
function caveatDigest(id: Uint8Array, payload: Uint8Array = new Uint8Array()): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(id.length)
  return hash('sha256', Buffer.concat([length, id, payload]), 'buffer')
}

/** The functions that return the declared values about a login, by key. */
const DECLARED = new Map<string, (login: DeclaredLogin) => string>([
  ['userid', ({ account }) => account.id],
  ['username', ({ account }) => account.username],
  [SIGNED_IN_KEY, ({ signIn }) => signedInText(signIn)],
])

interface DeclaredLogin {
  readonly account: Account
  readonly signIn: SignIn
}

/** The key that each condition requires. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['is-authenticated-userid', 'userid'],
  ['is-authenticated-user', 'username'],
])

interface IdentityCondition {
  /** The key to declare. */
  readonly key: string
  /** The summary as sent, which is valid. */
  readonly summary: string | undefined
}

/** Parses a condition. Throws a 401 for any other condition, because an unknown one could forbid this discharge. */
function parseIdentityCondition(condition: string): IdentityCondition {
  const { name, argument } = splitCondition(condition)
  const key = KEYS.get(name)
  if (key === undefined) {
    throw unauthorized(
      `This identity service does not know the condition ${JSON.stringify(name.slice(0, 64))}. ` +
        'It discharges is-authenticated-userid and is-authenticated-user.',
    )
  }
  if (argument === '') return { key, summary: undefined }
  const summary = argument.startsWith('for ') ? argument.slice('for '.length) : undefined
  if (summary === undefined || parseSummary(summary) === undefined) {
    throw unauthorized(`This identity service does not understand the text after ${name}.`)
  }
  return { key, summary }
}

/** Returns the declarations for the keys that this service knows. */
const declarationsOf = (login: DeclaredLogin, keys: readonly string[]): readonly string[] =>
  [...new Set(keys)].flatMap((key) => {
    const value = DECLARED.get(key)
    return value ? [formatDeclared(key, value(login))] : []
  })
