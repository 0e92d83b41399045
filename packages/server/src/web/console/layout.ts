/** The frame of every console page: navigation by permissions, problems, notices. */
import type { ManagementPermission } from '@ratafia/api'
import type { Me } from '@ratafia/api/schemas'
import { visibleText } from '../../text/visible-text.ts'
import { hidden } from '../form-fields.ts'
import { type Html, type HtmlValue, html, scriptElement, styleElement } from '../html.ts'
import { words } from '../words/en.ts'
import { type Problem, problemSummary } from './form.ts'
import { SCRIPT } from './script.ts'
import { CONSOLE_STYLE } from './style.ts'

type Section = keyof typeof words.navigation

/** The content of a page. Its URLs begin with `/console/`, wherever the service is. */
export interface ConsoleContent {
  /** Plain text; also the title of the browser's tab. */
  readonly title: string
  readonly section: Section | undefined
  readonly body: Html
  /** A state or buttons next to the title. */
  readonly beside?: HtmlValue
  /** The pages above this one, from the top: URL and name. */
  readonly trail?: readonly (readonly [string, string])[]
  /** Whether the title is an id, a serial or something similar. */
  readonly isMono?: boolean
  /** Whether the page is narrow, because it has only text or a single form. */
  readonly isNarrow?: boolean
  /** Whether the form was refused; the page itself explains why. */
  readonly failed?: boolean | undefined
  /** The number of seconds after which the browser reloads the page. */
  readonly refresh?: number
}

/** The parts that the service adds. */
export interface Frame {
  /** The user; undefined if not signed in. */
  readonly me: Pick<Me, 'username' | 'permissions'> | undefined
  /** The CSRF token of the sign-out button; undefined on pages without one. */
  readonly csrf: string | undefined
  /** The name of the installation, or its host. */
  readonly service: string
  /** The path of the base URL, without a slash at its end. */
  readonly prefix: string
  /** Confirms the last action. */
  readonly notice?: string | undefined
  readonly problems?: readonly Problem[]
}

export function consolePage(content: ConsoleContent, frame: Frame): string {
  const { title, body, beside, isMono, isNarrow, failed, refresh } = content
  const { problems = [], notice, service } = frame
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}
<title>${(failed || problems.length > 0) && words.frame.error}${title} · ${service}</title>
${STYLESHEET}
</head>
<body${refresh !== undefined && html` data-refresh="${refresh}"`}>
<a class="skip" href="#main">${words.frame.skip}</a>
<header class="top"><span class="brand"><strong>Ratafia</strong> ${service}</span>
${navigation(content, frame)}</header>
<main id="main"${isNarrow && html` class="narrow"`}>
${trailOf(content)}
<div class="head"><h1${isMono && html` class="mono"`}>${title}</h1>${beside}</div>
${notice !== undefined && html`<p class="notice good" role="status">${notice}</p>`}
${problemSummary(problems)}
${body}
</main>
${SCRIPT_ELEMENT}
</body>
</html>
`
  return below(frame.prefix, document.markup)
}

/** Only our own markup matches, because quotes are escaped in foreign text. */
const below = (prefix: string, markup: string): string =>
  prefix === '' ? markup : markup.replaceAll(/ (href|action)="\/console\//g, ` $1="${prefix}/console/`)

const STYLESHEET = styleElement(CONSOLE_STYLE)
const SCRIPT_ELEMENT = scriptElement(SCRIPT)

interface Item {
  readonly section: Section
  /** One of these permissions is enough; undefined for all users. */
  readonly needs?: readonly ManagementPermission[]
}

const MINE: readonly Item[] = [
  { section: 'tokens' },
  { section: 'publishers' },
  { section: 'me' },
  { section: 'tools' },
]
const ADMINISTRATION: readonly Item[] = [
  { section: 'overview', needs: ['devices:read'] },
  { section: 'devices', needs: ['devices:read'] },
  { section: 'clones', needs: ['devices:read'] },
  { section: 'brands', needs: ['models:read'] },
  { section: 'accounts', needs: ['accounts:read'] },
  { section: 'grants', needs: ['roles:read'] },
  { section: 'all-tokens', needs: ['tokens:read'] },
  { section: 'audit', needs: ['audit:read'] },
  // Shown to all users who can start jobs.
  { section: 'jobs', needs: ['devices:read', 'tokens:revoke', 'audit:read'] },
  { section: 'status', needs: ['status:read'] },
]

function navigation({ section }: ConsoleContent, { me, csrf }: Frame): Html {
  if (!me) {
    return html`<span class="who"><a href="/console/sign-in">${words.frame.signIn}</a></span>`
  }
  const may = new Set<string>(me.permissions.map(({ permission }) => permission))
  const items = (all: readonly Item[]) =>
    all.filter(({ needs }) => needs === undefined || needs.some((one) => may.has(one)))
  const administration = items(ADMINISTRATION)
  return html`${menu(words.frame.mine, items(MINE), section)}
${administration.length > 0 && menu(words.frame.administration, administration, section)}
${
  csrf === undefined
    ? html`<span class="who quiet">${visibleText(me.username, 64)}</span>`
    : html`<form class="who quiet" method="post" action="/console/sign-out">${hidden({ csrf })}${visibleText(me.username, 64)} ·
<button class="link" type="submit">${words.frame.signOut}</button></form>`
}`
}

const menu = (label: string, items: readonly Item[], current: Section | undefined): Html => html`
<nav aria-label="${label}"><ul>${items.map(
  ({ section }) =>
    html`<li><a href="/console/${section}"${section === current && html` aria-current="page"`}>${words.navigation[section]}</a></li>`,
)}</ul></nav>`

const trailOf = ({ trail }: ConsoleContent): Html | undefined =>
  trail &&
  html`<p class="quiet">${trail.map(([address, name]) => html`<a href="${address}">${visibleText(name, 64)}</a> / `)}</p>`
