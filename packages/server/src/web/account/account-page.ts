/** The user's own account page: personal data, password, second factor. */
import { visibleText } from '../../text/visible-text.ts'
import { hidden } from '../form-fields.ts'
import { type Html, html } from '../html.ts'
import type { PageContent } from '../layout.ts'

export interface AccountPage {
  readonly csrf: string
  readonly account: { readonly username: string; readonly name: string; readonly email: string }
  /** Whether the user has just changed the password. */
  readonly passwordChanged: boolean
  /** The second factor; undefined if the account has none. */
  readonly secondFactor: { readonly since: Date; readonly recoveryCodesLeft: number } | undefined
}

export const accountPage = ({ csrf, account, passwordChanged, secondFactor }: AccountPage): PageContent => ({
  title: 'Your account',
  body: html`
${passwordChanged && html`<p class="good" role="status"><strong>Password changed.</strong> Every other browser was signed out.</p>`}
<dl>
<dt>Username</dt><dd>${account.username}</dd>
<dt>Name</dt><dd>${visibleText(account.name, 128)}</dd>
${account.email !== '' && html`<dt>E-mail address</dt><dd>${visibleText(account.email, 254)}</dd>`}
</dl>
<h2>Password</h2>
<p><a href="change-password">Change your password</a></p>
<h2>Second factor</h2>
${secondFactor ? withFactor(secondFactor) : WITHOUT_FACTOR}
<form method="post" action="logout">${hidden({ csrf })}
<div class="actions"><button class="secondary" type="submit">Sign out</button></div>
</form>`,
})

const WITHOUT_FACTOR = html`
<p>Your password alone is enough to log in. With a second factor, you also enter a code from an authenticator on your
phone.</p>
<p><a href="enrol">Set up a second factor</a></p>`

const withFactor = ({ since, recoveryCodesLeft }: { since: Date; recoveryCodesLeft: number }): Html => html`
<p>You enter a code from your authenticator when you log in, since
<time datetime="${since.toISOString()}">${since.toISOString().slice(0, 10)}</time>. ${recoveryCodesLeft} of your recovery
codes ${recoveryCodesLeft === 1 ? 'is' : 'are'} left.</p>
<p><a href="manage-second-factor">Create new recovery codes, or disable the second factor</a></p>`
