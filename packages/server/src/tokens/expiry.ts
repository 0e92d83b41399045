/** When a new token ends. */
import { RequestError } from '../errors.ts'

export interface LifetimeRule {
  readonly now: Date
  /** Milliseconds: the life of a token that does not ask for one. */
  readonly standard: number
  /** Milliseconds: the longest life that may be asked for, if there is one. */
  readonly most: number | undefined
}

// ISO 8601 as clients write it: seconds and fraction may be absent, the zone may be; `+00:00` is what craft-store sends.
const UTC = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]00:?00)?$/

/** The end asked for, or the standard one. Throws {@link RequestError} `invalid-field`. */
export function tokenEnd(asked: string | undefined, { now, standard, most }: LifetimeRule): Date {
  if (asked === undefined) return new Date(now.getTime() + standard)
  const end = parseUtc(asked)
  if (end <= now) throw refusal(`is not in the future: it is ${now.toISOString()} here`)
  if (most !== undefined && end.getTime() - now.getTime() > most) {
    const latest = new Date(now.getTime() + most).toISOString()
    throw refusal(`is later than this service allows: ${latest} at most`)
  }
  return end
}

/** An instant, rounded down to milliseconds. No zone means UTC; an offset that is not zero is refused. */
function parseUtc(text: string): Date {
  const match = UTC.exec(text)
  if (!match) {
    const zoned = /[+-]\d\d:?\d\d$/.test(text)
    throw refusal(
      zoned
        ? 'is not in UTC. Write it with Z or +00:00'
        : 'is not a date and time as ISO 8601 has it, such as 2030-01-31T12:00:00Z',
    )
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const end = new Date(0)
  end.setUTCFullYear(year, month - 1, day)
  end.setUTCHours(hour, minute, second, millisecond)
  // Date moves 31 February to March: what it made of the parts has to be what was written.
  const kept =
    end.getUTCMonth() === month - 1 && end.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  if (!kept) throw refusal('is a date or time that does not exist')
  return end
}

const refusal = (why: string): RequestError =>
  new RequestError('invalid-field', `body/expires ${why}.`, { extra: { field: 'body/expires' } })
