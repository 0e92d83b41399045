/** A browser without JavaScript that is signed in to the console. It keeps cookies, opens pages and submits forms. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { decodeBase64, decodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../src/accounts/account.ts'
import { addManager, managementToken, type SignedIn } from './managers.ts'
import { sessionIdOf, type TestService } from './service.ts'

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Headers
  /** The page. */
  readonly text: string
  /** The target of a redirect, as a path from the root of the service. */
  readonly location: string | undefined
}

type FormFields = Readonly<Record<string, string | readonly string[]>>
type FileFields = Readonly<Record<string, string>> & { readonly file?: string }

export interface ConsoleBrowser {
  /** The values of the cookies, by name. */
  readonly cookies: Map<string, string>
  /** Requests a path, which starts at the root of the service. */
  get(path: string, headers?: Record<string, string>): Promise<ConsoleAnswer>
  /** Requests a path and follows redirects. */
  open(path: string): Promise<ConsoleAnswer>
  /** Submits a form of a page, with these fields in addition to its hidden ones. */
  submit(page: ConsoleAnswer, action: string, fields?: FormFields): Promise<ConsoleAnswer>
  /** Requests a page, and submits its form, which is sent to the same path. */
  fill(path: string, fields?: FormFields): Promise<ConsoleAnswer>
  /** Submits a form of a page with the content of a file; without one, like a browser without a chosen file. */
  upload(page: ConsoleAnswer, action: string, fields: FileFields): Promise<ConsoleAnswer>
  post(
    path: string,
    body: URLSearchParams | FormData | string,
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

/** Returns a browser that is signed in as a new account with these roles. */
export const consoleAs = async (service: TestService, ...roles: readonly string[]): Promise<ConsoleBrowser> =>
  consoleOf(service, await addManager(service, ...roles))

/** The sign-in of a person this many milliseconds ago. */
export const signedInAgo = ({ now }: TestService, milliseconds: number): SignedIn => ({
  signedIn: `browser ${new Date(now().getTime() - milliseconds).toISOString()}`,
})

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
  const submit: ConsoleBrowser['submit'] = (page, action, fields = {}) => {
    const body = new URLSearchParams(hiddenIn(page.text, action))
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name)
      for (const one of [value].flat()) body.append(name, one)
    }
    return post(action, body)
  }
  return {
    cookies,
    get,
    post,
    submit,
    fill: async (path, fields) => submit(await get(path), path, fields),
    upload: (page, action, { file = '', ...fields }) => {
      const body = new FormData()
      for (const [name, value] of Object.entries({ ...proofIn(page), ...fields })) body.set(name, value)
      body.set('file', new File([file], file === '' ? '' : 'list.csv', { type: 'text/csv' }))
      return post(action, body)
    },
    async open(path) {
      let answer = await get(path)
      for (let hops = 0; answer.location !== undefined && hops < 10; hops++)
        answer = await get(answer.location)
      return answer
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

/** Returns the fields that prove that a form belongs to the session of this page and is sent once. */
export function proofIn({ text }: Pick<ConsoleAnswer, 'text'>): Readonly<Record<'csrf' | 'once', string>> {
  const [, csrf = assert.fail('the page has no form')] = /name="csrf" value="([^"]*)"/.exec(text) ?? []
  const [, once = randomBytes(16).toString('base64url')] = /name="once" value="([^"]*)"/.exec(text) ?? []
  return { csrf, once }
}

/** Returns the rows of the page's tables. */
export const rowsOf = ({ text }: Pick<ConsoleAnswer, 'text'>): readonly string[] =>
  text.match(/<tr role="row"><td[\s\S]*?<\/tr>/g) ?? []

/** Opens the next page of a list. Fails if there is none. */
export async function nextPage(browser: ConsoleBrowser, { text }: ConsoleAnswer): Promise<ConsoleAnswer> {
  const [, next = assert.fail('the list has no next page')] = /rel="next" href="([^"]+)"/.exec(text) ?? []
  return browser.get(unescaped(next))
}

/** Text that would run a script, change the order of other text, and fill a page. */
export const HOSTILE = `<script>alert("1")</script>'\u202e${'x'.repeat(500)}`

/** Fails if {@link HOSTILE} text has an effect outside fields, which keep what users typed. */
export function assertHarmless({ text }: Pick<ConsoleAnswer, 'text'>, message?: string): void {
  assert.doesNotMatch(text, /<script>alert|"><script>/, message)
  assert.doesNotMatch(text.replaceAll(/ value="[^"]*"/g, ''), /\u202e/, message)
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
