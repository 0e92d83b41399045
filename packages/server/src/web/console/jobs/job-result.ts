/** The result of a job that is a single step: an import with its errors, or a verification of the audit log. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { addressOf } from '../list.ts'
import { faultsOf, faultsTable } from './faults.ts'
import type { Job, JobItem } from './job-chips.ts'

const text = words.jobs

export function jobResult(job: Job, item: JobItem): Html {
  const name = text.single[item.subject] ?? visibleText(item.subject, 64)
  const told =
    job.kind === 'audit.verify'
      ? verification(item)
      : item.outcome === 'refused'
        ? refusal(item)
        : html`<p class="notice good">${job.dry_run ? text.fileTried : text.fileDone}</p>${counts(item)}`
  return html`<section class="card"><h2>${name}</h2>${told}</section>`
}

const counts = ({ result }: JobItem): Html | undefined =>
  result === null
    ? undefined
    : html`<dl>${Object.entries(result).map(
        ([name, count]) =>
          html`<dt>${visibleText(text.resultOf(name), 40)}</dt><dd>${words.number(count)}</dd>`,
      )}</dl>`

function verification(item: JobItem): Html {
  if (item.outcome === 'refused')
    return html`<p class="notice bad">${visibleText(item.message ?? '', 500)}</p>`
  const [end = '', ...why] = (item.message ?? '').split(' ')
  const brokenAt = item.result?.['broken_at']
  const verdict =
    brokenAt === undefined
      ? html`<p class="notice good" role="status">${text.verified}</p>`
      : html`<p class="notice bad" role="alert"><strong>${text.broken(brokenAt)}</strong> ${visibleText(why.join(' '), 500)}</p>`
  return html`${verdict}${counts(item)}
<h3>${text.end}</h3><pre id="end">${visibleText(end, 100)}</pre>
<p><button type="button" class="small" hidden data-copy="end" data-copied="${words.form.copied}">${text.copyEnd}</button></p>
<p class="quiet">${text.endWhat} <a href="${addressOf('/console/audit/verify', [['expect', end]])}">${text.nextVerification}</a></p>`
}

function refusal(item: JobItem): Html {
  const faults = faultsOf(item)
  return html`<p class="notice bad" role="alert">${text.fileRefused(faults.length)}</p>
${
  faults.length === 0
    ? html`<p>${visibleText(item.message ?? '', 2000)}</p>`
    : faultsTable(text.faults, faults)
}`
}
