/** The page that asks for the code of a second factor, after the password. */
import { codeField, hidden, problem } from './form-fields.ts'
import { html } from './html.ts'
import { page } from './layout.ts'
import { confirming, type SignInFor, type SignInPage, wayBack } from './sign-in-page.ts'
import { signIn } from './words/en/sign-in.ts'

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
