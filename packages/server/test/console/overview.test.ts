/** The overview: what waits, what happened, and for whom. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addBrand } from '../support/as-operator.ts'
import { accountKeyFile, addTestRoot, testKey, vector } from '../support/brands.ts'
import { type ConsoleAnswer, consoleOf, textOf, unescaped } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { freshDeviceKeys, register, setAcmePolicy, withAcme } from '../support/devices.ts'
import { addManager } from '../support/managers.ts'
import { addSession } from '../support/reminders.ts'
import { addPerson, testService } from '../support/service.ts'

const DAY = 86_400_000
const HOSTILE = `<script>alert("1")</script>'\u202e${'x'.repeat(500)}`

/** What is to do: by address what it says. */
const linksIn = ({ text }: ConsoleAnswer): ReadonlyMap<string, string> =>
  new Map(
    [
      ...(/<h2>To do<[\s\S]*?<\/section>/.exec(text)?.[0] ?? '').matchAll(
        /<li><a href="([^"]*)">([^<]*)<\/a>([\s\S]*?)<\/li>/g,
      ),
    ].map(([, href = '', says = '', rest = '']) => [unescaped(href), unescaped(says + rest)]),
  )

describe('the overview, of a service that nothing was done with', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('it says what a brand is and where the first comes from, that nothing waits, and draws nothing', async () => {
      const page = await (await consoleOf(service, await addManager(service, 'viewer'))).open('/console/')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /There is no brand yet\. A brand is an account of a device maker/)
      assert.match(textOf(page), /ratafia brands create --demo/)
      assert.match(textOf(page), /There is nothing to do\./)
      assert.match(textOf(page), /Nothing was counted in this time\./)
      assert.doesNotMatch(page.text, /role="img"/)
      assert.ok(page.text.length <= 25_000, `${page.text.length}`)
    })

    test('whoever sees no devices gets a page that says which roles do', async () => {
      const browser = await consoleOf(service, await addManager(service, 'account-manager'))
      const page = await browser.get('/console/overview')
      assert.equal(page.status, 403)
      assert.match(textOf(page), /devices:read.*These roles have it: viewer/)
    })

    test('a period or a brand that there is not is refused with what it may be', async () => {
      const browser = await consoleOf(service, await addManager(service, 'viewer'))
      for (const query of ['period=1h', 'brand=a%20b']) {
        const page = await browser.get(`/console/overview?${query}`)
        assert.equal(page.status, 400, query)
      }
      assert.match(
        textOf(await browser.get('/console/overview?period=1h')),
        /The filter “period” is not one of 24h/,
      )
    })
  })
})

