/** The user's own account page: personal data, password, reminders, active sessions, agents. */
import type { BrowserSchema, Me, RemindersSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { chip } from '../chip.ts'
import { type FormState, postForm, submit } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { limitChips } from '../limits.ts'
import type { Agent } from '../records.ts'
import { table } from '../table.ts'
import { day, instant, relative } from '../time.ts'

export type Browser = Static<typeof BrowserSchema>

const text = words.me

export interface MePage {
  readonly form: FormState
  readonly me: Me
  readonly reminders: Static<typeof RemindersSchema> & { readonly etag: string }
  readonly browsers: readonly Browser[]
  readonly agents: readonly Agent[]
  /** The URL where users change their password; undefined with an external identity service. */
  readonly account: string | undefined
  readonly identity: string
  readonly now: Date
}

export const mePage = (page: MePage): ConsoleContent => ({
  title: text.title,
  section: 'me',
  body: html`<div class="cols">${accountCard(page)}<div>${loginCard(page)}${remindersCard(page)}</div></div>
${browsersCard(page)}${agentsCard(page)}`,
})

const accountCard = ({ me, now }: MePage): Html => html`
<section class="card"><h2>${text.account}</h2><dl>
<dt>${text.username}</dt><dd>${visibleText(me.username, 64)}</dd>
<dt>${text.name}</dt><dd>${visibleText(me.name, 128)}</dd>
<dt>${text.email}</dt><dd>${me.email === '' ? html`<span class="quiet">${text.noEmail}</span>` : visibleText(me.email, 254)}</dd>
<dt>${text.roles}</dt><dd>${
  me.grants.length === 0
    ? html`<span class="quiet">${text.noRoles}</span>`
    : me.grants.map(
        ({ role, brand }) =>
          html`${chip(role)} <span class="quiet">${brand === null ? text.allBrands : text.forBrand(visibleText(brand, 64))}</span><br>`,
      )
}</dd>
${me.signed_in.at !== null && html`<dt>${text.signedIn}</dt><dd>${relative(me.signed_in.at, now)}</dd>`}
</dl></section>`

const loginCard = ({ account, identity }: MePage): Html => html`
<section class="card"><h2>${text.login.title}</h2>${
  account === undefined
    ? html`<p>${text.login.elsewhere} <a href="${identity}">${identity}</a></p>`
    : html`<p>${text.login.what}</p><p><a class="button small" href="${account.replace(/account$/, 'change-password')}">${text.login.password}</a>
<a class="button small" href="${account}">${text.login.factor}</a></p>`
}</section>`

const remindersCard = ({ form, reminders }: MePage): Html => html`
<section class="card"><h2>${text.reminders.title}</h2><p>${
  !reminders.reminders
    ? text.reminders.off
    : reminders.sent_by.includes('mail')
      ? text.reminders.on
      : html`${text.reminders.onWithoutMail} ${words.reminders.noMail(reminders.sent_by)}`
}</p>
${postForm(
  form,
  { action: '/console/me' },
  html`${hidden({ etag: reminders.etag, reminders: reminders.reminders ? 'off' : 'on' })}${submit({
    label: reminders.reminders ? text.reminders.switchOff : text.reminders.switchOn,
    isPlain: true,
  })}`,
)}</section>`

const browsersCard = ({ browsers, now }: MePage): Html => html`
<section class="card"><h2>${text.browsers.title}</h2>${table<Browser>({
  label: text.browsers.label,
  rows: browsers,
  columns: [
    {
      label: text.browsers.columns.browser,
      cell: (browser) =>
        html`${browserName(browser)}${browser.current && html` ${chip(text.browsers.current)}`}`,
    },
    { label: text.browsers.columns.kind, cell: ({ kind }) => text.browsers.kinds[kind] },
    {
      label: text.browsers.columns.since,
      cell: ({ since }) => html`${relative(since, now)}<br><span class="quiet">${instant(since)}</span>`,
    },
    {
      label: text.browsers.columns.address,
      cell: ({ address }) =>
        address === null ? unknown : html`<span class="mono">${visibleText(address, 64)}</span>`,
    },
    {
      label: text.browsers.columns.action,
      cell: ({ id }) =>
        html`<a class="button small" href="/console/me/browsers/${encodeURIComponent(id)}/end">${text.browsers.end}</a>`,
    },
  ],
})}${browsers.length > 1 && html`<p><a class="button" href="/console/me/browsers/end">${text.browsers.endOthers}</a></p>`}</section>`

const unknown = html`<span class="quiet">${text.browsers.unknown}</span>`

/** The name that the browser sent, or that its owner chose. */
export const browserName = ({
  description,
  user_agent,
}: Pick<Browser, 'description' | 'user_agent'>): Html =>
  description !== null
    ? html`${visibleText(description, 80)}`
    : user_agent === null
      ? unknown
      : html`${visibleText(user_agent, 120)}`

const agentsCard = ({ agents, account }: MePage): Html => html`
<section class="card"><div class="head"><h2>${text.agents.title}</h2>${
  account !== undefined &&
  html`<a class="button small push" href="/console/me/agents/new">${text.agents.add}</a>`
}</div>
<p class="quiet">${text.agents.what}</p>${
  agents.length === 0
    ? html`<p>${text.agents.none} ${text.agents.command} <code>ratafia agents add --help</code></p>`
    : table<Agent>({
        label: text.agents.label,
        rows: agents,
        columns: [
          {
            label: text.agents.columns.name,
            cell: ({ name }) => html`<strong>${visibleText(name, 64)}</strong>`,
          },
          {
            label: text.agents.columns.may,
            cell: ({ limits }) =>
              html`${limitChips(limits)}${
                limits.max_lifetime_seconds !== null &&
                html`<br><span class="quiet">${text.agents.life(Math.round(limits.max_lifetime_seconds / 3600))}</span>`
              }`,
          },
          { label: text.agents.columns.made, cell: ({ created_at }) => day(created_at) },
          {
            label: text.agents.columns.action,
            cell: ({ name }) =>
              html`<a class="button small danger" href="/console/me/agents/${encodeURIComponent(name)}/remove">${text.agents.remove}</a>`,
          },
        ],
      })
}</section>`
