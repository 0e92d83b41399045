/** The pages that sign out the user's browsers, and add and remove the user's agents. */
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { actions, type FormState, postForm, submit, textField } from '../form.ts'
import type { ConsoleContent } from '../layout.ts'
import type { Agent } from '../records.ts'
import { shownOnce } from '../shown-once.ts'
import { type Browser, browserName } from './me-page.ts'

const text = words.me
const TRAIL = [['/console/me', text.title]] as const
const CANCEL = html`<a href="/console/me">${words.form.cancel}</a>`

interface Confirmation {
  readonly title: string
  readonly action: string
  readonly body: Html
  readonly does: string
}

const confirmation = (form: FormState, { title, action, body, does }: Confirmation): ConsoleContent => ({
  title,
  section: 'me',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action, class: 'card' },
    html`${body}${actions(submit({ label: does, isDanger: true }), CANCEL)}`,
  ),
})

export const endBrowserPage = (form: FormState, browser: Browser): ConsoleContent =>
  confirmation(form, {
    title: text.browsers.endTitle,
    action: `/console/me/browsers/${encodeURIComponent(browser.id)}/end`,
    body: html`<p><strong>${browserName(browser)}</strong></p><p>${text.browsers.endWhat} ${browser.current && text.browsers.endCurrent}</p>`,
    does: text.browsers.endDo,
  })

export const endOthersPage = (form: FormState): ConsoleContent =>
  confirmation(form, {
    title: text.browsers.othersTitle,
    action: '/console/me/browsers/end',
    body: html`<p>${text.browsers.othersWhat}</p>`,
    does: text.browsers.othersDo,
  })

export const removeAgentPage = (form: FormState, name: string): ConsoleContent =>
  confirmation(form, {
    title: text.agents.removeTitle(visibleText(name, 64)),
    action: `/console/me/agents/${encodeURIComponent(name)}/remove`,
    body: html`<p>${text.agents.removeWhat}</p>`,
    does: text.agents.removeDo,
  })

export const newAgentPage = (form: FormState): ConsoleContent => ({
  title: text.agents.newTitle,
  section: 'me',
  isNarrow: true,
  trail: TRAIL,
  body: postForm(
    form,
    { action: '/console/me/agents/new', class: 'card' },
    html`<p>${text.agents.newWhat}</p>
${textField(form, { name: 'name', label: text.agents.name, hint: text.agents.nameHint, required: true, isMono: true, maxlength: 64 })}
<p>${text.agents.limits}</p>
${textField(form, { name: 'permission', label: text.agents.permissions, hint: text.agents.itemsHint })}
${textField(form, { name: 'package', label: text.agents.packages, hint: text.agents.itemsHint })}
${textField(form, { name: 'channel', label: text.agents.channels, hint: text.agents.itemsHint })}
${textField(form, { name: 'store', label: text.agents.stores, hint: text.agents.itemsHint })}
${textField(form, { name: 'hours', label: text.agents.hours, hint: text.agents.hoursHint, size: 8 })}
${actions(submit({ label: text.agents.addDo }), CANCEL)}`,
  ),
})

export interface ShownAgentPage {
  readonly agent: Pick<Agent, 'name'>
  /** The contents of a file for the agent's clients, with the private key. */
  readonly file: object
}

export const shownAgentPage = ({ agent, file }: ShownAgentPage): ConsoleContent => ({
  title: text.agents.shownTitle(visibleText(agent.name, 64)),
  section: 'me',
  body: html`<p class="notice warn" role="alert">${text.agents.shown}</p>
${shownOnce({
  id: 'agent',
  title: text.agents.file,
  value: JSON.stringify(file, undefined, 2),
  note: text.agents.fileNote,
})}
<p><a class="button primary" href="/console/me">${text.agents.done}</a></p>`,
})
