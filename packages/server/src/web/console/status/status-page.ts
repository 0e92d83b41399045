/** The status page of the service: the parts that need attention first, with advice. */
import type { ManagementPermission } from '@ratafia/api'
import type { Me, StatusSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { stateChip, type Tone } from '../chip.ts'
import type { ConsoleContent } from '../layout.ts'
import { may } from '../may.ts'
import { table } from '../table.ts'
import { instant } from '../time.ts'

type Status = Static<typeof StatusSchema>
type Finding = Status['findings'][number]

export interface StatusPage {
  readonly status: Status
  readonly me: Me
  readonly now: Date
}

const text = words.status

const TONES: Readonly<Record<Finding['state'], Tone>> = { attention: 'bad', unknown: 'off', ok: 'good' }
const ORDER: readonly Finding['state'][] = ['attention', 'unknown', 'ok']

/** The page about each part, and the permission that it requires. */
const PAGES: Readonly<Record<string, readonly [address: string, needs: ManagementPermission]>> = {
  bulk_jobs: ['/console/jobs', 'devices:read'],
  signing_keys: ['/console/brands', 'models:read'],
  audit_log: ['/console/audit', 'audit:read'],
  sign_in_links: ['/console/audit?action=account.sign-in-link', 'audit:read'],
  backup: ['/console/audit?action=database.backup', 'audit:read'],
}

export function statusPage({ status: { release, findings }, me, now }: StatusPage): ConsoleContent {
  const sorted = ORDER.flatMap((state) => findings.filter((finding) => finding.state === state))
  const attention = findings.filter(({ state }) => state === 'attention').length
  return {
    title: text.title,
    section: 'status',
    beside: html`<span class="quiet">${text.release(visibleText(release, 40))}</span> <a class="button small push" href="/console/packages">${text.packages}</a>`,
    body: html`${
      attention === 0
        ? html`<p class="notice good" role="status">${text.allWell}</p>`
        : html`<p class="notice bad" role="status"><strong>${text.attentionCount(attention)}</strong></p>`
    }
<div class="card">${table<Finding>({
      label: text.label,
      rows: sorted,
      columns: [
        { label: text.columns.part, cell: (finding) => partOf(finding, me) },
        { label: text.columns.state, cell: ({ state }) => stateChip(TONES[state], text.states[state]) },
        { label: text.columns.says, cell: ({ says }) => withCommands(says, 2000) },
      ],
    })}</div>
<p class="quiet">${instant(now.toISOString())}. ${text.asSeen} ${text.command} <code>ratafia status</code></p>`,
  }
}

function partOf({ part }: Finding, me: Me): Html {
  const name = html`<strong>${visibleText(text.partOf(part), 40)}</strong>`
  const [address, needs] = PAGES[part] ?? []
  return needs !== undefined && may(me, needs) ? html`<a href="${address}">${name}</a>` : name
}

/** Shows the text between backticks as a command. */
export const withCommands = (says: string, limit: number): Html[] =>
  visibleText(says, limit)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
