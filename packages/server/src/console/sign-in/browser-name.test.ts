import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeBrowser } from './begin-sign-in.ts'

const CHROME = '(KHTML, like Gecko) Chrome/142.0.0.0'

for (const [userAgent, words] of [
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'console, Firefox on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 ${CHROME} Safari/537.36`, 'console, Chrome on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${CHROME} Safari/537.36 Edg/142.0.0.0`,
    'console, Edge on Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${CHROME} Safari/537.36 OPR/126.0.0.0`,
    'console, Opera on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
    'console, Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    'console, Chrome on iPhone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 ${CHROME} Mobile Safari/537.36`,
    'console, Chrome on Android',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'console, Linux'],
  ['curl/8.5.0', 'console'],
  ['', 'console'],
  [undefined, 'console'],
  [`${'x'.repeat(600)} Firefox/1`, 'console'],
  ['<b>\u202eMyFirefox', 'console'],
] as const) {
  test(`calls ${JSON.stringify(userAgent)?.slice(0, 120)} “${words}”`, () => {
    assert.equal(describeBrowser(userAgent), words)
  })
}
