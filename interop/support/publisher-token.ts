/** The login of a person with a password, with the library of this repository, for what is not about a client. */
import { bindDischarge, decodeBase64, decodeBinary, encodeBase64Url, encodeBinary } from '@ratafia/macaroon'

/** A token of their account. */
export async function publisherToken(
  service: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  const { macaroon } = await post<{ macaroon: string }>(`${service}/v1/tokens/usso`, {})
  const [root] = decodeBinary(decodeBase64(macaroon))
  const login = root.caveats.find(({ verificationId }) => verificationId !== undefined)
  const caveatId = Buffer.from(login?.id ?? []).toString()
  const asked = { email, password, caveat_id: caveatId }
  const answer = await post<{ discharge_macaroon: string }>(`${service}/api/v2/tokens/discharge`, asked)
  const [discharge] = decodeBinary(decodeBase64(answer.discharge_macaroon))
  const bound = encodeBase64Url(encodeBinary(bindDischarge(root, discharge)))
  const authorization = `Macaroon root=${macaroon}, discharge=${bound}`
  const exchange = `${service}/v1/tokens/usso/exchange`
  return (await post<{ macaroon: string }>(exchange, {}, { authorization })).macaroon
}

async function post<T>(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}
