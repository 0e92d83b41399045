/**
 * Shows who asks for what, and asks the user for a decision. An attacker may have chosen everything that the page
 * shows about the client. So it is shortened, invisible characters are made visible, and it is marked as the client's
 * own words.
 */
import { isRole, ROLES } from '@ratafia/api'
import { visibleText } from '../text/visible-text.ts'
import type { RequestSummary, SummaryList } from '../third-party/request-summary.ts'
import { hidden } from './form-fields.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'
import { permissionInWords } from './permissions.ts'

export interface ConfirmPage {
  readonly did: string
  readonly csrf: string
  /** A hidden field of the form; see `identity/logins/confirm.ts`. */
  readonly consent: string
  readonly account: { readonly username: string; readonly name: string }
  readonly client: { readonly address: string; readonly userAgent: string }
  /** The origin of the web site that the browser returns to; undefined if a program waits for the login. */
  readonly site: string | undefined
  /** Whether the browser may be on the client's machine or in its network. */
  readonly sameNetwork: boolean
  readonly browserAddress: string
  /** Whether the page may show what the requesting service claims; `firstParty` proves which service it is. */
  readonly serviceKnown: boolean
  /** The public key of the requesting service, in base64. */
  readonly firstParty: string
  /** The permissions of the token, according to the requesting service. */
  readonly request: RequestSummary | undefined
  readonly now: Date
}

export function confirmPage(content: ConfirmPage): string {
  const { did, csrf, consent, account, site, request, now } = content
  return page({
    title: 'Approve this login?',
    body: html`
<p>You are signed in as <strong>${account.username}</strong> (${visibleText(account.name, 128)}).</p>
<form class="inline" method="post" action="logout">${hidden({ did, csrf })}
<button class="link" type="submit">Not you? Sign out</button></form>
${site === undefined && !content.sameNetwork && elsewhere(content)}
<h2>Who is asking</h2>
${site === undefined ? program(content) : html`<p>The web site <code>${visibleText(site, 160)}</code>. You return there when you have decided.</p>`}
<h2>What it asks for</h2>
${content.serviceKnown ? '' : stranger(content)}
${request ? (request.administers ? administering(request, request.administers) : requested(request)) : onlyWhoYouAre()}
${request && powerful(request, now)}
<p class="notice warn"><strong>Never approve a login that you did not start yourself, just now.</strong> Anyone
who sent you a link to this page would get everything listed above, in your name.</p>
<form method="post" action="confirm">${hidden({ did, csrf, consent })}
<div class="actions">
<button class="primary" type="submit" name="decision" value="approve">Approve login</button>
<button class="secondary" type="submit" name="decision" value="refuse">Reject login</button>
</div>
</form>`,
  })
}

const program = ({ client }: ConfirmPage): Html => html`
<dl>
<dt>A program at</dt><dd><code>${visibleText(client.address, 64)}</code></dd>
${client.userAgent !== '' && html`<dt>Calls itself</dt><dd>${visibleText(client.userAgent, 160)}</dd>`}
</dl>`

const elsewhere = ({ client, browserAddress }: ConfirmPage): Html => html`
<p class="notice bad" role="alert"><strong>The program is not where you are.</strong> It is at
<code>${visibleText(client.address, 64)}</code>, and your browser is at <code>${visibleText(browserAddress, 64)}</code>.
Approve only if you started the login on that other machine yourself.</p>`

const stranger = ({ firstParty }: ConfirmPage): Html => html`
<p class="notice warn">This identity service does not know the requesting service, so the following may be
false. The public key of that service is <code>${firstParty}</code>.</p>`

const onlyWhoYouAre = (): Html => html`
<p>Who you are. The requesting service did not describe what the login will permit.</p>`

function requested(request: RequestSummary): Html {
  const { service, permissions, channels, packages, storeIds, expires, description } = request
  return html`
<p>A token that acts as you at <strong>${visibleText(service, 160)}</strong>:</p>
<dl>
<dt>Permissions</dt><dd>${permissions ? list(permissions, permissionItem) : html`<strong>Do everything that your account can do</strong>`}</dd>
<dt>Packages</dt><dd>${packages ? list(packages, plainItem) : 'all of yours'}</dd>
<dt>Channels</dt><dd>${channels ? list(channels, plainItem) : 'all'}</dd>
<dt>Stores</dt><dd>${storeIds ? list(storeIds, plainItem) : 'all of yours'}</dd>
<dt>Expires</dt><dd>${expires ? instant(expires) : 'after the maximum lifetime'}</dd>
${description ? html`<dt>Description</dt><dd>“${visibleText(description, 128)}”</dd>` : ''}
</dl>`
}

function administering({ service, expires, description }: RequestSummary, asked: Administers): Html {
  const { roles, brands, readOnly } = asked
  return html`
<p>A token that <strong>administers ${visibleText(service, 160)}</strong> in your name:</p>
<dl>
<dt>Roles</dt><dd>${roles ? list(roles, roleItem) : 'all that you have there'}</dd>
<dt>Brands</dt><dd>${brands ? list(brands, plainItem) : 'all that your roles are for'}</dd>
<dt>Access</dt><dd>${readOnly ? 'Read only' : html`<strong>Read and change</strong>`}</dd>
<dt>Expires</dt><dd>${expires ? instant(expires) : 'after the maximum lifetime'}</dd>
${description ? html`<dt>Description</dt><dd>“${visibleText(description, 128)}”</dd>` : ''}
</dl>`
}

type Administers = NonNullable<RequestSummary['administers']>

const roleItem = (name: string): Html =>
  isRole(name) ? html`<code>${name}</code>: ${ROLES[name].meaning}` : plainItem(name)

/** Warns about a token that can do more, or lives longer, than a program usually needs. */
function powerful({ permissions, expires, administers }: RequestSummary, now: Date): Html | undefined {
  const days = expires ? Math.round((expires.getTime() - now.getTime()) / DAY_MS) : Number.POSITIVE_INFINITY
  const everything = administers
    ? administers.roles === null && !administers.readOnly && 'can do everything that your roles allow'
    : permissions === null && 'can do everything that your account can do'
  const long = days > LONG_LIVED_DAYS && (expires ? `works for ${days} days` : 'has no visible expiry')
  const what = [everything, long].filter((part) => part !== false).join(', and ')
  if (what === '') return undefined
  return html`
<p class="notice bad"><strong>This token ${what}.</strong> Anyone who gets it can use it in the same way. If the
program needs less, reject the login, and log in again with only ${administers ? 'the roles' : 'the permissions'} and the time that it needs.</p>`
}

const DAY_MS = 24 * 60 * 60_000

/** A token that is not renewed for a quarter of a year is not reviewed either. */
const LONG_LIVED_DAYS = 90

const list = ({ items, more }: SummaryList, item: (text: string) => Html): Html => html`
<ul>${items.map((text) => html`<li>${item(text)}</li>`)}${more > 0 && html`<li>and ${more} more</li>`}</ul>`

const plainItem = (text: string): Html => html`<code>${visibleText(text, 64)}</code>`

function permissionItem(name: string): Html {
  const words = permissionInWords(name)
  return words === undefined ? plainItem(name) : html`${words} ${html`<span class="quiet">(${name})</span>`}`
}

/** The time in UTC, because the page runs no script that could find out the reader's time zone. */
function instant(date: Date): Html {
  const text = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return html`<time datetime="${date.toISOString()}">${text}</time>`
}
