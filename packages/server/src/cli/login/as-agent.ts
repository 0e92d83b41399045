/** Logging in with an agent's key (contract/bakery.md 3.5): the agents file that `ratafia agents add` writes. */
import { encodeBase64, encodeBinary } from '@ratafia/macaroon'
import {
  BakeryError,
  decodeBakeryMacaroon,
  decodeKey,
  dischargeAll,
  type KeyPair,
  keyPairFromPrivateKey,
} from '@ratafia/macaroon/bakery'
import { isObject, objectDocumentIn } from '../../foreign-json.ts'
import { urlFault } from '../../text/url-fault.ts'
import { FileError, ServiceRefusal } from '../context.ts'
import { readNamed, textOfFile } from '../files.ts'
import { askFor, placeOf, strangeAnswer } from './ask.ts'
import { type LogIn, readable } from './discharge.ts'

interface AgentsFile {
  readonly path: string
  readonly keyPair: KeyPair
  readonly agents: readonly { readonly url: string; readonly username: string }[]
}

/** Reads the file immediately and returns the login. `variable`: the one that names the file. Throws `FileError`. */
export async function asAgent(path: string, variable?: string): Promise<LogIn> {
  const file = await readAgentsFile(path, variable)
  return async (offers, location) => {
    const username = agentFor(location, file)
    const { 'login-url': loginUrl } = offers['agent'] ?? {}
    if (typeof loginUrl !== 'string' || !URL.canParse(loginUrl)) {
      throw new ServiceRefusal(
        `${placeOf(location)} does not offer logins with an agent's key. Log in without --agent.`,
      )
    }
    return { kind: 'agent', parameter: 'token64', value: await agentToken(loginUrl, username, file) }
  }
}

/** Gets the macaroon that only the agent's key discharges, and discharges it. */
async function agentToken(
  loginUrl: string,
  username: string,
  { path, keyPair }: AgentsFile,
): Promise<string> {
  const url = new URL(loginUrl)
  url.searchParams.set('username', username)
  url.searchParams.set('public-key', encodeBase64(keyPair.publicKey))
  const { macaroon } = await askFor(url.href, { headers: { 'bakery-protocol-version': '3' } })
  const login = readable(url.href, () => decodeBakeryMacaroon(macaroon))
  const elsewhere = () => {
    throw strangeAnswer(url.href, 'a login for an agent that needs more than its key')
  }
  const slice = await dischargeAll(login, elsewhere, { localKeyPair: keyPair }).catch((error: unknown) => {
    if (!(error instanceof BakeryError)) throw error
    throw new ServiceRefusal(`The key in ${path} is not the key of the agent ${username}.`, {
      cause: error,
    })
  })
  return encodeBase64(encodeBinary(...slice))
}

/** Returns the agent for the identity service; a key is used only for the service that the file names with it. */
function agentFor(location: string, { path, agents }: AgentsFile): string {
  const found = agents.find(({ url }) => url === plain(location))
  if (found) return found.username
  const known = agents.map(({ url }) => url).join(', ')
  throw new FileError(
    `${path} has no agent for the identity service ${plain(location)}${known === '' ? '' : `, only for ${known}`}. ` +
      `Add one with \`ratafia agents add NAME --account USERNAME --url ${plain(location)}\`.`,
  )
}

async function readAgentsFile(path: string, variable: string | undefined): Promise<AgentsFile> {
  const text = textOfFile(await readNamed(path, variable))
  const notOne = (what: string) =>
    new FileError(`${path} is not an agents file: ${what}. Create one with \`ratafia agents add\`.`)
  const { key, agents } = objectDocumentIn(text) ?? {}
  if (!isObject(key) || typeof key['private'] !== 'string') throw notOne('it has no private key')
  if (!Array.isArray(agents)) throw notOne('it has no list of agents')
  const keyPair = keyPairIn(key['private'])
  if (!keyPair) throw notOne('its private key is not 32 bytes in base64')
  return {
    ...{ path, keyPair },
    agents: agents.map((agent: unknown) => {
      const { url, username } = isObject(agent) ? agent : {}
      if (typeof url !== 'string') throw notOne('an agent has no address')
      if (!URL.canParse(url)) throw notOne(`the address of an agent ${urlFault(url) ?? 'is not a URL'}`)
      if (typeof username !== 'string' || username === '') throw notOne('an agent has no name')
      return { url: plain(url), username }
    }),
  }
}

function keyPairIn(text: string): KeyPair | undefined {
  try {
    return keyPairFromPrivateKey(decodeKey(text))
  } catch (error) {
    if (!(error instanceof BakeryError)) throw error
    return undefined
  }
}

/** Removes trailing slashes: `https://id.example.org/` and `https://id.example.org` are the same service. */
const plain = (url: string): string => new URL(url).href.replace(/\/+$/, '')
