/** What a browser is called in the list of one's sessions: two words out of a text that says much more. */

/** In their order: what comes later says that it is the former, too. */
const BROWSERS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera)\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
]

const SYSTEMS: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows NT\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

/** Longer than that of any browser. */
const LOOKED_AT = 512

/** Such as `console, Firefox on Linux`. Nothing of the text itself is taken over. */
export function describeBrowser(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, LOOKED_AT)
  const found = (names: typeof BROWSERS) => names.find(([, sign]) => sign.test(text))?.[0]
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)]
  const words = [browser, system && (browser ? `on ${system}` : system)].filter(Boolean).join(' ')
  return words === '' ? 'console' : `console, ${words}`
}
