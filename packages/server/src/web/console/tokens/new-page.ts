/**
 * The new-token form. Its URL can fill it in, but only the user sends it (contract/administration.md, `tokens/new`).
 */
import { PERMISSIONS } from '@ratafia/api'
import type { RemindersSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import type { FilledForm, FormUse, LeftOutForm } from '../../../credential-forms.ts'
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { permissionInWords } from '../../permissions.ts'
import { words } from '../../words/en.ts'
import {
  actions,
  checkField,
  choiceField,
  type FormState,
  postForm,
  selectField,
  submit,
  textField,
} from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { type Limits, limitSentence } from '../limits.ts'
import type { Session } from '../records.ts'
import { shownOnce } from '../shown-once.ts'

const text = words.tokens.newPage

/** The fields of the form before the user types. */
interface TokenDraft {
  readonly description: string
  /** Undefined if there is no other token to start from, or its limits were not recorded. */
  readonly limits: Limits | undefined
}

export interface NewTokenPage {
  readonly form: FormState
  readonly draft: TokenDraft
  /** The token that the new one replaces. */
  readonly replaces: { readonly id: string; readonly name: string; readonly isRecorded: boolean } | undefined
  /** The limits and the expiry in the fields; undefined while a field is missing. */
  readonly asked: { readonly limits: Limits; readonly until: Date } | undefined
  /** The longest lifetime that is allowed, in milliseconds; undefined for any. */
  readonly mostLifetime: number | undefined
  readonly reminders: Static<typeof RemindersSchema>
  readonly signedInAt: Date | undefined
  readonly now: Date
}

/** The permissions that most programs need; the others are one click away. */
const COMMON = [
  'package_access',
  'package_upload',
  'package_release',
  'package_metrics',
  'package_manage',
  'package_register',
] as const
const FEW = PERMISSIONS.filter((name) => !COMMON.some((one) => one === name))

export const newTokenPage = (page: NewTokenPage): ConsoleContent => ({
  title: text.title,
  section: 'tokens',
  isNarrow: true,
  beside: html`<span class="quiet">${text.beside}</span>`,
  trail: [['/console/tokens', words.tokens.title]],
  body: html`${templates()}${postForm(page.form, { action: '/console/tokens/new', class: 'card' }, fields(page))}`,
})

/** The templates are links, so that choosing one needs no script. */
const TEMPLATES = {
  publish:
    'permissions=package_access&permissions=package_upload&permissions=package_release&channels=edge&life=90',
  read: 'permissions=package_access&permissions=package_metrics&all_packages=on&all_channels=on&life=90',
  register: 'permissions=package_access&permissions=package_register&all_packages=on&all_channels=on&life=30',
  custom: '',
} as const

const templates = (): Html =>
  html`<nav aria-label="${text.forWhat}"><ul>${Object.entries(text.templates).map(
    ([name, label]) =>
      html`<li><a href="/console/tokens/new?${TEMPLATES[name as keyof typeof TEMPLATES]}">${label}</a></li>`,
  )}</ul></nav>`

function fields(page: NewTokenPage): Html {
  const { form, draft, replaces } = page
  const { limits } = draft
  const given = limits?.permissions ?? []
  const isFewOpen = FEW.some((name) => given.includes(name) || form.fields.all('permissions').includes(name))
  const permissions = (names: readonly string[]) =>
    names.map((value) => ({
      value,
      label: html`${permissionInWords(value)} <code class="quiet">${value}</code>`,
    }))
  return html`${replaces && hidden({ from: replaces.id })}
${replaces && !replaces.isRecorded && html`<p class="notice warn">${text.likeUnknown}</p>`}
${textField(form, {
  name: 'description',
  label: text.description,
  hint: text.descriptionHint,
  value: draft.description,
  required: true,
  maxlength: 512,
})}
${choiceField(form, { name: 'permissions', label: text.may, choices: permissions(COMMON), chosen: given, isMany: true })}
<details class="field"${isFewOpen && html` open`}><summary>${text.more}</summary>
${choiceField(form, { name: 'permissions', id: 'more', label: text.more, choices: permissions(FEW), chosen: given, isMany: true })}
${checkField(form, {
  name: 'all_permissions',
  label: text.allPermissions,
  hint: text.allPermissionsHint,
  isChecked: limits?.permissions === null,
})}</details>
${textField(form, {
  name: 'packages',
  label: text.packages,
  hint: text.packagesHint,
  value: limits?.packages?.join(', '),
})}
${checkField(form, { name: 'all_packages', label: text.allPackages, isChecked: limits?.packages === null })}
${textField(form, {
  name: 'channels',
  label: text.channels,
  hint: text.channelsHint,
  value: limits?.channels?.join(', '),
})}
${checkField(form, { name: 'all_channels', label: text.allChannels, isChecked: limits?.channels === null })}
${textField(form, { name: 'stores', label: text.stores, hint: text.storesHint, value: limits?.store_ids?.join(', ') })}
${ends(page)}
${replaces && overlap(form, replaces.name)}
${inShort(page)}
${actions(
  submit({ label: text.does, does: 'make' }),
  submit({ label: text.look, does: 'look', isPlain: true }),
  html`<a href="/console/tokens">${words.form.cancel}</a>`,
)}
${page.signedInAt && html`<p class="quiet">${text.signedIn(words.time.relative(page.signedInAt, page.now))}</p>`}`
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The lifetimes to choose from, in days. */
const LIVES = [30, 90, 365] as const

/** Returns the values of `life` to choose from. */
function lives(most = Number.POSITIVE_INFINITY): readonly [string, ...string[]] {
  const [first, ...more] = LIVES.filter((days) => days * DAY_MS <= most).map(String)
  return first === undefined ? [longest(most)] : [first, ...more]
}

const longest = (most: number): string =>
  most >= DAY_MS ? String(Math.floor(most / DAY_MS)) : `${Math.floor(most / HOUR_MS)}h`

/** Returns the lifetime that the form begins with. */
export function usualLife(most: number | undefined): string {
  const choices = lives(most)
  return choices.includes('90') ? '90' : choices[0]
}

function lifeInWords(life: string, now: Date): string {
  const length = Number.parseInt(life, 10)
  if (life.endsWith('h')) return text.inHours(length)
  const at = new Date(now.getTime() + length * DAY_MS)
  return length === 365 ? text.inYear(at) : text.inDays(length, at)
}

function capInWords(most: number): string {
  const life = longest(most)
  return life.endsWith('h') ? text.capInHours(Number.parseInt(life, 10)) : text.cap(Number(life))
}

function ends({ form, mostLifetime: most, reminders, now }: NewTokenPage): Html {
  const choices = lives(most).map((value) => ({ value, label: lifeInWords(value, now) }))
  return html`${choiceField(form, {
    name: 'life',
    label: text.ends,
    choices: [...choices, { value: 'date', label: text.onDay }],
    chosen: [usualLife(most)],
    hint: html`${most !== undefined && html`${capInWords(most)} `}${remindersInWords(reminders)}`,
  })}
${textField(form, { name: 'date', type: 'date', label: text.day, hint: text.dayHint })}`
}

function remindersInWords({ reminders, email, sent_by }: NewTokenPage['reminders']): HtmlValue {
  if (!sent_by.includes('mail')) return html`${text.noReminders} ${words.reminders.noMail(sent_by)}`
  if (!reminders) return html`${text.noReminders} ${text.remindersOff}`
  if (email === null) return html`${text.noReminders} ${text.noAddress}`
  return text.reminders(email)
}

const overlap = (form: FormState, name: string): Html =>
  selectField(form, {
    name: 'overlap',
    label: text.replaces(name),
    value: '7',
    choices: Object.entries(text.overlaps).map(([value, label]) => ({ value, label })),
  })

function inShort({ asked }: NewTokenPage): Html | undefined {
  if (!asked) return undefined
  const { limits, until } = asked
  return html`<p class="notice ${limits.permissions === null ? 'bad' : 'good'}" role="status"><strong>${text.inShort}</strong> ${limitSentence(
    limits,
  )}, ${text.until(until)}${limits.permissions === null && html` <strong>${text.unlimited}</strong>`}</p>`
}

const shown = words.tokens.shownPage

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
    body: html`<p class="notice warn" role="alert">${shown.once}</p>
${replaced && html`<p class="notice good">${shown.replaced(replaced.name, replaced.until)}</p>`}
${forms.map(formSection)}
${
  raw &&
  shownOnce({
    id: 'curl',
    title: shown.curl,
    value: `curl -H 'Authorization: Macaroon ${raw.text}' ${baseUrl}/api/v2/tokens/whoami`,
  })
}
${leftOut.length > 0 && html`<section class="card"><h2>${shown.leftOut}</h2>${leftOut.map(({ meaning, why }) => html`<p>${meaning}: ${why}</p>`)}</section>`}
<p><a class="button primary" href="/console/tokens">${shown.done}</a></p>`,
  }
}

const formSection = ({ form, text: value, uses }: FilledForm): Html =>
  shownOnce({
    id: form,
    title: uses.map(({ tool }) => tool).join(', '),
    value,
    note: form === 'env' ? shown.shell : uses.map(useOf),
  })

const useOf = ({ tool, variable }: FormUse): Html | undefined =>
  variable === undefined ? undefined : html`${shown.readBy(tool, variable)}<br>`
