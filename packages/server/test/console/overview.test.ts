/** The overview: pending work and activity, by role. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addBrand } from '../support/as-operator.ts'
import { accountKeyFile, addTestRoot, testKey, vector } from '../support/brands.ts'
import {
  assertHarmless,
  type ConsoleAnswer,
  consoleAs,
  HOSTILE,
  textOf,
  unescaped,
} from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { freshDeviceKeys, register, setAcmePolicy, withAcme } from '../support/devices.ts'
import { addSession } from '../support/reminders.ts'
import { addPerson, testService } from '../support/service.ts'

const DAY = 86_400_000

/** Returns the lines of the to-do list, by their links. */
const linksIn = ({ text }: ConsoleAnswer): ReadonlyMap<string, string> =>
  new Map(
    [
      ...(/<h2>To do<[\s\S]*?<\/section>/.exec(text)?.[0] ?? '').matchAll(
        /<li><a href="([^"]*)">([^<]*)<\/a>([\s\S]*?)<\/li>/g,
      ),
    ].map(([, href = '', says = '', rest = '']) => [unescaped(href), unescaped(says + rest)]),
  )

describe('the overview of an unused service', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('explains what a brand is and how to add the first, shows no pending work, and draws nothing', async () => {
      const page = await (await consoleAs(service, 'viewer')).open('/console/')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /No brands yet\. A brand is the account of a device maker/)
      assert.match(textOf(page), /ratafia brands create --demo/)
      assert.match(textOf(page), /Nothing to do\./)
      assert.match(textOf(page), /No activity in this period\./)
      assert.doesNotMatch(page.text, /role="img"/)
    })

    test('refuses an unknown period or brand and shows the valid ones', async () => {
      const browser = await consoleAs(service, 'viewer')
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
      (await consoleAs(service, ...roles)).get(`/console/overview${query}`)

    test('shows pending work first, and each line links to the list that has it', async () => {
      const page = await overview(['operator'])
      assert.equal(page.status, 200)
      const links = linksIn(page)
      assert.match(
        links.get('/console/devices?status=pending&sort=registered') ?? '',
        /^2 devices pending approval, the oldest registered /,
      )
      assert.match(
        links.get('/console/all-tokens?state=ending') ?? '',
        /^1 token expires within 30 days, the first in 1[12] days$/,
      )
      assert.match(links.get('/console/audit?action=account.sign-in-link') ?? '', /signs in as <script>/)
      // For example, there is no backup.
      assert.ok([...links.keys()].includes('/console/status'))
      assert.match(
        page.text,
        /<li><a href="\/console\/status">Backup<\/a>: [^<]*<code>ratafia backup FILE<\/code>/,
      )
      assert.ok(page.text.indexOf('To do') < page.text.indexOf('<svg'))
    })

    test('plots show the sums, and text and a table show the same numbers', async () => {
      const page = await overview(['auditor'])
      assert.match(
        unescaped(page.text),
        /aria-label="Registrations per hour: 1,234 in 24 hours\. Peak at [0-9]{2}:00: 1,234\. By kind: serial issued 1,200, pending 0, refused 34\."/,
      )
      assert.match(page.text, /<h2>Registrations per hour<\/h2><span class="push big">1,234<\/span>/)
      assert.match(unescaped(page.text), /By kind: by a person or agent 3, by a CI job 0, refused 9\./)
      assert.match(textOf(page), /As a table/)
      const month = await overview(['auditor'], '')
      assert.match(month.text, /Registrations per day: 1,234 in 30 days/)
      assert.match(month.text, /<option value="30d" selected>/)
      assert.match(
        (await overview(['auditor'], '?period=12mo')).text,
        /Registrations per month: 1,234 in 12 months/,
      )
    })

    test('lists refusals by number, with the change since the previous period', async () => {
      const rows = (page: ConsoleAnswer) =>
        [...page.text.matchAll(/<tr role="row"><td[\s\S]*?<\/tr>/g)].map(([text]) => textOf({ text }))
      const [first, second, third] = rows(await overview(['auditor']))
      assert.match(first ?? '', /^device-refused 50 ▲ ×5$/)
      assert.match(second ?? '', /^invalid-field 11 unchanged$/)
      assert.match(third ?? '', / 1 ◌ new$/)
      const [ofYear] = rows(await overview(['auditor'], '?period=12mo'))
      assert.match(ofYear ?? '', /^device-refused 60 not available$/)
    })

    test('shows up to when the counts are complete', async () => {
      const page = await overview(['viewer'])
      assert.match(textOf(page), /Counted up to [0-9]{2}:[0-9]{2} UTC, on all nodes together\./)
    })

    test('escapes and shortens input from other users', async () => {
      const page = await overview(['operator'])
      assertHarmless(page)
      assert.doesNotMatch(page.text, /x{500}| style=/)
    })

    test('Guarantee: a user who sees one brand gets no data of other brands or of the whole service', async () => {
      const page = await overview(['viewer other-brand'])
      assert.equal(page.status, 200)
      assert.match(textOf(page), /Nothing to do\./)
      assert.doesNotMatch(textOf(page), /acme-brand|1,2[0-9]{2}|Logins|Token uses|Refusals|device-refused/)
      assert.deepEqual(linksIn(page).size, 0)
      const own = await overview(['viewer acme-brand'])
      assert.match(own.text, /Registrations per hour: 7 in 24 hours/)
      assert.match(textOf(own), /2 devices pending approval/)
      assert.doesNotMatch(textOf(own), /token expires|signs in as|backup/)
      // There is no other brand to choose.
      assert.doesNotMatch(own.text, /name="brand"/)
      const hidden = await overview(['viewer other-brand'], '?brand=acme-brand&period=24h')
      assert.doesNotMatch(textOf(hidden), /pending approval|7 in 24/)
    })

    test('shows the devices and keys of one brand, and links to its lists', async () => {
      const page = await overview(['operator'], '?brand=acme-brand&period=24h')
      assert.match(page.text, /<option value="acme-brand" selected>/)
      assert.match(page.text, /Registrations per hour: 7 in 24 hours/)
      assert.ok(linksIn(page).has('/console/devices?status=pending&sort=registered&brand=acme-brand'))
      assert.doesNotMatch(textOf(page), /token expires|Logins/)
    })

    test('has at most 60 KB with all plots and tables', async () => {
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

describe('the overview before a signing key expires', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test("links to its brand's page", async () => {
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
      const page = await (await consoleAs(service, 'operator')).get('/console/overview')
      assert.equal(
        linksIn(page).get('/console/brands/acme-brand'),
        'The last signing key of acme-brand expires in 22 days',
      )
      assert.doesNotMatch(textOf(page), /add another/)
    })
  })
})
