/** Logs an agent in with the libraries of this repository, for tests that are not about a client. */
import { readFile } from 'node:fs/promises'
import { encodeBase64, encodeBinary } from '@ratafia/macaroon'
import {
  type BakeryMacaroon,
  decodeBakeryMacaroon,
  decodeKey,
  dischargeAll,
  formatMacaroonsHeader,
  type KeyPair,
  keyPairFromPrivateKey,
} from '@ratafia/macaroon/bakery'

/** Returns a token, and the header `Macaroons` that was exchanged for it. */
export async function agentToken(
  service: string,
  agentFile: string,
): Promise<{ readonly token: string; readonly macaroons: string }> {
  return logIn(
    { root: `${service}/api/v2/tokens`, exchange: `${service}/api/v2/tokens/exchange` },
    service,
    agentFile,
  )
}

/** Returns a token of the management API. */
export async function agentManagementToken(service: string, agentFile: string): Promise<string> {
  const tokens = `${service}/api/management/v1/tokens`
  return (await logIn({ root: `${tokens}/root`, exchange: `${tokens}/exchange` }, service, agentFile)).token
}

async function logIn(
  addresses: { readonly root: string; readonly exchange: string },
  service: string,
  agentFile: string,
): Promise<{ readonly token: string; readonly macaroons: string }> {
  const file = JSON.parse(await readFile(agentFile, 'utf8')) as {
    readonly key: { readonly private: string }
    readonly agents: readonly { readonly username: string }[]
  }
  const key = keyPairFromPrivateKey(decodeKey(file.key.private))
  const name = file.agents[0]?.username ?? ''
  const { macaroon: root } = await post<{ macaroon: string }>(addresses.root)
  const slice = await dischargeAll(decodeBakeryMacaroon(JSON.parse(root)), ({ id }) =>
    discharge(`${service}/identity/discharge`, encodeBase64(id), { name, key }),
  )
  const macaroons = formatMacaroonsHeader(slice)
  const exchange = await fetch(addresses.exchange, {
    method: 'POST',
    headers: { macaroons },
  })
  return { token: ((await exchange.json()) as { macaroon: string }).macaroon, macaroons }
}

interface Interactions {
  readonly Info: { readonly InteractionMethods: { readonly agent: { readonly 'login-url': string } } }
}

async function discharge(
  url: string,
  id64: string,
  { name, key }: { readonly name: string; readonly key: KeyPair },
): Promise<BakeryMacaroon> {
  const { Info } = await post<Interactions>(url, { id64 })
  const login = new URL(Info.InteractionMethods.agent['login-url'])
  login.searchParams.set('username', name)
  login.searchParams.set('public-key', encodeBase64(key.publicKey))
  const answer = await fetch(login, { headers: { 'Bakery-Protocol-Version': '3' } })
  const { macaroon } = (await answer.json()) as { macaroon: unknown }
  const refuse = () => Promise.reject(new Error("the login has a caveat other than the agent's own"))
  const proof = await dischargeAll(decodeBakeryMacaroon(macaroon), refuse, { localKeyPair: key })
  const token64 = encodeBase64(encodeBinary(...proof))
  const { Macaroon } = await post<{ Macaroon: unknown }>(url, { id64, 'token-kind': 'agent', token64 })
  return decodeBakeryMacaroon(Macaroon)
}

async function post<T>(url: string, form?: Readonly<Record<string, string>>): Promise<T> {
  const body = form ? { body: new URLSearchParams(form) } : {}
  return (await (await fetch(url, { method: 'POST', ...body })).json()) as T
}
