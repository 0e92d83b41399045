/** The codes in errors of the two drivers. */

/** Returns the primary result code of an error of `node:sqlite`; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  const extended = sqliteExtendedCode(error)
  // The low byte is the primary code; the rest gives details.
  return extended === undefined ? undefined : extended & 0xff
}

/** Returns the extended result code of an error of `node:sqlite`; undefined for any other error. */
export function sqliteExtendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** Returns the SQLSTATE of an error that the PostgreSQL server reported; undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^[0-9A-Z]{5}$/.test(error.code) && !error.code.startsWith('E') ? error.code : undefined
}
