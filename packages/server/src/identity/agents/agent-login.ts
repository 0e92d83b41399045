/** `GET login/agent`: returns a macaroon for the agent to discharge with its key (contract/bakery.md 3.5). */
import { addFirstPartyCaveat } from '@ratafia/macaroon'
import {
  addBakeryCaveat,
  BakeryError,
  type BakeryMacaroonJson,
  decodeKey,
  encodeBakeryMacaroon,
  mintBakeryMacaroon,
} from '@ratafia/macaroon/bakery'
import { formatTimeBefore } from '@ratafia/macaroon/conditions'
import { invalidRequest, unauthorized } from '../../errors.ts'
import { randomId } from '../../random.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { openFor, toBytes } from '../logins/sealed-texts.ts'
import { AGENT_LOGIN_MS, agentConditions } from './agent-interaction.ts'
import { enabledAgent } from './enabled-agent.ts'

export interface AgentLoginInput {
  /** The sealed text from the `login-url`. */
  readonly did: string
  readonly name: string
  /** The public key in base64. */
  readonly publicKey: string
  /** The value of `Bakery-Protocol-Version`. Below 3, the macaroon is a plain version 2 with a binary id. */
  readonly protocolVersion: number
}

/** Returns the macaroon. Throws `invalid-request` or a 401. */
export async function agentLogin(
  input: AgentLoginInput,
  deps: IdentityDependencies,
): Promise<BakeryMacaroonJson> {
  const { keyring, clock } = deps
  const login = await openFor('agent-login', input.did, keyring)
  if (!login) throw invalidRequest('The "did" is not from this identity service. Start the discharge again.')
  if (clock().getTime() >= login.expires) {
    throw unauthorized(
      'This login has expired: an agent must answer within a minute. Start the discharge again.',
    )
  }
  const agent = { name: input.name, publicKey: keyOf(input.publicKey) }
  await enabledAgent(agent, deps)

  const version = input.protocolVersion >= 3 ? 3 : 2
  const minted = mintBakeryMacaroon({
    ...(await keyring.mintId('agent-login')),
    location: deps.location,
    version,
  })
  const conditions = [
    formatTimeBefore(new Date(clock().getTime() + AGENT_LOGIN_MS)),
    ...agentConditions(agent, toBytes(login.caveat)),
  ]
  const macaroon = conditions.reduce((m, condition) => addFirstPartyCaveat(m, condition), minted.macaroon)
  const [keyPair] = await keyring.dischargerKeyPairs()
  const sealed = addBakeryCaveat(
    { ...minted, macaroon },
    {
      condition: 'true',
      thirdParty: { location: 'local', publicKey: agent.publicKey, version: 3 },
      firstParty: keyPair,
      random: randomId,
    },
  )
  return encodeBakeryMacaroon(sealed)
}

function keyOf(text: string): Uint8Array {
  try {
    return decodeKey(text)
  } catch (cause) {
    if (!(cause instanceof BakeryError)) throw cause
    throw invalidRequest(
      'The "public-key" cannot be used. Send a Curve25519 public key: 32 bytes in base64.',
      {
        cause,
      },
    )
  }
}
