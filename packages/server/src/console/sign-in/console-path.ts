/** Where a browser goes after it signed in: back to the console, to the address of one of its pages, and nowhere else. */

export const CONSOLE_START = '/console/'

/** Where the identity service sends browsers back to. */
export const returnUrl = (baseUrl: string): string => `${baseUrl}/console/signed-in`

const MOST = 2_048
/** Pages that would begin or end a sign-in again. */
const NOT_FOR_RETURNING = /^\/console\/(sign-in|signed-in|sign-out|go-on)([/?]|$)/

/**
 * From the root of the service, with its query. Undefined for anything else: no other host or scheme can be spelled in a
 * path that a browser would not read differently (`//`, a backslash, `..`).
 */
export function consolePath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MOST || !/^\/console\/[!-~]*$/.test(text)) return undefined
  const [path = ''] = text.split('?', 1)
  if (/\/\/|[\\#]/.test(path) || text.includes('#') || NOT_FOR_RETURNING.test(text)) return undefined
  const base = 'http://console.invalid'
  return URL.canParse(text, base) && new URL(text, base).href === `${base}${text}` ? text : undefined
}
