/** The parts of a browser that a user needs to log in: pages, redirects, forms and cookies. It runs no scripts. */

/** A form of a page, with the contents of its fields. */
interface Form {
  readonly action: URL
  readonly fields: ReadonlyMap<string, string>
  readonly hasPassword: boolean
  readonly buttons: readonly Button[]
}

interface Button {
  readonly text: string
  readonly name: string | undefined
  readonly value: string
}

export interface Page {
  readonly status: number
  readonly title: string
  /** The visible text, with white space collapsed. */
  readonly text: string
  readonly forms: readonly Form[]
}

export interface PersonBrowser {
  open(url: string): Promise<Page>
  /** Fills in fields, and presses a button of the form. */
  submit(form: Form, typed: Readonly<Record<string, string>>, button: string): Promise<Page>
}

/** Returns a browser with its own cookies. */
export function personBrowser(): PersonBrowser {
  // Cookies are kept by host, name and path, as in browsers. The port does not matter.
  const cookies = new Map<string, { host: string; path: string; name: string; value: string }>()

  async function request(url: URL, init: RequestInit): Promise<Page> {
    const cookie = [...cookies.values()]
      .filter(
        ({ host, path }) =>
          host === url.hostname && (url.pathname === path || url.pathname.startsWith(`${path}/`)),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const headers = new Headers({ ...(init.headers as Record<string, string>), 'user-agent': 'a person/1.0' })
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(line, url)
    const location = response.headers.get('location')
    if (response.status === 303 && location !== null)
      return request(new URL(location, url), { method: 'GET' })
    return readPage(response.status, await response.text(), url)
  }

  function keep(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = split(pair)
    const path = attributes.map(split).find(([key]) => key.toLowerCase() === 'path')?.[1] ?? '/'
    const gone = value === '' || attributes.some((text) => /^max-age=0$/i.test(text))
    const key = `${url.hostname} ${path} ${name}`
    if (gone) cookies.delete(key)
    else cookies.set(key, { host: url.hostname, path: path.replace(/\/$/, ''), name, value })
  }

  return {
    open: (url) => request(new URL(url), { method: 'GET' }),
    submit: ({ action, fields, buttons }, typed, text) => {
      const button = buttons.find((one) => one.text === text)
      if (!button) throw new Error(`There is no button "${text}", only ${JSON.stringify(buttons)}.`)
      const body = new URLSearchParams([...fields, ...Object.entries(typed)])
      for (const name of Object.keys(typed)) body.set(name, typed[name] ?? '')
      if (button.name !== undefined) body.set(button.name, button.value)
      return request(action, {
        method: 'POST',
        body: body.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: action.origin },
      })
    },
  }
}

function readPage(status: number, markup: string, url: URL): Page {
  return {
    status,
    title: textOf(/<title>(.*?)<\/title>/s.exec(markup)?.[1] ?? ''),
    text: textOf(/<body>(.*)<\/body>/s.exec(markup)?.[1] ?? markup),
    forms: [...markup.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, tag = '', inside = '']) => ({
      action: new URL(attribute(tag, 'action') ?? '', url),
      fields: new Map(
        inputs(inside).map((input) => [attribute(input, 'name') ?? '', attribute(input, 'value') ?? '']),
      ),
      hasPassword: inputs(inside).some((input) => attribute(input, 'type') === 'password'),
      buttons: [...inside.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)].map(
        ([, attributes = '', text = '']) => ({
          text: textOf(text),
          name: attribute(attributes, 'name'),
          value: attribute(attributes, 'value') ?? '',
        }),
      ),
    })),
  }
}

const inputs = (markup: string): string[] =>
  [...markup.matchAll(/<input\b([^>]*)>/g)].map(([, tag = '']) => tag)

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : unescaped(value)
}

const textOf = (markup: string): string =>
  unescaped(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

const unescaped = (text: string): string =>
  text
    .replace(/&#(x[0-9a-f]+|[0-9]+);/gi, (_, code: string) =>
      String.fromCodePoint(Number(code.replace(/^x/i, '0x'))),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

function split(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
}
