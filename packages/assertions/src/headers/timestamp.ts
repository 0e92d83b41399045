/**
 * Timestamps as Go reads and writes RFC 3339 (contract/devices.md 3.6): a `T`, a zone, seconds, an optional
 * fraction.
 */
import { quote } from '../text.ts'

/** The parts of the form, in order: what each must match, and its name in Go's messages. */
const PARTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01'],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15'],
  [/^:/, ':'],
  [/^\d{2}/, '04'],
  [/^:/, ':'],
  [/^\d{2}(?:\.\d+)?/, '05'],
  [/^(?:Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
]

export type ParsedTimestamp = { readonly date: Date } | { readonly fault: string }

/** The instant, fractions of a millisecond cut off; or what is wrong, in Go's words. */
export function parseTimestamp(text: string): ParsedTimestamp {
  const introduction = `parsing time ${quote(text)}`
  const found: string[] = []
  let rest = text
  for (const [pattern, name] of PARTS) {
    const [part] = pattern.exec(rest) ?? []
    if (part === undefined) {
      return {
        fault: `${introduction} as "2006-01-02T15:04:05Z07:00": cannot parse ${quote(rest)} as "${name}"`,
      }
    }
    found.push(part)
    rest = rest.slice(part.length)
  }
  if (rest !== '') return { fault: `${introduction}: extra text: ${quote(rest)}` }
  const date = instant(found)
  return date === undefined ? { fault: `${introduction}: value out of range` } : { date }
}

/** `2026-01-27T10:12:02Z`: whole seconds, UTC. Throws `TypeError` for an invalid date or one without 4 digits. */
export function formatTimestamp(date: Date): string {
  const [, text] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\./.exec(iso(date)) ?? []
  if (text === undefined) throw new TypeError('a timestamp needs a valid date of the years 0 to 9999')
  return `${text}Z`
}

/** `2026-01-27 10:12:02 +0000 UTC`, as snapd writes instants in messages. */
export function describeInstant(date: Date): string {
  return `${formatTimestamp(date).replace('T', ' ').slice(0, -1)} +0000 UTC`
}

function iso(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

function instant(parts: readonly string[]): Date | undefined {
  const [year = '', , month = '', , day = '', , hours = '', , minutes = '', , seconds = '', zone = ''] = parts
  const wall = `${year}-${month}-${day}T${hours}:${minutes}:${seconds.slice(0, 2)}`
  const date = new Date(`${wall}Z`)
  // A Date takes 24:00:00 and turns 30 February into March: what it writes must be what it read.
  if (!iso(date).startsWith(wall)) return undefined
  const milliseconds = Number(`${seconds.slice(3)}000`.slice(0, 3))
  const offset = zone === 'Z' ? 0 : offsetMinutes(zone)
  return offset === undefined ? undefined : new Date(date.getTime() + milliseconds - offset * 60_000)
}

function offsetMinutes(zone: string): number | undefined {
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
