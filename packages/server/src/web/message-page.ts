/** The pages without a form. */
import { type Html, html } from './html.ts'
import { type PageContent, page } from './layout.ts'

/** `site`: the origin of the web site that the login is for; undefined if a program waits for it. */
export const approvedPage = (site?: string): string =>
  page({
    title: 'Login approved',
    body: html`<p class="good" role="status"><strong>You are logged in.</strong></p>
${
  site === undefined
    ? html`<p>Return to your program, which continues by itself. You can close this page.</p>`
    : html`<p>Return to <a href="${site}">${site}</a>. If you are not logged in there, log in again: each login works once.</p>`
}`,
  })

export const refusedPage = (site?: string): string =>
  page({
    title: 'Login rejected',
    body: html`<p role="status">${site === undefined ? 'The program' : 'The web site'} got no access.</p>
<p>If you did not start this login, someone tried to use your account. They did not get your password.
You can close this page.</p>`,
  })

export const expiredPage = (site?: string, console?: string): string =>
  page({
    console,
    title: 'Login expired',
    body: html`<p role="alert">A login expires after half an hour. Start it again
${site === undefined ? 'where you started it' : html`at <a href="${site}">${site}</a>`}.</p>`,
  })

const DOCS = 'documentation'

/** `root`: where the docs begin. */
export const noSuchDocsPage = (root: string): string =>
  page({
    ...{ title: 'Page not found', brand: DOCS },
    body: html`<p role="alert">The documentation of this release has no such page.</p>
<p><a href="${root}">All documentation</a></p>`,
  })

export const noDocsPage = (): string =>
  page({
    ...{ title: 'No documentation', brand: DOCS },
    body: html`<p role="alert">This installation was built without the documentation.</p>
<p>In a checkout, run <code>npm run docs:site</code>, then load this page again.</p>`,
  })

export interface ThrottledPage {
  readonly retryAt: Date
  readonly seconds: number
  /** The link back to the form that was sent, or to an earlier one. */
  readonly back: { readonly href: string; readonly text: string }
}

/** Shows when to try again, and does not reveal whether the account exists. */
export const throttledPage = ({ back, retryAt, seconds }: ThrottledPage): PageContent => {
  const time = `${retryAt.toISOString().slice(11, 19)} UTC`
  return {
    title: 'Too many attempts',
    body: html`<p role="alert">Too many sign-ins with this username or from this network failed. Try again in
<strong>${seconds} ${seconds === 1 ? 'second' : 'seconds'}</strong>, at
<time datetime="${retryAt.toISOString()}">${time}</time>.</p>
<p><a href="${back.href}">${back.text}</a></p>`,
  }
}

export interface ErrorPage {
  readonly title: string
  readonly message: string | Html
  /** The login to return to; undefined if there is none, or if returning leads here again. */
  readonly did: string | undefined
  /** The console's URL, as in `PageContent`. */
  readonly console: string | undefined
}

export const errorPage = ({ title, message, did, console }: ErrorPage): string =>
  page({
    ...{ title, console },
    body: html`<p class="notice bad" role="alert">${message}</p>
${
  did === undefined
    ? console === undefined && html`<p>You can close this page.</p>`
    : html`<p><a href="login?did=${encodeURIComponent(did)}">Back to your login</a></p>`
}`,
  })
