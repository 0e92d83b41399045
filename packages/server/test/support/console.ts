/** A browser without JavaScript that is signed in to the console: a cookie jar, pages, and forms as they are sent. */
import assert from 'node:assert/strict'
import { decodeBase64, decodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { managementToken, type SignedIn } from './managers.ts'
import { sessionIdOf, type TestService } from './service.ts'

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Headers
  /** Of the page. */
  readonly text: string
  /** Where a redirect leads, from the root of the service. */
  readonly location: string | undefined
}

export interface ConsoleBrowser {
  /** By name. */
  readonly cookies: Map<string, string>
  /** `path` is from the root of the service. */
  get(path: string, headers?: Record<string, string>): Promise<ConsoleAnswer>
  /** Follows redirects. */
  open(path: string): Promise<ConsoleAnswer>
  /** Sends a form as it is in a page, with these fields besides. */
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

/** Signed in as this account, at this moment unless `how` says otherwise. */
export async function consoleOf(
  service: TestService,
  account: Account,
  how: SignedIn = {},
): Promise<ConsoleBrowser> {
  return browserOf(service, await managementToken(service, account, {}, how))
}

/** With this token in its cookie, as if the console had opened its session. */
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

/** The hidden fields of the form that is sent there. */
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

/** What a person reads on a page: its text without markup. */
export const textOf = ({ text }: Pick<ConsoleAnswer, 'text'>): string =>
  unescaped(
    text
      .replace(/<(style|script|title)>[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim()
