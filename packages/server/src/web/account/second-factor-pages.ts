/** Getting a second factor, its recovery codes, and turning it off. */

import { correction, generate } from 'lean-qr'
import { codeField, hidden, ownerOf, passwordField, problem } from '../form-fields.ts'
import { type Html, html } from '../html.ts'
import type { PageContent } from '../layout.ts'

/** Modules of white around it (ISO/IEC 18004). */
const QUIET = 4

/** `title` is what a screen reader says. */
function qrCode(text: string, title: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const side = code.size + 2 * QUIET
  // A path of the dark modules: a square for each.
  const rows = Array.from({ length: code.size }, (_, y) =>
    Array.from({ length: code.size }, (_, x) =>
      code.get(x, y) ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '',
    ).join(''),
  )
  return html`<svg class="qr" role="img" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">
<title>${title}</title><path d="${rows.join('')}"/></svg>`
}

interface Form {
  readonly csrf: string
  /** What was wrong with the form that was sent. */
  readonly failed?: string | undefined
}

/** One that asks for a password. */
interface OwnersForm extends Form {
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
${passwordField({ name: 'password', label: 'Your password', autocomplete: 'current-password', first: true, failed: failed !== undefined })}
<div class="actions"><button class="primary" type="submit">Continue</button></div>
</form>
${BACK}`,
})

export interface EnrolmentPage extends Form {
  /** In base32. */
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
${codeField({ name: 'code', label: 'The code it shows now', first: true, failed: failed !== undefined })}
<div class="actions"><button class="primary" type="submit">Turn the second factor on</button></div>
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
    ? html`<p class="good" role="status"><strong>The second factor is on.</strong></p>`
    : html`<p role="status">The earlier recovery codes no longer work.</p>`
}
<p>With one of these you log in when you do not have your authenticator. Each works once. Keep them where you keep what
you cannot lose, and not beside your password.</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="notice warn"><strong>This page shows them once.</strong> Nobody can show them again.</p>
<p><a href="account">I have kept them: back to your account</a></p>`,
})

export const manageSecondFactorPage = ({ csrf, username, failed }: OwnersForm): PageContent => ({
  title: 'Your second factor',
  failed: failed !== undefined,
  body: html`
<p>Both take a code of your authenticator, a recovery code, or your password.</p>
${problem(failed)}
<form method="post" action="manage-second-factor">${hidden({ csrf })}
${ownerOf(username)}
${passwordField({ name: 'proof', label: 'Code or password', autocomplete: 'off', first: true, failed: failed !== undefined })}
<div class="actions">
<button class="primary" type="submit" name="do" value="new-codes">Make new recovery codes</button>
<button class="secondary" type="submit" name="do" value="disable">Turn the second factor off</button>
</div>
</form>
${BACK}`,
})

const BACK = html`<p><a href="account">Back to your account</a></p>`

/** As people read and type it. */
const inGroups = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ')
