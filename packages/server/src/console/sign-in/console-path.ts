/** The path that a browser returns to after a sign-in. It is always a console page. */

export const CONSOLE_START = '/console/'

/** The URL that the identity service sends browsers back to. */
export const returnUrl = (baseUrl: string): string => `${baseUrl}/console/signed-in`

const MOST = 2_048
/** Pages that would begin another sign-in, or sign out. */
const NOT_FOR_RETURNING = /^\/console\/(sign-in|signed-in|sign-out|go-on)([/?]|$)/

/**
 * Returns a console path from the root of the service, with its query. Returns undefined for anything else, and for
 * each path that browsers could read as another host, scheme or path (`//`, a backslash, `..`).
 */
export function consolePath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MOST || !/^\/console\/[!-~]*$/.test(text)) return undefined
  const [path = ''] = text.split('?', 1)
  if (/\/\/|[\\#]/.test(path) || text.includes('#') || NOT_FOR_RETURNING.test(text)) return undefined
  const base = 'http://console.invalid'
  return URL.canParse(text, base) && new URL(text, base).href === `${base}${text}` ? text : undefined
}
