/** The page that asks for a name and a password, for the login of a program or for the user's own account. */
import { visibleText } from '../text/visible-text.ts'
import { codeField, hidden, problem } from './form-fields.ts'
import { type Html, html } from './html.ts'
import { page } from './layout.ts'
import { CONFIRMED, type Confirmed, signIn } from './words/en/sign-in.ts'

const { confirm } = signIn

export interface SignInPage {
  /** The login that this is for; undefined if users sign in to their own account. */
  readonly login: SignInFor | undefined
  readonly csrf: string
  /** The URL of the console. The page does not show it for the login of a program or another site. */
  readonly console: string | undefined
  /** The user who is signed in to this browser, but signed in longer ago than the login allows. */
  readonly signedInAs?: string | undefined
  /** The name that the user typed before, and the reason of the refusal. */
  readonly failed?: { readonly username: string; readonly message: string }
}

export interface SignInFor {
  /** A hidden field of the form. */
  readonly did: string
  /** The party that asks: a program, the console of this service, or a web site, named by its origin. */
  readonly by: 'program' | 'console' | (string & {})
  /** The network address of the program that asks. */
  readonly clientAddress: string
  /** The service that the login is for; undefined unless it is certain. */
  readonly service: string | undefined
  /** The console form that it is for, as {@link confirmReason} expects it; undefined for a plain sign-in. */
  readonly confirms: string | undefined
}

export function signInPage({ login, csrf, console, signedInAs = '', failed }: SignInPage): string {
  const username = failed?.username || signedInAs
  // Once the name is known, the password is the next field to fill in.
  const nameTyped = username !== ''
  const isConfirming = login?.confirms !== undefined
  return page({
    title: isConfirming ? confirm.title : 'Sign in',
    console: wayBack(login, console),
    failed: failed !== undefined,
    body: html`
${login ? asked(login) : html`<p>Sign in to view and change your own account.</p>`}
${confirming(login)}
${isConfirming && signedInAs !== '' && html`<p>${confirm.signedInAs(html`<strong>${signedInAs}</strong>`)}</p>`}
${failed && html`<p class="notice bad" role="alert" id="problem">${failed.message}</p>`}
<form method="post" action="login">
${login && html`<input type="hidden" name="did" value="${login.did}">`}
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">Username or e-mail address</label>
<input type="text" id="username" name="username" value="${visibleText(username, 254)}" required
 autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254"${!nameTyped && AUTOFOCUS}${DESCRIBED(failed !== undefined)}>
<label for="password">Password</label>
<input type="password" id="password" name="password" required autocomplete="current-password" maxlength="1024"${nameTyped && AUTOFOCUS}${DESCRIBED(
      failed !== undefined,
    )}>
<div class="actions"><button class="primary" type="submit">${isConfirming ? confirm.continue : 'Sign in'}</button></div>
</form>`,
  })
}

/** The URL of the console, for its own sign-in. The login of a program or another site has no link to it. */
const wayBack = (
  login: Pick<SignInFor, 'by'> | undefined,
  console: string | undefined,
): string | undefined => (login === undefined || login.by === 'console' ? console : undefined)

const FORMS: ReadonlyMap<string, Confirmed> = new Map(Object.entries(CONFIRMED))

/**
 * Explains why users have to sign in again, and where they continue. `form`: a key of `CONFIRMED`. An unknown key,
 * perhaps from a later release, gets a general sentence.
 */
export function confirmReason(form: string | undefined): Html {
  const confirmed = form === undefined ? undefined : FORMS.get(form)
  return confirmed === undefined
    ? html`${confirm.other} ${confirm.nextOther}`
    : html`${confirm.reason(confirmed)} ${confirm.next(html`<strong>${confirmed.page}</strong>`)}`
}

/** The paragraph above each form of a repeated sign-in. */
const confirming = (login: Pick<SignInFor, 'confirms'> | undefined): Html | undefined =>
  login?.confirms === undefined ? undefined : html`<p>${confirmReason(login.confirms)}</p>`

export interface SignInLinkPage {
  readonly csrf: string
  readonly secret: string
  readonly username: string
}

/** Asks users to confirm a sign-in link, because a program may have opened it, such as an e-mail scanner. */
export const signInLinkPage = ({ csrf, secret, username }: SignInLinkPage): string =>
  page({
    title: 'Sign in with this link?',
    body: html`
<p>You will be signed in as <strong>${username}</strong>, without a password. The link works once.</p>
<form method="post" action="sign-in-link">${hidden({ csrf, secret })}
<div class="actions"><button class="primary" type="submit">Sign in</button></div>
</form>
<p class="quiet">If you did not ask for this link, close this page.</p>`,
  })

const asked = (login: SignInFor): Html | undefined =>
  login.by === 'console' && login.confirms !== undefined
    ? undefined
    : login.by === 'console'
      ? html`<p>Sign in to the console of <strong>${visibleText(login.service ?? 'this service', 160)}</strong>.</p>`
      : askedElsewhere(login)

const askedElsewhere = ({ by, clientAddress, service }: SignInFor): Html => html`
<p>${
  by === 'program'
    ? html`A program at the network address <strong>${visibleText(clientAddress, 64)}</strong>`
    : html`The web site <strong>${visibleText(by, 160)}</strong>`
} asks you to log in${
  service !== undefined && html` to <strong>${visibleText(service, 160)}</strong>`
}. You will see what it asks for before you approve anything.</p>
<p class="quiet">If you did not start a login yourself, close this page.</p>`

const AUTOFOCUS = html` autofocus`

/** Screen readers read the problem together with the field. */
const DESCRIBED = (problem: boolean) => problem && html` aria-describedby="problem"`

export interface CodePage {
  /** The login that this is for; undefined if users sign in to their own account. */
  readonly login: Pick<SignInFor, 'did' | 'by' | 'confirms'> | undefined
  readonly console: SignInPage['console']
  readonly csrf: string
  /** A hidden field of the form; see `identity/logins/sign-in.ts`. */
  readonly step: string
  /** Why the code was refused, if the form was sent before. */
  readonly failed?: string
}

export const codePage = ({ login, console, csrf, step, failed }: CodePage): string =>
  page({
    title: login?.confirms === undefined ? 'Enter a code' : signIn.confirm.title,
    failed: failed !== undefined,
    console: wayBack(login, console),
    body: html`
${confirming(login)}
<p>Your account has a second factor. Enter the six digits that your authenticator shows now.</p>
${problem(failed)}
<form method="post" action="second-factor">${hidden({ did: login?.did, csrf, step })}
${codeField({ name: 'code', label: 'Code', first: true, failed: failed !== undefined })}
<div class="actions"><button class="primary" type="submit">${login?.confirms === undefined ? 'Sign in' : signIn.confirm.continue}</button></div>
</form>
<p class="quiet">Without your authenticator, enter one of your recovery codes. Each works once. If you have none left, ask
the operator of this service.</p>`,
  })
