/** Times in UTC: relative if that is what matters, with the exact time next to it (contract/administration.md, C10). */
import { type Html, html } from '../html.ts'
import { words } from '../words/en.ts'

/** Tokens and keys that expire sooner than this need attention. */
export const SOON_MS = 30 * 86_400_000

/** `3 Dec 2026 09:14 UTC`. `at` is RFC 3339. */
export const instant = (at: string): Html =>
  html`<time datetime="${at}">${words.time.instant(new Date(at))}</time>`

/** `3 Dec 2026`: the day in UTC, without the time. */
export const day = (at: string): Html =>
  html`<time datetime="${at.slice(0, 10)}">${words.time.day(new Date(at))}</time>`

/** `in 12 days`, `4 minutes ago`; the exact time is its title. No `<time>`: lists of a hundred rows have a budget. */
export const relative = (at: string, now: Date): Html =>
  html`<span title="${words.time.instant(new Date(at))}">${words.time.relative(new Date(at), now)}</span>`

/** The relative time, and the exact day under it. */
export const relativeDay = (at: string, now: Date): Html =>
  html`${relative(at, now)}<br><span class="quiet">${words.time.day(new Date(at))}</span>`

/** Shows a time, or “never” if there is none. */
export const orNever = (at: string | null, show: (at: string) => Html): Html =>
  at === null ? html`<span class="quiet">${words.time.never}</span>` : show(at)
