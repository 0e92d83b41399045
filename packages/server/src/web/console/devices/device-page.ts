/** The device page: its identity, its activity, and the decisions that are possible now. */
import type {
  DeviceActivitySchema,
  DeviceAssertionsSchema,
  DeviceEvidenceSchema,
  DeviceRegistrationsSchema,
  DeviceSessionsSchema,
  HistorySchema,
  Me,
} from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import type { ChangeForm } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import { addressOf } from '../list.ts'
import { may } from '../may.ts'
import { table } from '../table.ts'
import { instant, relative } from '../time.ts'
import { chainName, chainsPlot } from './chains-plot.ts'
import { approveForm, canBeApproved, canBeReleased, canBeRevoked, proposal, waits } from './decision-pages.ts'
import { addressOfDevice, type Device, deviceChip, modelOf, serialOf } from './device.ts'

export interface DevicePage extends ChangeForm {
  readonly me: Me
  readonly now: Date
  readonly device: Device
  readonly activity: Static<typeof DeviceActivitySchema>
  /** Newest first. */
  readonly sessions: Static<typeof DeviceSessionsSchema>['sessions']
  /** Newest first. */
  readonly registrations: Static<typeof DeviceRegistrationsSchema>['registrations']
  /** Whether the first registration is among them. */
  readonly areAllRegistrations: boolean
  readonly assertions: Static<typeof DeviceAssertionsSchema>['assertions']
  readonly evidence: Static<typeof DeviceEvidenceSchema>['evidence']
  readonly history: Static<typeof HistorySchema>['history']
  /** How many of the sessions are in the table. */
  readonly shown: number
  /** How many sessions the table would have with older ones; undefined if there are none. */
  readonly older: number | undefined
}

const text = words.devices

export function devicePage(page: DevicePage): ConsoleContent {
  const { device } = page
  return {
    title: serialOf(device),
    section: 'devices',
    isMono: true,
    trail: [
      ['/console/devices', text.title],
      [addressOf('/console/devices', [['brand', device.brand_id]]), device.brand_id],
      [addressOf('/console/devices', [['model', `${device.brand_id}/${device.model}`]]), device.model],
    ],
    beside: html`${deviceChip(device)}${buttons(page)}`,
    body: html`${notice(page)}
<div class="cols">${identity(page)}${evidenceCard(page)}</div>
${sessionsCard(page)}
<div class="cols">${historyCard(page)}${assertionsCard(page)}</div>`,
  }
}

function buttons({ device, me }: DevicePage): Html | undefined {
  if (!may(me, 'devices:manage', device.brand_id)) return undefined
  const address = addressOfDevice(device.id)
  return html`<span class="push">${
    canBeReleased(device) && html`<a class="button" href="${address}/release">${text.release}</a> `
  }${canBeRevoked(device) && html`<a class="button danger" href="${address}/revoke">${text.revoke}</a>`}</span>`
}

function notice(page: DevicePage): Html | undefined {
  const { device, evidence, me } = page
  if (canBeReleased(device)) {
    const chains = evidence.filter(({ kind }) => kind === 'two-chains')
    const times = chains.reduce((sum, one) => sum + one.times, 0)
    return html`<p class="notice bad" role="status"><strong>${text.quarantineLead}</strong> ${text.quarantineWhat(chains.length, times)} ${text.quarantineAdvice}</p>`
  }
  if (!canBeApproved(device)) return undefined
  const title = waits(device) ? text.waitsLead : text.rejectedLead
  return html`<div class="card"><p class="notice warn" role="status"><strong>${title}</strong> ${proposal(device)}</p>
${may(me, 'devices:decide', device.brand_id) && approveForm(page)}</div>`
}

function identity(page: DevicePage): Html {
  const { device, activity, registrations, areAllRegistrations, assertions, now } = page
  const { registered_at, decided_at, decided_by, reason, original, removed_at } = device
  const newest = assertions.at(-1)
  const first = areAllRegistrations ? registrations.at(-1) : undefined
  return html`<section class="card"><h2>${text.identity}</h2><dl>
<dt>${text.model}</dt><dd>${modelOf(device)}</dd>
<dt>${text.key}</dt><dd><span class="mono">${visibleText(device.device_key_id, 80)}</span> <a href="${addressOf('/console/devices', [['key', device.device_key_id]])}">${text.sameKey}</a></dd>
<dt>${text.revision}</dt><dd>${device.revision ?? text.none}${
    newest &&
    html`, ${text.signedWith} <span class="mono">${text.shortKey(visibleText(newest.signing_key_id, 80))}</span>`
  }</dd>
<dt>${waits(device) ? text.requested : text.registered}</dt><dd>${instant(registered_at)}, ${text.origins[device.origin]}</dd>
${first && html`<dt>${waits(device) ? text.requestedFrom : text.from}</dt><dd class="mono">${visibleText(first.address, 64)}</dd>`}
${original !== null && html`<dt>${text.original}</dt><dd class="mono">${visibleText(original, 200)}</dd>`}
${
  decided_at !== null &&
  html`<dt>${text.decided}</dt><dd>${instant(decided_at)}${decided_by !== null && html` ${text.decidedBy(visibleText(decided_by, 64))}`}</dd>`
}
${reason !== null && html`<dt>${text.reason}</dt><dd>${visibleText(reason, 500)}</dd>`}
<dt>${text.lastSeen}</dt><dd>${
    activity.last_seen_at === null
      ? text.neverSeen
      : html`${relative(activity.last_seen_at, now)}, ${instant(activity.last_seen_at)}`
  }${activity.last_address !== null && html` <span class="mono">${visibleText(activity.last_address, 64)}</span>`}</dd>
${removed_at !== null && html`<dt>${text.removedAt}</dt><dd>${instant(removed_at)}</dd>`}
<dt>${text.id}</dt><dd class="mono">${device.id}</dd></dl></section>`
}