describe('the overview', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)
    let hour: number

    before(async () => {
      const { installation } = service
      await withAcme(installation, { registration: 'approval' })
      for (const key of await freshDeviceKeys(2)) {
        assert.equal(
          (await register(service, { key, serial: `W-${key.publicKey.id.slice(0, 8)}` })).status,
          202,
        )
      }
      await setAcmePolicy(installation, { registration: 'auto' })
      await addSession(service, await addPerson(service), { endsIn: 12 })
      await installation.changeBy({ actor: 'operator', source: 'host' })(({ record }) =>
        record({ action: 'account.sign-in-link', subject: HOSTILE }),
      )
      hour = new Date(service.now()).setUTCMinutes(0, 0, 0)
      const all = { brandId: '(all)', at: hour - 3_600_000 }
      await installation.counts.add([
        { ...all, name: 'registrations', label: 'serial', n: 1_200 },
        { ...all, name: 'registrations', label: 'refused', n: 34 },
        { ...all, brandId: 'acme-brand', name: 'registrations', label: 'serial', n: 7 },
        { ...all, name: 'logins', label: 'opened', n: 3 },
        { ...all, name: 'logins', label: 'wrong', n: 4 },
        { ...all, name: 'logins', label: 'throttled', n: 5 },
        { ...all, name: 'refusals', label: 'device-refused', n: 50 },
        { ...all, name: 'refusals', label: 'device-refused', at: hour - 30 * 3_600_000, n: 10 },
        { ...all, name: 'refusals', label: 'invalid-field', n: 11 },
        { ...all, name: 'refusals', label: 'invalid-field', at: hour - 30 * 3_600_000, n: 10 },
        { ...all, name: 'refusals', label: HOSTILE, n: 1 },
      ])
    })
    const overview = async (roles: readonly string[], query = '?period=24h') =>
      (await consoleOf(service, await addManager(service, ...roles))).get(`/console/overview${query}`)

    test('what waits comes first, and each line leads to the list that has it', async () => {
      const page = await overview(['operator'])
      assert.equal(page.status, 200)
      const links = linksIn(page)
      assert.match(
        links.get('/console/devices?status=pending&sort=registered') ?? '',
        /^2 devices wait for approval, the first asked /,
      )
      assert.match(
        links.get('/console/all-tokens?state=ending') ?? '',
        /^1 token ends within 30 days, the first in 1[12] days$/,
      )
      assert.match(links.get('/console/audit?action=account.sign-in-link') ?? '', /signs in as <script>/)
      // That there is no backup, for one.
      assert.ok([...links.keys()].includes('/console/status'))
      assert.match(
        page.text,
        /<li><a href="\/console\/status">Backup<\/a>: [^<]*<code>ratafia backup<\/code>/,
      )
      assert.ok(page.text.indexOf('To do') < page.text.indexOf('<svg'))
    })

    test('plots have the sums, and a text and a table of the same numbers', async () => {
      const page = await overview(['auditor'])
      assert.match(
        unescaped(page.text),
        /aria-label="Registrations an hour: 1,234 in 24 hours\. Most from [0-9]{2}:00: 1,234\. Of all: got a serial 1,200, waits for approval 0, refused 34\."/,
      )
      assert.match(page.text, /<h2>Registrations an hour<\/h2><span class="push big">1,234<\/span>/)
      assert.match(unescaped(page.text), /Of all: by a person or agent 3, by a CI job 0, refused 9\./)
      assert.match(textOf(page), /As a table/)
      const month = await overview(['auditor'], '')
      assert.match(month.text, /Registrations a day: 1,234 in 30 days/)
      assert.match(month.text, /<option value="30d" selected>/)
      assert.match(
        (await overview(['auditor'], '?period=12mo')).text,
        /Registrations a month: 1,234 in 12 months/,
      )
    })

    test('refusals stand by their number, with the change against the time before', async () => {
      const rows = (page: ConsoleAnswer) =>
        [...page.text.matchAll(/<tr role="row"><td[\s\S]*?<\/tr>/g)].map(([text]) => textOf({ text }))
      const [first, second, third] = rows(await overview(['auditor']))
      assert.match(first ?? '', /^device-refused 50 ▲ ×5$/)
      assert.match(second ?? '', /^invalid-field 11 as before$/)
      assert.match(third ?? '', / 1 ◌ none before$/)
      const [ofYear] = rows(await overview(['auditor'], '?period=12mo'))
      assert.match(ofYear ?? '', /^device-refused 60 no longer kept$/)
    })

    test('it says up to when everything is counted', async () => {
      const page = await overview(['viewer'])
      assert.match(textOf(page), /Counted to [0-9]{2}:[0-9]{2} UTC\. All nodes together\./)
    })

    test('texts of others are text, and short', async () => {
      const page = await overview(['operator'])
      assert.doesNotMatch(page.text, /<script>alert/)
      assert.doesNotMatch(page.text, /\u202e/)
      assert.doesNotMatch(page.text, /x{500}/)
      assert.doesNotMatch(page.text, / style=/)
    })

    test('Guarantee: whoever sees one brand gets nothing of another, and nothing of the whole service', async () => {
      const page = await overview(['viewer other-brand'])
      assert.equal(page.status, 200)
      assert.match(textOf(page), /There is nothing to do\./)
      assert.doesNotMatch(textOf(page), /acme-brand|1,2[0-9]{2}|Logins|Token uses|Refusals|device-refused/)
      assert.deepEqual(linksIn(page).size, 0)
      const own = await overview(['viewer acme-brand'])
      assert.match(own.text, /Registrations an hour: 7 in 24 hours/)
      assert.match(textOf(own), /2 devices wait for approval/)
      assert.doesNotMatch(textOf(own), /token ends|signs in as|backup/)
      // There is nothing to choose from.
      assert.doesNotMatch(own.text, /name="brand"/)
      const hidden = await overview(['viewer other-brand'], '?brand=acme-brand&period=24h')
      assert.doesNotMatch(textOf(hidden), /wait for approval|7 in 24/)
    })

    test('one brand alone: its devices and keys, and lists of it alone', async () => {
      const page = await overview(['operator'], '?brand=acme-brand&period=24h')
      assert.match(page.text, /<option value="acme-brand" selected>/)
      assert.match(page.text, /Registrations an hour: 7 in 24 hours/)
      assert.ok(linksIn(page).has('/console/devices?status=pending&sort=registered&brand=acme-brand'))
      assert.doesNotMatch(textOf(page), /token ends|Logins/)
    })

    test('with every plot and table it has at most 60 KB', async () => {
      const rows = ['registrations', 'device-sessions', 'store-questions', 'token-uses', 'logins'].flatMap(
        (name) =>
          Array.from({ length: 30 }, (_, day) => ({
            ...{ name, brandId: '(all)', at: hour - day * DAY, n: 123_456 + day },
            label:
              {
                registrations: 'waits',
                'device-sessions': 'opened',
                'token-uses': 'developer',
                logins: 'job',
              }[name] ?? 'token-valid',
          })),
      )
      await service.installation.counts.add(rows)
      const { text } = await overview(['operator'], '?period=30d')
      assert.equal([...text.matchAll(/role="img"/g)].length, 5)
      assert.ok(text.length <= 60_000, `${text.length}`)
    })
  })
})

describe('the overview, when a signing key ends', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('leads to the page of its brand', async () => {
      const { installation } = service
      await addTestRoot(installation)
      const end = new Date(service.now().getTime() + 21.5 * DAY)
      await addBrand(
        {
          account: vector('world/account-acme-brand'),
          accountKey: accountKeyFile('acme-brand', testKey('brand'), {
            until: `${end.toISOString().slice(0, 19)}Z`,
          }),
          signingKey: vector('world/keys/brand.pem'),
        },
        installation,
      )
      const page = await (await consoleOf(service, await addManager(service, 'operator'))).get(
        '/console/overview',
      )
      assert.equal(
        linksIn(page).get('/console/brands/acme-brand'),
        'The last signing key of acme-brand ends in 22 days',
      )
      assert.doesNotMatch(textOf(page), /add another/)
    })
  })
})
