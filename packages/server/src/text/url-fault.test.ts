import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIssuer } from '../ci/issuers/check-issuer.ts'
import { parseSmtpUrl, parseWebhookUrl } from '../config/reminders/parse.ts'
import {
  parseIdentityUrl,
  parseProxyUrl,
  parseReturnTo,
  parseServiceUrl,
  parseServiceUrls,
} from '../config/values.ts'

/** The parsers of URLs, with the scheme and the additional parts that each accepts. */
const TAKERS: readonly [what: string, take: (url: string) => unknown, scheme: string, parts: string][] = [
  ['an issuer', (url) => checkIssuer({ url, kind: 'generic' }), 'https', ''],
  ['a service', parseServiceUrl, 'https', ''],
  ['a list of services', (url) => parseServiceUrls(`https://a.example.com,${url}`), 'https', ''],
  ['an identity service', parseIdentityUrl, 'https', ''],
  ['a web site to return to', parseReturnTo, 'https', ''],
  ['an HTTP proxy', parseProxyUrl, 'http', '@'],
  ['a mail server', parseSmtpUrl, 'smtps', '@'],
  ['a webhook', parseWebhookUrl, 'https', '?'],
]

/** Invalid URLs, in which `S` stands for the scheme. Without the mistake, all parsers would accept them. */
const FAULTS: readonly [url: string, fault: RegExp, parts?: string][] = [
  ['S://ho st.example.com', /has a space at character \d+/],
  ['S://host.example.com\t/', /has a tab at character \d+/],
  ['S://host.example\n.com', /has a line end at character \d+/],
  ['S://host.example\r\n.com', /has a line end at character \d+/],
  ['S://host\u00a0.example.com', /has a no-break space at character \d+/],
  ['S://host\u200b.example com', /has an invisible character \(U\+200B\) at character \d+/],
  ['"S://host.example.com"', /has a quotation mark at character 1\b/],
  ['“S://host.example.com”', /has a quotation mark at character 1\b/],
  ["'S://host.example.com'", /has a quotation mark at character 1\b/],
  ['<S://host.example.com>', /has an angle bracket at character 1\b/],
  ['host.example.com', /does not begin with \w+:\/\//],
  ['host.example.com:8080', /does not begin with \w+:\/\//],
  ['//host.example.com', /does not begin with \w+:\/\//],
  ['file://host.example.com', /does not begin with \w+:\/\//],
  ['', /is empty/],
  ['`S://host.example.com`', /has a backtick at character 1\b/],
  ['S://host\u2003.example.com', /has an unusual space \(U\+2003\) at character \d+/],
  ['S:', /needs two slashes after \w+:/],
  ['S://a^b.example.com', /has an invalid host/],
  ['S://', /has no host after \w+:\/\//],
  ['S://host.example.com:port', /has a port that is not a number/],
  ['S://host.example.com:99999', /has a port that is not a number/],
  ['S://hunter2@host.example.com', /has a username or password before an @/, '@'],
  ['S://user:hunter2@host.example.com', /has a username or password before an @/, '@'],
  ['S://host.example.com?hunter2', /has a query, which begins with \?/, '?'],
  ['S://host.example.com/#hunter2', /has a fragment, which begins with #/, '#'],
]

for (const [what, take, scheme, parts] of TAKERS) {
  test(`the refusal of the URL of ${what} explains what is wrong with it`, () => {
    assert.doesNotThrow(() => take(`${scheme}://host.example.com`))
    for (const [pattern, fault, part] of FAULTS) {
      if (part && parts.includes(part)) continue
      const url = pattern.replaceAll('S', scheme)
      assert.throws(
        () => take(url),
        (error: Error) => {
          assert.match(error.message, fault, url)
          assert.doesNotMatch(error.message, /hunter2/)
          return true
        },
        url,
      )
    }
  })
}

/** Issuers that a URL parser would change. They are refused, because the text is compared with `iss`. */
const ISSUERS: readonly [url: string, fault: RegExp][] = [
  ['HTTPS://host.example.com', /has capitals before the :\/\//],
  ['https:\\\\host.example.com', /has a backslash at character 7\b/],
  ['https:/host.example.com', /needs two slashes after https:/],
  ['https://host.example.com:0', /has a port that is not a number from 1 to 65535/],
  ['https://host.example.com/a/../b', /has \. or \.\. as a segment of its path/],
  ['https://host.example.com/.', /has \. or \.\. as a segment of its path/],
  ['https://exämple.com', /has letters outside ASCII: write the host in punycode/],
  [`https://host.example.com/${'x'.repeat(2000)}`, /has more than \d+ characters/],
]
for (const [url, fault] of ISSUERS) {
  test(`refuses ${url.slice(0, 40)} as the URL of an issuer`, () => {
    assert.throws(() => checkIssuer({ url, kind: 'generic' }), { code: 'invalid-field', message: fault })
  })
}

test('counts characters as a reader does', () => {
  assert.throws(() => parseServiceUrl('https://exämple🔑.com/ x'), /has a space at character 22\b/)
})
