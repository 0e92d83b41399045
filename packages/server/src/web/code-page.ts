/** Asks for the code of a second factor, after the password. */
import { codeField, hidden, problem } from './form-fields.ts'
import { html } from './html.ts'
import { page } from './layout.ts'

export interface CodePage {
  /** The login this is for; absent for one's own account. */
  readonly did: string | undefined
  readonly csrf: string
  /** Travels in the form; see `identity/logins/sign-in.ts`. */
  readonly step: string
  /** What was wrong with the code that was sent. */
  readonly failed?: string
}

export const codePage = ({ did, csrf, step, failed }: CodePage): string =>
  page({
    title: 'Enter a code',
    failed: failed !== undefined,
    body: html`
<p>Your account has a second factor. Enter the six digits that your authenticator shows now.</p>
${problem(failed)}
<form method="post" action="second-factor">${hidden({ did, csrf, step })}
${codeField({ name: 'code', label: 'Code', first: true, failed: failed !== undefined })}
<div class="actions"><button class="primary" type="submit">Sign in</button></div>
</form>
<p class="quiet">Without your authenticator, enter one of your recovery codes. Each works once. If you have none left, ask
the operator of this store.</p>`,
  })
