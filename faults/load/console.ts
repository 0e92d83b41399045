/** Requests of a user of the console, who opens a page and sends its form. */
import { type Client, move, send, watch } from './client.ts'
import { logIn, MANAGEMENT, subjectsOf, type Token } from './log-in.ts'
import type { Request } from './wire.ts'

const COOKIE = 'ratafia-console'

/** Revokes a session of the management API with a form, from itself or from another session of the same person. */
export async function endInConsole(client: Client): Promise<void> {
  const { random, people, eras, wire, consoles } = client
  const [person] = people
  if (!person) return
  if (consoles.length < 2) {
    const made = await eras.during(person, (era) => logIn(person, wire, random, era, MANAGEMENT))
    if (made) consoles.push(made)
  }
  const ended = random.pick(consoles)
  const by = random.pick(consoles)
  if (!ended || !by) return
  const shown = await send(client, page(by, ended))
  if (shown.status === 401 || shown.location !== undefined) move(by, consoles, client.endedConsoles)
  if (shown.status !== 200) return
  const { status } = await send(client, revoking(by, ended, shown.body))
  if (status !== 200 && status !== 0 && status !== 503) return
  move(ended, consoles, client.endedConsoles)
  watch(client, mine(ended))
}

const path = ({ session }: Token): string => `/console/tokens/${session}/revoke`

const cookieOf = ({ headers }: Token): string => {
  const [, token = ''] = /^Macaroon (.+)$/.exec(headers['authorization'] ?? '') ?? []
  return `${COOKIE}=${token}`
}

const page = (by: Token, ended: Token): Request => ({
  ...{ kind: 'console-page', method: 'GET', path: path(ended) },
  headers: { accept: 'text/html', cookie: cookieOf(by) },
  uses: subjectsOf(by),
})

/** Returns the request that sends the page's form, with its hidden fields. */
function revoking(by: Token, ended: Token, shown: string): Request {
  const [, form = ''] = shown.split(`action="${path(ended)}"`)
  const fields = [
    ...(form.split('</form>')[0] ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g),
  ]
  return {
    ...{ kind: 'console-form', method: 'POST', path: path(ended) },
    headers: {
      ...{ accept: 'text/html', cookie: cookieOf(by) },
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(
      fields.map(([, name = '', value = '']): [string, string] => [name, value]),
    ).toString(),
    ...{ uses: subjectsOf(by), ends: `session ${ended.session}` },
    isDone: (location) => /\/console\/(tokens)?$/.test(location.split('?')[0] ?? ''),
  }
}

/** Returns a request for the account of a management token. */
export const mine = (token: Token, final = false): Request => ({
  ...{ kind: 'whoami', method: 'GET', path: '/api/management/v1/me', headers: token.headers },
  ...{ uses: subjectsOf(token), mustHold: token.lasts, final },
})