function evidenceCard({ evidence, sessions }: DevicePage): Html {
  if (evidence.length === 0) {
    return html`<section class="card"><h2>${text.evidenceTitle}</h2><p class="quiet">${text.evidenceNone}</p></section>`
  }
  const columns = text.evidenceColumns
  return html`<section class="card"><h2>${text.evidenceTitle}</h2>
${table({
  label: text.evidenceTitle,
  rows: evidence,
  columns: [
    { label: columns.kind, cell: ({ kind }) => kindOf(kind) },
    {
      label: columns.other,
      cell: ({ kind, subject }) =>
        html`<span class="mono">${kind === 'second-key' ? text.shortKey(visibleText(subject, 80)) : chainName(subject)}</span>`,
    },
    { label: columns.times, isNumber: true, cell: ({ times }) => words.number(times) },
    { label: columns.last, cell: ({ last_seen_at }) => instant(last_seen_at) },
    {
      label: columns.from,
      isOptional: true,
      cell: ({ details }) => details['address'] && visibleText(details['address'], 64),
    },
  ],
})}
${chainsPlot(sessions)}</section>`
}

/** A kind that only a newer release knows is shown unchanged. */
const kindOf = (kind: string): string =>
  (words.clones.kinds as Readonly<Record<string, string>>)[kind] ?? visibleText(kind, 40)

function sessionsCard({ device, sessions, shown, older, now }: DevicePage): Html {
  const columns = text.sessionColumns
  const some = sessions.slice(0, shown)
  return html`<section class="card"><h2>${text.sessions}</h2>${
    some.length === 0
      ? html`<p class="quiet">${text.sessionsNone}</p>`
      : table({
          label: text.sessions,
          rows: some,
          columns: [
            { label: columns.opened, cell: ({ opened_at }) => instant(opened_at) },
            { label: columns.until, cell: ({ expires_at }) => relative(expires_at, now) },
            {
              label: columns.chain,
              cell: ({ chain_id }) => html`<span class="mono">${chainName(chain_id)}</span>`,
            },
            {
              label: columns.store,
              isOptional: true,
              cell: ({ store }) => store !== null && visibleText(store, 64),
            },
            { label: columns.address, cell: ({ address }) => visibleText(address, 64) },
            {
              label: columns.program,
              isOptional: true,
              cell: ({ user_agent }) => visibleText(user_agent, 80),
            },
          ],
        })
  }${
    older !== undefined &&
    html`<p class="pager"><a href="${addressOfDevice(device.id)}?sessions=${older}">${text.older}</a></p>`
  }</section>`
}

function historyCard({ device, history, registrations, areAllRegistrations, me }: DevicePage): Html {
  return html`<section class="card"><h2>${text.history}</h2>${
    history.length === 0
      ? html`<p class="quiet">${text.historyNone}</p>`
      : html`<ol class="time">${history.map(
          ({ at, action, actor, details }) =>
            html`<li>${instant(at)} · ${text.actions[action] ?? visibleText(action, 64)} · ${visibleText(actor, 80)}${apiKeyIn(details, device)}${placeholderIn(details)}${reasonIn(details)}</li>`,
        )}</ol>`
  }${
    may(me, 'audit:read') &&
    html`<p><a href="${addressOf('/console/audit', [['subject', device.id]])}">${text.historyAll}</a></p>`
  }
<h3>${text.registrations}</h3>${
    registrations.length === 0
      ? html`<p class="quiet">${text.registrationsNone}</p>`
      : html`<details><summary>${text.registrationsSummary(registrations.length, areAllRegistrations)}</summary><ol class="time">${registrations.map(
          ({ at, address, user_agent }) =>
            html`<li>${instant(at)} · <span class="mono">${visibleText(address, 64)}</span> · ${visibleText(user_agent, 80)}</li>`,
        )}</ol></details>`
  }</section>`
}

/** Shows the API key that a device registered with. */
const apiKeyIn = (
  { 'api-key': id }: Readonly<Record<string, unknown>>,
  { brand_id: brand, model }: Device,
): Html | undefined =>
  typeof id === 'string'
    ? html` · <a href="/console/models/${encodeURIComponent(brand)}/${encodeURIComponent(model)}/api-keys">${text.apiKey}</a> <span class="mono">${visibleText(id, 64)}</span>`
    : undefined

/** Shows the placeholder that the firmware sent instead of a serial number. */
const placeholderIn = ({ 'ignored-serial': serial }: Readonly<Record<string, unknown>>): Html | undefined =>
  typeof serial === 'string' ? html` · ${text.ignoredSerial(visibleText(serial, 128))}` : undefined

const reasonIn = ({ reason }: Readonly<Record<string, unknown>>): Html | undefined =>
  typeof reason === 'string' ? html` · ${visibleText(reason, 200)}` : undefined

function assertionsCard({ assertions }: DevicePage): Html {
  return html`<section class="card"><h2>${text.assertions}</h2>${
    assertions.length === 0
      ? html`<p class="quiet">${text.assertionsNone}</p>`
      : assertions
          .toReversed()
          .map(
            ({ revision, assertion }) =>
              html`<details><summary>${text.assertion(revision)}</summary><pre class="mono scroll" tabindex="0">${shownLines(assertion)}</pre></details>`,
          )
  }</section>`
}

/** Makes invisible characters of an assertion visible, but keeps its lines. */
const shownLines = (assertion: string): string =>
  assertion
    .split('\n')
    .map((line) => visibleText(line, 400))
    .join('\n')
