/** The pages for decisions about one device: approve, reject, release, revoke. */
import { hidden } from '../../form-fields.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type ChangeForm, postForm, submit, textField, typedField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import {
  addressOfDevice,
  type Device,
  deviceChip,
  isNow,
  isQuarantined,
  modelOf,
  nameOf,
  serialOf,
  typedNameOf,
} from './device.ts'

const text = words.devices

export interface DecisionPage extends ChangeForm {
  readonly device: Device
}

export const waits = ({ status, removed_at }: Device): boolean => status === 'pending' && removed_at === null

/** A rejected device can still be approved. */
export const canBeApproved = ({ status, removed_at }: Device): boolean =>
  (status === 'pending' || status === 'rejected') && removed_at === null

export const canBeReleased = (device: Device): boolean => isQuarantined(device) && device.removed_at === null
export const canBeRevoked = ({ status, removed_at }: Device): boolean =>
  status === 'active' && removed_at === null

/** The form that approves a device, which is also on the device's page. */
export const approveForm = ({ form, device, etag }: DecisionPage): Html =>
  postForm(
    form,
    { action: `${addressOfDevice(device.id)}/approve` },
    html`${hidden({ seen: etag })}
${textField(form, {
  name: 'serial',
  label: device.serial === null ? text.approveLabelWithout : text.approveLabel,
  hint: text.approveHint,
  size: 24,
  maxlength: 128,
  isMono: true,
})}
${actions(
  submit({ label: text.approve }),
  waits(device) && html`<a class="button" href="${addressOfDevice(device.id)}/reject">${text.reject}</a>`,
)}`,
  )

export const approvePage = (page: DecisionPage): ConsoleContent =>
  decisionPage(page, {
    title: text.approveTitle(nameOf(page.device)),
    isPossible: canBeApproved(page.device),
    body: html`<div class="card"><p>${proposal(page.device)}</p>${approveForm(page)}</div>`,
  })

export const proposal = (device: Device): string =>
  device.serial === null ? text.waitsWithout : text.waitsProposed(serialOf(device))

export const rejectPage = (page: DecisionPage): ConsoleContent =>
  decisionPage(page, {
    title: text.rejectTitle(nameOf(page.device)),
    isPossible: waits(page.device),
    body: sent(
      page,
      'reject',
      html`<p>${text.rejectWhat}</p>
${textField(page.form, { name: 'reason', label: text.rejectLabel, hint: text.rejectHint, required: true, maxlength: 200 })}`,
      submit({ label: text.rejectDo }),
    ),
  })

export const releasePage = (page: DecisionPage): ConsoleContent =>
  decisionPage(page, {
    title: text.releaseTitle(nameOf(page.device)),
    isPossible: canBeReleased(page.device),
    body: sent(page, 'release', html`<p>${text.releaseWhat}</p>`, submit({ label: text.releaseDo })),
  })

interface RevokePage extends DecisionPage {
  /** The number of active sessions, as far as they were counted. */
  readonly alive: { readonly count: number; readonly more: boolean }
}

export const revokePage = ({ alive, ...page }: RevokePage): ConsoleContent =>
  decisionPage(page, {
    title: text.revokeTitle(nameOf(page.device)),
    isPossible: canBeRevoked(page.device),
    body: sent(
      page,
      'revoke',
      html`<p class="notice bad">${text.revokeWhat(text.revokeSessions(alive.count, alive.more))}</p>
${textField(page.form, { name: 'reason', label: text.revokeReason, hint: text.revokeReasonHint, maxlength: 200 })}
${typedField(page.form, typedNameOf(page.device))}`,
      submit({ label: text.revokeDo, isDanger: true }),
    ),
  })

const sent = ({ form, device, etag }: DecisionPage, verb: string, body: Html, button: Html): Html =>
  postForm(
    form,
    { action: `${addressOfDevice(device.id)}/${verb}`, class: 'card' },
    html`${hidden({ seen: etag })}
${body}
${actions(button, html`<a href="${addressOfDevice(device.id)}">${words.form.cancel}</a>`)}`,
  )

function decisionPage(
  { device }: DecisionPage,
  { title, isPossible, body }: { readonly title: string; readonly isPossible: boolean; readonly body: Html },
): ConsoleContent {
  return {
    title,
    section: 'devices',
    isNarrow: true,
    beside: deviceChip(device),
    trail: [
      ['/console/devices', text.title],
      [addressOfDevice(device.id), nameOf(device)],
    ],
    body: html`<p class="quiet">${modelOf(device)} · <span class="mono">${device.id}</span></p>
${
  isPossible
    ? body
    : html`<div class="card"><p class="notice warn" role="status">${text.notPossible(isNow(device))}</p>
<p><a href="${addressOfDevice(device.id)}">${text.toDevice}</a></p></div>`
}`,
  }
}
