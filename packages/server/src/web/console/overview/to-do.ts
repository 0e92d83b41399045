/** The pending work: each line links to the list that has it. */
import type { AttentionSchema, StatusSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { visibleText } from '../../../text/visible-text.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { addressOf } from '../list.ts'
import { withCommands } from '../status/status-page.ts'

export type Attention = Static<typeof AttentionSchema>
export type Finding = Static<typeof StatusSchema>['findings'][number]

const text = words.overview

interface Line {
  /** The URL of the page that has it. */
  readonly href: string
  readonly says: string
  /** The text after the link. */
  readonly rest?: HtmlValue
}

/** The number of lines of each kind; the others are only counted. */
const MOST = 5

/** These two parts have lines of their own. */
const SAID: ReadonlySet<string> = new Set(['signing_keys', 'sign_in_links'])

export function toDo(attention: Attention, findings: readonly Finding[], now: Date): Html {
  const lines: readonly Line[] = [
    ...deviceLines(attention, now),
    ...keyLines(attention, now),
    ...tokenLines(attention, now),
    ...jobLines(attention),
    ...linkLines(attention, now),
    ...setUpLines(attention, now),
    ...findings
      .filter(({ part, state }) => state === 'attention' && !SAID.has(part))
      .map(({ part, says }) => ({
        ...{ href: '/console/status', says: words.status.partOf(part) },
        rest: html`: ${withCommands(says, 400)}`,
      })),
  ]
  return html`<section class="card"><h2>${text.toDo}</h2>${
    lines.length === 0
      ? html`<p class="quiet">${text.nothing}</p>`
      : html`<ul>${lines.map(
          ({ href, says, rest }) => html`
<li><a href="${href}">${says}</a>${rest}</li>`,
        )}</ul>`
  }</section>`
}

function deviceLines({ brand, waiting, quarantined, evidence }: Attention, now: Date): readonly Line[] {
  const of: [string, string][] = brand === null ? [] : [['brand', brand]]
  const { oldest_at: oldest } = waiting
  return [
    ...(waiting.devices === 0
      ? []
      : [
          {
            href: addressOf('/console/devices', [['status', 'pending'], ['sort', 'registered'], ...of]),
            says: text.waiting(waiting),
            ...(oldest !== null && { rest: text.oldest(new Date(oldest), now) }),
          },
        ]),
    ...(quarantined.devices === 0
      ? []
      : [
          {
            href: addressOf('/console/devices', [['quarantined', 'true'], ...of]),
            says: text.quarantined(quarantined),
          },
        ]),
    ...(evidence.devices === 0
      ? []
      : [{ href: addressOf('/console/clones', of), says: text.evidence(evidence) }]),
  ]
}

const brandPage = (brand: string): string => `/console/brands/${encodeURIComponent(brand)}`

function keyLines(attention: Attention, now: Date): readonly Line[] {
  const { brands_without_key: without, signing_keys: keys, api_keys: models } = attention
  return [
    ...first(without ?? [], '/console/brands', (brand) => ({
      href: brandPage(brand),
      says: text.withoutKey(visibleText(brand, 64)),
    })),
    ...first(keys ?? [], '/console/brands', ({ brand_id: brand, ends_at: end }) => ({
      href: brandPage(brand),
      says: text.signingKey(visibleText(brand, 64), new Date(end), now),
    })),
    ...first(models ?? [], '/console/brands', ({ brand_id: brand, model, keys, first_ends_at: end }) => ({
      href: `/console/models/${encodeURIComponent(brand)}/${encodeURIComponent(model)}`,
      says: text.apiKeys(visibleText(`${brand}/${model}`, 130), keys),
      rest: text.apiKeysEnd(keys, new Date(end), now),
    })),
  ]
}

function tokenLines({ tokens }: Attention, now: Date): readonly Line[] {
  if (tokens === null || tokens.tokens === 0) return []
  const { first_ends_at: end } = tokens
  return [
    {
      href: addressOf('/console/all-tokens', [['state', 'ending']]),
      says: text.tokens(tokens.tokens, tokens.more),
      ...(end !== null && { rest: text.tokensFirst(new Date(end), now) }),
    },
  ]
}

const jobLines = ({ jobs }: Attention): readonly Line[] =>
  jobs === null || jobs === 0 ? [] : [{ href: '/console/jobs', says: text.jobs(jobs) }]

const linkLines = ({ sign_in_links: links }: Attention, now: Date): readonly Line[] => {
  const audit = addressOf('/console/audit', [['action', 'account.sign-in-link']])
  return first(links ?? [], audit, ({ username, at }) => ({
    href: audit,
    says: text.signInLink(visibleText(username, 64)),
    rest: text.signInLinkAt(new Date(at), now),
  }))
}

const setUpLines = ({ set_up: setUp }: Attention, now: Date): readonly Line[] =>
  setUp === null
    ? []
    : [
        {
          href: addressOf('/console/audit', [['action', 'installation.set-up']]),
          says: text.setUp(visibleText(setUp.username, 64)),
          rest: text.setUpAt(new Date(setUp.at), visibleText(setUp.address, 64), now),
        },
      ]

/** Returns lines for the first few, and a link to the others. */
const first = <T>(all: readonly T[], href: string, line: (one: T) => Line): readonly Line[] => [
  ...all.slice(0, MOST).map(line),
  ...(all.length > MOST ? [{ href, says: text.more(all.length - MOST) }] : []),
]
