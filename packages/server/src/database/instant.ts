/** Returns an instant as the database stores it: whole epoch milliseconds. Throws `TypeError` for an invalid date. */
export function toInstant(date: Date): number {
  const instant = date.getTime()
  if (Number.isNaN(instant)) throw new TypeError('An invalid date cannot be stored.')
  return instant
}

/** Returns a stored instant as a date; null stays null. */
export function fromInstant(instant: number): Date
export function fromInstant(instant: number | null): Date | null
export function fromInstant(instant: number | null): Date | null {
  return instant === null ? null : new Date(instant)
}
