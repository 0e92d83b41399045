/** Logs in with an agent's key, as a bakery client does. The discharge comes from the identity service. */
import assert from 'node:assert/strict'
import { encodeBase64, encodeBinary, type Macaroon } from '@ratafia/macaroon'
import {
  decodeBakeryMacaroon,
  decodeKey,
  dischargeAll,
  type KeyPair,
  keyPairFromPrivateKey,
} from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import { addAgentTo } from './service.ts'

type Slice = readonly [Macaroon, ...Macaroon[]]

/** Adds an agent to an account, and returns its name and new key. */
export async function newAgent(
  service: Parameters<typeof addAgentTo>[0],
  account: Pick<Account, 'username'>,
  name: string,
  limits: object = {},
): Promise<{ readonly name: string; readonly keyPair: KeyPair }> {
  const { file } = await addAgentTo(service, account, name, { limits })
  assert.ok(file)
  return { name, keyPair: keyPairFromPrivateKey(decodeKey(file.key.private)) }
}

/**
 * Discharges the root at the identity service that its caveat names. `add` changes the discharge before it is bound.
 */
export function agentDischarge(
  root: string,
  { name, keyPair }: { readonly name: string; readonly keyPair: KeyPair },
  add: (discharged: Macaroon) => Macaroon = (discharged) => discharged,
): Promise<Slice> {
  return dischargeAll(decodeBakeryMacaroon(JSON.parse(root)), async ({ id, location }) => {
    const post = (parameters: Record<string, string>) =>
      json(`${location}/discharge`, {
        method: 'POST',
        body: new URLSearchParams({ id64: encodeBase64(id), ...parameters }),
      })
    const { Info } = await post({})
    const url = new URL(Info.InteractionMethods.agent['login-url'])
    url.searchParams.set('username', name)
    url.searchParams.set('public-key', encodeBase64(keyPair.publicKey))
    const { macaroon } = await json(url, { headers: { 'Bakery-Protocol-Version': '3' } })
    const slice = await dischargeAll(
      decodeBakeryMacaroon(macaroon),
      () => Promise.reject(new Error('an agent discharges only its own caveat')),
      { localKeyPair: keyPair },
    )
    const answer = await post({ token64: encodeBase64(encodeBinary(...slice)), 'token-kind': 'agent' })
    if (!answer.Macaroon) throw new Error(`the agent got no discharge: ${JSON.stringify(answer)}`)
    const discharged = decodeBakeryMacaroon(answer.Macaroon)
    return { ...discharged, macaroon: add(discharged.macaroon) }
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the callers use the members that an answer must have
async function json(url: string | URL, init: RequestInit): Promise<any> {
  return (await fetch(url, init)).json()
}
