/**
 * Logs in with an agent's key (contract/bakery.md 3.5). The agent gets a macaroon with a caveat that only its
 * key can discharge. The macaroon and its discharge together are the token.
 */
import { timingSafeEqual } from 'node:crypto'
import {
  decodeBase64,
  decodeBinary,
  encodeBase64,
  MacaroonError,
  type UnverifiedSlice,
  verify,
} from '@ratafia/macaroon'
import {
  type Checker,
  ConditionError,
  checkConditions,
  declaredValues,
  STANDARD_CHECKERS,
  type StandardContext,
} from '@ratafia/macaroon/conditions'
import { unauthorized } from '../../errors.ts'
import type { InteractionKind } from '../discharge/interaction.ts'
import { sealFor, toText } from '../logins/sealed-texts.ts'
import { limitConditions, parseLimits } from './agent-limits.ts'
import type { Agent } from './agent-store.ts'
import { enabledAgent } from './enabled-agent.ts'

/** How long an agent has time to answer. */
export const AGENT_LOGIN_MS = 60_000

export const agentInteraction: InteractionKind = {
  method: 'agent',
  tokenKind: 'agent',

  offer: async ({ caveat }, { keyring, location, clock }) => {
    const expires = clock().getTime() + AGENT_LOGIN_MS
    const did = await sealFor('agent-login', { caveat: toText(caveat), expires }, keyring)
    return { 'login-url': `${location}/login/agent?did=${did}` }
  },

  redeem: async (token, caveat, deps) => {
    const slice = parseSlice(token)
    const resolved = await deps.keyring.resolve(slice[0].id)
    if (resolved?.kind !== 'agent-login') throw badLogin('it was not issued by this identity service')
    const login = verifyAgentLogin(slice, resolved.rootKey, deps.clock())
    if (login.caveat.length !== caveat.length || !timingSafeEqual(login.caveat, caveat)) {
      throw badLogin('it is for a different caveat')
    }
    const { agent, account } = await enabledAgent(login, deps)
    return {
      account,
      signIn: { kind: 'agent', name: agent.name },
      limits: limitConditions(parseLimits(agent.limits), deps.clock()),
    }
  },
}

/** Returns the conditions of an agent's login macaroon, besides `time-before`. */
export const agentConditions = (
  { name, publicKey }: Pick<Agent, 'name' | 'publicKey'>,
  caveat: Uint8Array,
) => [`agent ${name} ${encodeBase64(publicKey)}`, `for-caveat ${toText(caveat)}`]

interface AgentLogin {
  readonly name: string
  readonly publicKey: Uint8Array
  readonly caveat: Uint8Array
}

/** The values found so far. The holder can have appended conditions, and contradictions are refused. */
interface Context extends StandardContext {
  readonly agents: Set<string>
  readonly caveats: Set<string>
}

const CHECKERS: ReadonlyMap<string, Checker<Context>> = new Map<string, Checker<Context>>([
  ...STANDARD_CHECKERS,
  ['agent', (argument, { agents }) => void agents.add(argument)],
  ['for-caveat', (argument, { caveats }) => void caveats.add(argument)],
])

function verifyAgentLogin(slice: UnverifiedSlice, rootKey: Uint8Array, now: Date): AgentLogin {
  const agents = new Set<string>()
  const caveats = new Set<string>()
  try {
    const conditions = verify(slice, rootKey).map(({ condition }) => condition)
    checkConditions(conditions, CHECKERS, { now, declared: declaredValues(conditions), agents, caveats })
  } catch (error) {
    if (error instanceof MacaroonError || error instanceof ConditionError)
      throw badLogin(error.message, error)
    throw error
  }
  const [agent, ...otherAgents] = agents
  const [caveat, ...otherCaveats] = caveats
  const [name, key, ...rest] = agent?.split(' ') ?? []
  if (!name || !key || !caveat || otherAgents.length + otherCaveats.length + rest.length > 0) {
    throw badLogin('it names more than one agent or caveat')
  }
  return { name, publicKey: decodeBase64(key), caveat: Buffer.from(caveat, 'base64url') }
}

function parseSlice(token: Uint8Array): UnverifiedSlice {
  try {
    const [root, ...discharges] = decodeBinary(token)
    if (root) return [root, ...discharges]
  } catch (error) {
    if (!(error instanceof MacaroonError)) throw error
    throw badLogin(error.message, error)
  }
  throw badLogin('it is empty')
}

const badLogin = (why: string, cause?: unknown) =>
  unauthorized(`The agent's login macaroon is not valid: ${why}. Log in again.`, { cause })
