/** The pages for a new password: for users who know the old one, or through a one-time link. */
import { hidden, ownerOf, passwordField, problem } from '../form-fields.ts'
import { html } from '../html.ts'
import { type PageContent, page } from '../layout.ts'

export interface AccountForm {
  readonly csrf: string
  /** Why the form was refused, if it was sent before. */
  readonly failed?: string | undefined
}

export const changePasswordPage = ({
  csrf,
  username,
  failed,
}: AccountForm & { readonly username: string }): PageContent => ({
  title: 'Change your password',
  failed: failed !== undefined,
  body: html`
<p>This signs you out of every other browser, and revokes logins that you approved and that have not been used yet. Tokens
that are in use stay valid.</p>
${problem(failed)}
<form method="post" action="change-password">${hidden({ csrf })}
${ownerOf(username)}
${passwordField({ name: 'old', label: 'Current password', autocomplete: 'current-password', first: true, failed: failed !== undefined })}
${NEW_PASSWORD}
<div class="actions"><button class="primary" type="submit">Change password</button></div>
</form>
<p><a href="account">Back to your account</a></p>`,
})

export const resetPage = ({
  csrf,
  secret,
  username,
  failed,
  console,
}: AccountForm & {
  readonly secret: string
  readonly username: string
  readonly console: string | undefined
}): string =>
  page({
    console,
    title: 'Set a new password',
    failed: failed !== undefined,
    body: html`
<p>This sets the password of the account <strong>${username}</strong>, and signs you out of every browser. The link works once.</p>
${problem(failed)}
<form method="post" action="reset">${hidden({ csrf, secret })}
${ownerOf(username)}
${NEW_PASSWORD}
<div class="actions"><button class="primary" type="submit">Set password</button></div>
</form>`,
  })

export const passwordSetPage = (console: string | undefined): string =>
  page({
    console,
    title: 'Password set',
    body: html`<p class="good" role="status"><strong>You can log in with your new password.</strong></p>
<p><a href="account">Sign in</a></p>`,
  })

/** The field appears twice, because users cannot see what they type. */
const NEW_PASSWORD = html`${passwordField({ name: 'password', label: 'New password', autocomplete: 'new-password' })}
<p class="quiet">At least 8 characters. A few words that do not belong together are easy to remember.</p>
${passwordField({ name: 'again', label: 'Repeat new password', autocomplete: 'new-password' })}`
