/** The pages around a sign-in to the console: failures, kept forms, and the next step. */
import { visibleText } from '../../text/visible-text.ts'
import { hidden } from '../form-fields.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import { confirmReason } from '../sign-in-page.ts'
import { CONFIRMED, signIn as words } from '../words/en/sign-in.ts'
import type { ConsoleContent } from './layout.ts'

interface Notice {
  readonly title: string
  readonly kind: 'bad' | 'warn' | 'good'
  readonly text: HtmlValue
  readonly links: HtmlValue
}

const notice = ({ title, kind, text, links }: Notice): ConsoleContent => ({
  title,
  section: undefined,
  isNarrow: true,
  body: html`<div class="card"><p class="notice ${kind}" role="${kind === 'good' ? 'status' : 'alert'}">${text}</p>
<p>${links}</p></div>`,
})

const button = (href: string, text: string): Html =>
  html`<a class="button primary" href="${href}">${text}</a>`
const START = html`<a href="/console/">${words.start}</a>`

/** The page for a code or a state that does not belong to this browser. */
export const notHerePage = (): ConsoleContent =>
  notice({ ...words.notHere, kind: 'bad', links: button('/console/sign-in', words.signIn) })

/** `said`: the reason, in our words with those of the identity service; undefined if the user rejected the sign-in. */
export const refusedPage = ({
  said,
  again,
}: {
  readonly said: string | undefined
  readonly again: string
}): ConsoleContent =>
  notice({
    title: words.refused.title,
    kind: 'bad',
    text: said === undefined ? words.refused.byPerson : visibleText(said, 500),
    links: button(again, words.signInAgain),
  })

export interface AwayPage {
  readonly kind: 'away' | 'strange' | 'no-redirect'
  readonly again: string
}

export const awayPage = ({ kind, again }: AwayPage): ConsoleContent =>
  notice({
    title: words.away.title,
    kind: 'warn',
    text: kind === 'no-redirect' ? words.away.noRedirect(html`<code>ratafia login</code>`) : words.away[kind],
    links: button(again, words.away.tryAgain),
  })

export interface NotRecentPage {
  /** Whether the identity service reports when the user signed in. */
  readonly isKnown: boolean
  readonly hadForm: boolean
}

export const notRecentPage = ({ isKnown, hadForm }: NotRecentPage): ConsoleContent =>
  notice({
    title: words.notRecent.title,
    kind: 'warn',
    text: html`${isKnown ? words.notRecent.old : words.notRecent.unknown}${hadForm && html` ${words.notRecent.notSent}`}`,
    links: START,
  })

export const tooManyGrantsPage = (): ConsoleContent =>
  notice({ ...words.tooManyGrants, kind: 'bad', links: START })

/** The page before users go to the identity service to confirm what they have just entered. */
export const signInAgainPage = ({
  confirms,
  form,
  href,
}: {
  /** The form, as {@link confirmReason} expects it. */
  readonly confirms: string | undefined
  /** Whether the entered fields are kept; undefined if none were sent. */
  readonly form: 'kept' | 'dropped' | undefined
  readonly href: string
}): ConsoleContent =>
  notice({
    title: words.confirm.title,
    kind: 'warn',
    text: html`${confirmReason(confirms)} ${words.again.nothingDone} ${
      form !== undefined && (form === 'kept' ? words.again.kept : words.again.notKept)
    }`,
    links: html`${button(href, words.confirm.continue)} ${START}`,
  })

export interface GoOnPage {
  /** The path from the root of the service. */
  readonly path: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly csrf: string
}

const MOST_SHOWN = 50
/** Internal fields, which users do not need to see. */
const OURS: ReadonlySet<string> = new Set(['once', 'etag', 'if_match'])

export function goOnPage({ path, fields, csrf }: GoOnPage): ConsoleContent {
  const shown = fields.filter(([name]) => !OURS.has(name))
  const [page = ''] = path.split('?', 1)
  return {
    title: words.goOnForm.title,
    section: undefined,
    isNarrow: true,
    body: html`<div class="card"><p>${words.goOnForm.text(html`<code>${visibleText(page, 200)}</code>`)}</p>
<dl>${shown
      .slice(0, MOST_SHOWN)
      .map(
        ([name, value]) =>
          html`<dt>${visibleText(name.replaceAll('_', ' '), 64)}</dt><dd>${visibleText(value, 500)}</dd>`,
      )}</dl>
${shown.length > MOST_SHOWN && html`<p>${words.goOnForm.more(shown.length - MOST_SHOWN)}</p>`}
<p class="quiet">${words.goOnForm.secrets}</p>
<form method="post" action="${path}">${hidden({ csrf })}${fields.map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}
<div class="actions"><button class="primary" type="submit">${words.goOn}</button> ${START}</div>
</form></div>`,
  }
}

export const nothingKeptPage = (): ConsoleContent => notice({ ...words.gone, kind: 'warn', links: START })

/** `identity`: the identity service where the browser may still be signed in; undefined if it is not. */
export const signedOutPage = ({ identity }: { readonly identity: string | undefined }): ConsoleContent =>
  notice({
    title: words.signedOut.title,
    kind: 'good',
    text:
      identity === undefined
        ? words.signedOut.everywhere
        : words.signedOut.here(html`<a href="${identity}">${visibleText(identity, 160)}</a>`),
    links: button('/console/sign-in', words.signedOut.again),
  })

export const outOfDatePage = (): ConsoleContent => notice({ ...words.outOfDate, kind: 'bad', links: START })

/** The page for a sign-in that failed for a different reason. */
export const failedPage = ({
  title,
  message,
  again,
}: {
  readonly title: string
  readonly message: string
  readonly again: string
}): ConsoleContent =>
  notice({ title, kind: 'warn', text: message, links: button(again, words.away.tryAgain) })

const FORMS = Object.keys(CONFIRMED).map(
  (form) => [form, new RegExp(`^/console${form.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`)] as const,
)

/** Returns the form at this path that requires a recent sign-in; undefined for other paths. */
export const confirmedFormAt = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : FORMS.find(([, pattern]) => pattern.test(path))?.[0]
