/** A new password: by its owner, who knows the old one, or through a one-time link. */
import { hidden, ownerOf, passwordField, problem } from '../form-fields.ts'
import { html } from '../html.ts'
import { type PageContent, page } from '../layout.ts'

interface Form {
  readonly csrf: string
  /** What was wrong with the form that was sent. */
  readonly failed?: string | undefined
}

export const changePasswordPage = ({
  csrf,
  username,
  failed,
}: Form & { readonly username: string }): PageContent => ({
  title: 'Change your password',
  failed: failed !== undefined,
  body: html`
<p>This signs you out of every other browser, and ends logins that you approved and that were not used yet. Tokens that
are in use stay valid.</p>
${problem(failed)}
<form method="post" action="change-password">${hidden({ csrf })}
${ownerOf(username)}
${passwordField({ name: 'old', label: 'Your password now', autocomplete: 'current-password', first: true, failed: failed !== undefined })}
${NEW_PASSWORD}
<div class="actions"><button class="primary" type="submit">Change the password</button></div>
</form>
<p><a href="account">Back to your account</a></p>`,
})

export const resetPage = ({
  csrf,
  secret,
  username,
  failed,
  console,
}: Form & {
  readonly secret: string
  readonly username: string
  readonly console: string | undefined
}): string =>
  page({
    console,
    title: 'Set a new password',
    failed: failed !== undefined,
    body: html`
<p>For the account <strong>${username}</strong>. The link works once. You are signed out of every browser.</p>
${problem(failed)}
<form method="post" action="reset">${hidden({ csrf, secret })}
${ownerOf(username)}
${NEW_PASSWORD}
<div class="actions"><button class="primary" type="submit">Set the password</button></div>
</form>`,
  })

export const passwordSetPage = (console: string | undefined): string =>
  page({
    console,
    title: 'Your password is set',
    body: html`<p class="good" role="status"><strong>You can log in with it.</strong></p>
<p><a href="account">Sign in</a></p>`,
  })

/** Twice, because the page shows nobody what was typed. */
const NEW_PASSWORD = html`${passwordField({ name: 'password', label: 'New password', autocomplete: 'new-password' })}
<p class="quiet">At least 8 characters. A few words that do not belong together are easy to remember.</p>
${passwordField({ name: 'again', label: 'New password again', autocomplete: 'new-password' })}`
