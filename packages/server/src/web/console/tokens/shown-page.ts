/** The page that shows a new token, once in each form that tools read (contract/administration.md, C6). */
import type { FilledForm, FormUse, LeftOutForm } from '../../../credential-forms.ts'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ConsoleContent } from '../layout.ts'
import type { Session } from '../records.ts'
import { shownOnce } from '../shown-once.ts'

const text = words.tokens.shownPage

export interface ShownTokenPage {
  readonly made: {
    readonly session: Pick<Session, 'description'>
    readonly forms: readonly FilledForm[]
    readonly leftOut: readonly LeftOutForm[]
  }
  /** The URL of the service, for the example with curl. */
  readonly baseUrl: string
  readonly replaced: { readonly name: string; readonly until: Date } | undefined
}

export function shownTokenPage({ made, baseUrl, replaced }: ShownTokenPage): ConsoleContent {
  const { session, forms, leftOut } = made
  const raw = forms.find(({ form }) => form === 'raw')
  return {
    title: visibleText(session.description ?? words.tokens.none, 80),
    section: 'tokens',
    body: html`<p class="notice warn" role="alert">${text.once}</p>
${replaced && html`<p class="notice good">${text.replaced(replaced.name, replaced.until)}</p>`}
${forms.map(formSection)}
${
  raw &&
  shownOnce({
    id: 'curl',
    title: text.curl,
    value: `curl -H 'Authorization: Macaroon ${raw.text}' ${baseUrl}/api/v2/tokens/whoami`,
  })
}
${leftOut.length > 0 && html`<section class="card"><h2>${text.leftOut}</h2>${leftOut.map(({ meaning, why }) => html`<p>${meaning}: ${why}</p>`)}</section>`}
<p><a class="button primary" href="/console/tokens">${text.done}</a></p>`,
  }
}

const formSection = ({ form, text: value, uses }: FilledForm): Html =>
  shownOnce({
    id: form,
    title: uses.map(({ tool }) => tool).join(', '),
    value,
    note: form === 'env' ? text.shell : uses.map(useOf),
  })

const useOf = ({ tool, variable }: FormUse): Html | undefined =>
  variable === undefined ? undefined : html`${text.readBy(tool, variable)}<br>`
