/** The pages to set up a second factor, to show its recovery codes, and to disable it. */
import { correction, generate } from 'lean-qr'
import { codeField, hidden, ownerOf, passwordField, problem } from '../form-fields.ts'
import { type Html, html } from '../html.ts'
import type { PageContent } from '../layout.ts'
import type { AccountForm } from './password-pages.ts'

/** The width of the white border, in modules (ISO/IEC 18004). */
const QUIET = 4

/** `title`: the text that a screen reader reads. */
function qrCode(text: string, title: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const side = code.size + 2 * QUIET
  // The path has a square for each dark module.
  const rows = Array.from({ length: code.size }, (_, y) =>
    Array.from({ length: code.size }, (_, x) =>
      code.get(x, y) ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '',
    ).join(''),
  )
  return html`<svg class="qr" role="img" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">
<title>${title}</title><path d="${rows.join('')}"/></svg>`
}

/** A form that asks for the password. */
interface OwnersForm extends AccountForm {
  readonly username: string
}

export const startEnrolmentPage = ({ csrf, username, failed }: OwnersForm): PageContent => ({
  title: 'Set up a second factor',
  failed: failed !== undefined,
  body: html`
<p>You need an authenticator: a program on your phone, or a password manager, that shows a new code every 30 seconds.</p>
${problem(failed)}
<form method="post" action="enrol">${hidden({ csrf })}
${ownerOf(username)}
${passwordField({ name: 'password', label: 'Current password', autocomplete: 'current-password', first: true, failed: failed !== undefined })}
<div class="actions"><button class="primary" type="submit">Continue</button></div>
</form>
${BACK}`,
})

export interface EnrolmentPage extends AccountForm {
  /** The secret in base32. */
  readonly secret: string
  readonly uri: string
}

export const enrolmentPage = ({ csrf, secret, uri, failed }: EnrolmentPage): PageContent => ({
  title: 'Set up a second factor',
  failed: failed !== undefined,
  body: html`
<p>Scan this with your authenticator, or <a href="${uri}">open it on this device</a>.</p>
${qrCode(uri, 'QR code with the secret for your authenticator')}
<p>You can type the secret instead: <code>${inGroups(secret)}</code> (by time, 6 digits, 30 seconds)</p>
${problem(failed)}
<form method="post" action="confirm-second-factor">${hidden({ csrf })}
${codeField({ name: 'code', label: 'Current code', first: true, failed: failed !== undefined })}
<div class="actions"><button class="primary" type="submit">Enable second factor</button></div>
</form>
${BACK}`,
})

export const recoveryCodesPage = ({
  codes,
  enrolled,
}: {
  readonly codes: readonly string[]
  readonly enrolled: boolean
}): PageContent => ({
  title: 'Your recovery codes',
  body: html`
${
  enrolled
    ? html`<p class="good" role="status"><strong>Second factor enabled.</strong></p>`
    : html`<p role="status">The earlier recovery codes no longer work.</p>`
}
<p>Use one of these to log in when you do not have your authenticator. Each works once. Keep them in a safe place, and
not next to your password.</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="notice warn"><strong>This page shows them once.</strong> They cannot be shown again.</p>
<p><a href="account">I've saved them: back to your account</a></p>`,
})

export const manageSecondFactorPage = ({ csrf, username, failed }: OwnersForm): PageContent => ({
  title: 'Your second factor',
  failed: failed !== undefined,
  body: html`
<p>Both actions require a code from your authenticator, a recovery code, or your password.</p>
${problem(failed)}
<form method="post" action="manage-second-factor">${hidden({ csrf })}
${ownerOf(username)}
${passwordField({ name: 'proof', label: 'Code or password', autocomplete: 'off', first: true, failed: failed !== undefined })}
<div class="actions">
<button class="primary" type="submit" name="do" value="new-codes">Create new recovery codes</button>
<button class="secondary" type="submit" name="do" value="disable">Disable second factor</button>
</div>
</form>
${BACK}`,
})

const BACK = html`<p><a href="account">Back to your account</a></p>`

/** Splits the secret into groups of four, which are easier to read and type. */
const inGroups = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ')
