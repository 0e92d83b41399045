/** A browser without JavaScript that is signed in to the console. It keeps cookies, opens pages and submits forms. */
import assert from 'node:assert/strict'
import { decodeBase64, decodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { managementToken, type SignedIn } from './managers.ts'
import { sessionIdOf, type TestService } from './service.ts'

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Headers
  /** The page. */
  readonly text: string
  /** The target of a redirect, as a path from the root of the service. */
  readonly location: string | undefined
}

export interface ConsoleBrowser {
  /** The values of the cookies, by name. */
  readonly cookies: Map<string, string>
  /** Requests a path, which starts at the root of the service. */
  get(path: string, headers?: Record<string, string>): Promise<ConsoleAnswer>
  /** Requests a path and follows redirects. */
  open(path: string): Promise<ConsoleAnswer>
  /** Submits a form of a page, with these fields in addition to its hidden ones. */
  submit(
    page: ConsoleAnswer,
    action: string,
    fields?: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<ConsoleAnswer>
  post(
    path: string,
    body: URLSearchParams | FormData,
    headers?: Record<string, string>,
  ): Promise<ConsoleAnswer>
}

/** Returns a browser that is signed in as this account, now unless `how` has a different time. */
export async function consoleOf(
  service: TestService,
  account: Account,
  how: SignedIn = {},
): Promise<ConsoleBrowser> {
  return browserOf(service, await managementToken(service, account, {}, how))
}

/** Returns a browser with this token in its cookie, and marks the token's session as opened in the console. */
export async function browserOf(service: TestService, token: string): Promise<ConsoleBrowser> {
  const [macaroon] = decodeBinary(decodeBase64(token))
  assert.ok(macaroon)
  await service.installation.database.query
    .updateTable('token_session')
    .set({ opened_in: 'console' })
    .where('session_id', '=', sessionIdOf(macaroon))
    .execute()
  return browserWith(service, new Map([['ratafia-console', token]]))
}

export function browserWith(
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  cookies: Map<string, string> = new Map(),
): ConsoleBrowser {
  const send = async (path: string, init: RequestInit): Promise<ConsoleAnswer> => {
    const headers = new Headers(init.headers)
    headers.set('accept', 'text/html')
    if (cookies.size > 0) headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie)
    const location = response.headers.get('location')
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : location.replace(baseUrl, ''),
    }
  }
  const get: ConsoleBrowser['get'] = (path, headers = {}) => send(path, { headers })
  const post: ConsoleBrowser['post'] = (path, body, headers = {}) =>
    send(path, { method: 'POST', body, headers })
  return {
    cookies,
    get,
    post,
    async open(path) {
      let answer = await get(path)
      for (let hops = 0; answer.location !== undefined && hops < 10; hops++)
        answer = await get(answer.location)
      return answer
    },
    submit: (page, action, fields = {}) => {
      const body = new URLSearchParams(hiddenIn(page.text, action))
      for (const [name, value] of Object.entries(fields)) {
        body.delete(name)
        for (const one of [value].flat()) body.append(name, one)
      }
      return post(action, body)
    },
  }
}

function keep(cookies: Map<string, string>, text: string): void {
  const [pair = '', ...attributes] = text.split(';')
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  const isOver = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
  if (isOver || value === '') cookies.delete(name)
  else cookies.set(name, value)
}

/** The hidden fields of the form with this action. */
function hiddenIn(page: string, action: string): [string, string][] {
  const [, form] = page.split(`action="${action.replaceAll('&', '&amp;')}"`)
  assert.ok(form, `the page has no form for ${action}`)
  const inside = form.split('</form>')[0] ?? ''
  return [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']) => [name, unescaped(value)],
  )
}

export const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Returns the text of a page without markup. */
export const textOf = ({ text }: Pick<ConsoleAnswer, 'text'>): string =>
  unescaped(
    text
      .replace(/<(style|script|title)>[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim()
