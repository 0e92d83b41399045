/** The form for a rule: first the platform, then the claims that its ID tokens must have. */
import { visibleText } from '../../../text/visible-text.ts'
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { permissionInWords } from '../../permissions.ts'
import { words } from '../../words/en.ts'
import { actions, areaField, choiceField, type FormState, postForm, submit, textField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf } from '../list.ts'
import { claimField, type RuleIssuer } from './claims.ts'

export interface NewPublisherPage {
  readonly form: FormState
  readonly issuers: readonly RuleIssuer[]
  /** The issuer that the user chose. */
  readonly issuer: RuleIssuer | undefined
  /** The project whose ids were looked up, with the name that its host returned. */
  readonly project: string | undefined
  readonly mostMinutes: number
  readonly username: string
}

const text = words.publishers

/** The permissions that a rule can grant. */
const PERMISSIONS = [
  'package_upload',
  'package_release',
  'package_push',
  'package_access',
  'package_metrics',
  'package_manage',
  'package_update',
  'package_upload_request',
  'package_register',
] as const

/** The platforms whose ids can be looked up by the URL of a project. */
const WITH_ADDRESSES: ReadonlySet<string> = new Set(['github', 'gitlab', 'forgejo'])

export const newPublisherPage = (page: NewPublisherPage): ConsoleContent => ({
  title: text.new.title,
  section: 'publishers',
  isNarrow: true,
  trail: [['/console/publishers', text.title]],
  body: page.issuers.length === 0 ? noIssuers : page.issuer ? ruleForm(page, page.issuer) : choose(page),
})

const noIssuers = html`<div class="card"><p><strong>${text.new.noIssuers}</strong> ${text.new.noIssuersWhat}</p>
<p class="quiet">${text.new.noIssuersCommand} <code>ratafia issuers add https://token.actions.githubusercontent.com --kind github</code></p></div>`

/** The platforms are links, so that choosing one needs no script. */
const choose = ({ issuers }: NewPublisherPage): Html => html`<section class="card"><h2>${text.new.whose}</h2>
<ul>${issuers.map(
  ({ url, kind }) =>
    html`
<li><a href="${addressOf('/console/publishers/new', [['issuer', url]])}">${text.kind(kind)}</a> <span class="quiet">${visibleText(url, 200)}</span></li>`,
)}</ul></section>`

function ruleForm({ form, project, mostMinutes, username }: NewPublisherPage, issuer: RuleIssuer): Html {
  const { url, kind, claims, one_of: oneOf } = issuer
  const field = ({ name, isNeeded }: RuleIssuer['claims'][number], index: number) =>
    textField(form, {
      name: claimField(index),
      label: html`<code>${name}</code>`,
      hint: text.claims[name] ?? '',
      required: isNeeded,
      maxlength: 1024,
      isMono: true,
    })
  return postForm(
    form,
    { action: '/console/publishers/new', class: 'card' },
    html`${hidden({ issuer: url })}
<p>${text.new.forJobs(text.kind(kind), username)} <a href="/console/publishers/new">${text.new.another}</a></p>
${textField(form, { name: 'name', label: text.new.name, hint: text.new.nameHint, required: true, maxlength: 64, isMono: true })}
<h2>${text.new.match}</h2><p class="quiet">${text.new.matchWhat}</p>
${WITH_ADDRESSES.has(kind) && lookUp(form, project)}
${claims.map((claim, index) => (claim.isNeeded ? field(claim, index) : undefined))}
${oneOf.length > 0 && html`<p class="quiet">${text.new.oneOf}</p>`}
${claims.map((claim, index) => (claim.isNeeded ? undefined : field(claim, index)))}
${areaField(form, { name: 'match', label: text.new.more, hint: text.new.moreHint, rows: 3, maxlength: 8192 })}
<h2>${text.gives}</h2>
${choiceField(form, {
  name: 'permissions',
  label: words.limits.may,
  isMany: true,
  chosen: ['package_upload', 'package_release'],
  choices: PERMISSIONS.map((value) => ({
    value,
    label: html`${permissionInWords(value)} <code class="quiet">${value}</code>`,
  })),
})}
${textField(form, { name: 'packages', label: words.limits.packages, hint: text.new.packagesHint, required: true })}
${textField(form, { name: 'channels', label: words.limits.channels, hint: text.new.channelsHint })}
${textField(form, { name: 'stores', label: words.limits.stores, hint: text.new.storesHint })}
${textField(form, {
  name: 'lifetime',
  label: text.lifetime,
  hint: text.new.lifetimeHint(mostMinutes),
  value: String(Math.min(15, mostMinutes)),
  type: 'number',
  required: true,
})}
${actions(submit({ label: text.new.does, does: 'make' }), html`<a href="/console/publishers">${words.form.cancel}</a>`)}`,
  )
}

/** Looks up the ids, which users do not know by heart. */
const lookUp = (form: FormState, project: string | undefined): Html => html`
${textField(form, { name: 'project', label: text.new.project, hint: text.new.projectHint, maxlength: 2000 })}
${project !== undefined && html`<p class="notice good" role="status">${text.new.found(visibleText(project, 200))}</p>`}
${actions(html`<button type="submit" name="do" value="look-up" formnovalidate>${text.new.lookUp}</button>`)}`
