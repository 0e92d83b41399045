/**
 * The headers of every page. With them, a page runs only our scripts, loads nothing, cannot be framed, and is not
 * stored.
 */
import { SCRIPT_HASH } from './console/script.ts'
import { CONSOLE_STYLE_HASH } from './console/style.ts'
import { STYLE_HASH } from './style.ts'

export const PAGE_HEADERS: Readonly<Record<string, string>> = headersWith([`style-src '${STYLE_HASH}'`])

/** The headers of the front page, which contains the script of the copy buttons. */
export const FRONT_HEADERS: Readonly<Record<string, string>> = headersWith([
  `style-src '${STYLE_HASH}'`,
  `script-src '${SCRIPT_HASH}'`,
])

/** The headers of the console's pages, which have a script of ours and a stylesheet of their own. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = headersWith([
  `style-src '${CONSOLE_STYLE_HASH}'`,
  `script-src '${SCRIPT_HASH}'`,
])

/** The headers of the docs site, whose stylesheet, scripts and pictures are files. */
export const DOCS_HEADERS: Readonly<Record<string, string>> = headersWith([
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
])

function headersWith(sources: readonly string[]): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ...sources,
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // The URL of a page contains the secret of a login.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  }
}
