/** The pages of the user's own tokens. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { words } from '../../src/web/words/en.ts'
import { type ConsoleAnswer, consoleOf, proofIn, textOf, unescaped } from '../support/console.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import { manage, managementToken } from '../support/managers.ts'
import { addPerson, bearing, call, testService, whoami } from '../support/service.ts'

const NARROW = {
  description: 'ci: hello-world edge',
  permissions: ['package_access', 'package_upload'],
  all_packages: 'on',
  channels: 'edge, */edge',
  life: '30',
  do: 'make',
}

/** Returns the secret in the block with this id. */
const shown = ({ text }: ConsoleAnswer, id: string): string => {
  const [, value] = new RegExp(`<textarea id="once-${id}"[^>]*>\\n([^<]*)</textarea>`).exec(text) ?? []
  return unescaped(value ?? '')
}

const requireAtField = ({ text }: ConsoleAnswer, name: string) => {
  for (const part of [`<a href="#f-${name}">`, ` id="f-${name}"`, `class="problem" id="f-${name}-problem"`])
    assert.ok(text.includes(part), part)
}

describe('a new token if the lifetime of tokens is limited', () => {
  for (const [most, life, sentence] of [
    ['40d', '30', /Tokens last at most 40 days here/],
    ['10d', '10', /Tokens last at most 10 days here/],
    ['12h', '12h', /Tokens last at most 12 hours here/],
  ] as const) {
    oneDatabase((_kind, _open, fresh) => {
      const service = testService(fresh, { RATAFIA_TOKEN_MAX_LIFETIME: most })

      test(`with ${most}, the form begins with an allowed lifetime, explains the limit, and refuses a longer one at its field`, async () => {
        const browser = await consoleOf(service, await addPerson(service))
        const filled = '?permissions=package_access&all_packages=on&all_channels=on'
        const page = await browser.get(`/console/tokens/new${filled}`)
        assert.match(page.text, new RegExp(`name="life" value="${life}" checked`))
        assert.match(textOf(page), sentence)
        const hours = life.endsWith('h') ? 12 : 24 * Number(life)
        const until = new Date(service.now().getTime() + hours * 3_600_000)
        assert.ok(textOf(page).includes(`until ${words.time.day(until)}.`))
        const refused = await browser.submit(page, '/console/tokens/new', { ...NARROW, life: '41' })
        assert.equal(refused.status, 422)
        requireAtField(refused, 'life')
        const made = await browser.submit(page, '/console/tokens/new', { ...NARROW, life })
        assert.equal(made.status, 200, textOf(made))
      })
    })
  }
})

describe('my tokens in the console', () => {
  eachDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    /** Returns the ids of the active tokens, newest first. */
    const developerTokens = async (account: Account): Promise<readonly string[]> => {
      const token = await managementToken(service, account)
      const { body } = await manage(service, token, 'GET', '/me/tokens', { query: '?kind=developer' })
      return body.tokens.map(({ session_id: id }: { readonly session_id: string }) => id)
    }

    test('an empty list explains what a token is, and how to create the first one', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const page = await browser.get('/console/tokens?kind=developer')
      assert.match(textOf(page), /Nothing matches these filters/)
      const all = await browser.get('/console/tokens')
      assert.match(textOf(all), /this browser/)
    })

    test('creates a token, shows it once, and it works as each tool presents it', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const form = await browser.get('/console/tokens/new')
      assert.equal(form.status, 200)
      const made = await browser.submit(form, '/console/tokens/new', NARROW)
      assert.equal(made.status, 200, textOf(made))
      assert.equal(made.headers.get('cache-control'), 'no-store')
      const headers = bearing(shown(made, 'raw'))
      const { status, body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers })
      assert.deepEqual([status, body.channels], [200, ['edge', '*/edge']])
      assert.deepEqual(body.permissions, ['package_access', 'package_upload'])
      assert.ok(shown(made, 'snapcraft').length > 100)
      assert.match(shown(made, 'curl'), /^curl -H 'Authorization: Macaroon [\w-]+' http/)
      const list = await browser.get('/console/tokens')
      assert.match(textOf(list), /ci: hello-world edge/)
      assert.doesNotMatch(list.text, new RegExp(shown(made, 'raw')))
    })

    test('a reload shows the token again for ten minutes and does not create a second one', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const form = await browser.get('/console/tokens/new')
      const made = await browser.submit(form, '/console/tokens/new', NARROW)
      const again = await browser.submit(form, '/console/tokens/new', NARROW)
      assert.equal(again.status, 200)
      assert.equal(shown(again, 'raw'), shown(made, 'raw'))
      assert.equal((await developerTokens(account)).length, 1)
      service.advance(11 * 60_000)
      const late = await browser.submit(form, '/console/tokens/new', NARROW)
      assert.equal(late.status, 410)
      assert.match(textOf(late), /was shown then/)
      const changed = await browser.submit(form, '/console/tokens/new', { ...NARROW, description: 'another' })
      assert.equal(changed.status, 410)
      assert.match(textOf(changed), /nothing was changed now\. .* open the form again/)
      assert.doesNotMatch(late.text, new RegExp(shown(made, 'raw')))
    })

    test('the URL fills in the form, but does not send it', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const page = await browser.get(
        '/console/tokens/new?description=from+a+mail&permissions=package_access&packages=hello-world&channels=edge&life=30',
      )
      assert.match(page.text, /value="from a mail"/)
      assert.match(page.text, /value="package_access" checked/)
      assert.match(textOf(page), /Summary: view, for hello-world , in edge/)
    })

    test('the summary shows the fields of the form, from the URL or from the other token', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      await browser.fill('/console/tokens/new', NARROW)
      const [id = ''] = await developerTokens(account)
      const page = await browser.get(`/console/tokens/new?from=${id}&permissions=package_metrics&life=30`)
      assert.match(textOf(page), /Summary: read metrics, for all your packages, in edge/)
      const unknown = await browser.get(
        '/console/tokens/new?permissions=package_access,%E2%80%AEx&all_packages=on&all_channels=on',
      )
      assert.doesNotMatch(textOf(unknown), /Summary|\u202e/)
    })

    test('shows all missing fields at once', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const page = await browser.fill('/console/tokens/new', { life: 'long', do: 'make' })
      assert.equal(page.status, 422)
      for (const name of ['description', 'permissions', 'packages', 'channels', 'life'])
        requireAtField(page, name)
    })

    test('refuses an invalid store at its field', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const refused = await browser.fill('/console/tokens/new', { ...NARROW, stores: 'a\u0001' })
      assert.equal(refused.status, 422)
      requireAtField(refused, 'stores')
    })

    for (const [what, fields, problem] of [
      ['no permission', { ...NARROW, permissions: [] }, /Choose at least one permission/],
      ['no package', { ...NARROW, all_packages: '' }, /Name at least one package/],
      ['no channel', { ...NARROW, channels: '' }, /Name at least one channel/],
      ['no description', { ...NARROW, description: ' ' }, /Enter a description/],
      ['a day of the past', { ...NARROW, life: 'date', date: '2020-01-01' }, /Enter a day after today/],
      [
        'a day that does not exist',
        { ...NARROW, life: 'date', date: '2099-02-31' },
        /Enter a day after today/,
      ],
      ['an unknown permission', { ...NARROW, permissions: ['package_fly'] }, /package_fly/],
      ['an unknown package', { ...NARROW, all_packages: '', packages: 'no-such-snap' }, /no-such-snap/],
    ] as const) {
      test(`refuses a form with ${what}, keeps what the user typed, and creates nothing`, async () => {
        const { packages } = service.installation
        await packages.import([{ name: 'hello-world', snapId: 'buPKUD3TKqCOgLEjjHx5kSiCpIs5cMuQ' }], {
          replaceAll: true,
        })
        const account = await addPerson(service)
        const browser = await consoleOf(service, account)
        const refused = await browser.fill('/console/tokens/new', fields)
        assert.equal(refused.status, 422)
        assert.match(refused.text, /<title>Error: New token/)
        assert.match(textOf(refused), problem)
        if (fields.description.trim() !== '') assert.match(refused.text, /value="ci: hello-world edge"/)
        assert.deepEqual(await developerTokens(account), [])
      })
    }

    test('a token for everything shows a warning, and needs an explicit choice', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const form = await browser.get('/console/tokens/new')
      const everything = { ...NARROW, permissions: [], all_permissions: 'on', do: 'look' }
      const looked = await browser.submit(form, '/console/tokens/new', everything)
      assert.equal(looked.status, 200)
      assert.match(textOf(looked), /Summary: everything that your account can do/)
      assert.match(textOf(looked), /and so can anyone who gets it/)
    })

    test('rotating creates a similar token, and the old one expires when its owner chooses', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const first = await browser.fill('/console/tokens/new', NARROW)
      const [id = ''] = await developerTokens(account)
      const form = await browser.open(`/console/tokens/${id}/rotate`)
      assert.match(form.text, /value="ci: hello-world edge"/)
      assert.match(textOf(form), /Summary: view, upload/)
      const second = await browser.submit(form, '/console/tokens/new', { ...NARROW, from: id, overlap: '1' })
      assert.equal(second.status, 200, textOf(second))
      assert.match(textOf(second), /“ci: hello-world edge” expires/)
      assert.equal(await whoami(service, shown(first, 'raw')), 200)
      service.advance(86_400_000 + 60_000)
      assert.equal(await whoami(service, shown(first, 'raw')), 401)
      assert.equal(await whoami(service, shown(second, 'raw')), 200)
    })

    test('revokes one token, several, and all except this browser', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const make = async () => shown(await browser.fill('/console/tokens/new', NARROW), 'raw')
      const works = (raw: string) => whoami(service, raw)
      const raws = [await make(), await make(), await make(), await make()]
      const other = await managementToken(service, account)
      const [one = '', two = '', three = ''] = await developerTokens(account)
      const page = await browser.get(`/console/tokens/${one}/revoke`)
      assert.match(textOf(page), /cannot be undone/)
      const done = await browser.submit(page, `/console/tokens/${one}/revoke`)
      assert.equal(done.location, '/console/tokens')
      assert.match(textOf(await browser.get('/console/tokens')), /“ci: hello-world edge” revoked/)
      // The notice is shown once.
      assert.doesNotMatch(textOf(await browser.get('/console/tokens')), /edge” revoked/)

      const many = await browser.get(`/console/tokens/revoke?session=${two}&session=${three}`)
      const session = [two, three]
      const wrong = await browser.submit(many, '/console/tokens/revoke', { session, typed: '3' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /Type exactly 2/)
      const right = await browser.submit(wrong, '/console/tokens/revoke', { session, typed: '2' })
      assert.equal(right.location, '/console/tokens')
      assert.deepEqual((await Promise.all(raws.map(works))).sort(), [200, 401, 401, 401])

      const all = await browser.get('/console/tokens/revoke-all')
      await browser.submit(all, '/console/tokens/revoke-all', { typed: 'all', keep: 'on' })
      assert.deepEqual(await Promise.all(raws.map(works)), [401, 401, 401, 401])
      assert.equal((await manage(service, other, 'GET', '/me')).status, 401)
      assert.equal((await browser.get('/console/tokens')).status, 200)
    })

    test('revoking the session of this browser leads to the front page, without another sign-in', async () => {
      const account = await addPerson(service)
      const sessionOf = (page: ConsoleAnswer) =>
        [...page.text.matchAll(/href="\/console\/tokens\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id)
      for (const path of [
        (session: string) => `/console/tokens/${session}/revoke`,
        (session: string) => `/console/tokens/revoke?session=${session}`,
        () => '/console/tokens/revoke-all',
      ]) {
        const browser = await consoleOf(service, account)
        const [session = ''] = sessionOf(await browser.get('/console/tokens?kind=management'))
        const form = await browser.get(path(session))
        const typed = path(session).endsWith('all') ? 'all' : '1'
        const done = await browser.submit(form, path(session).replace(/[?].*/, ''), { typed, session })
        assert.equal(done.location, '/console/', path(session))
        assert.match(textOf(await browser.get('/console/')), /Sign in to the console/)
      }
    })

    test('shortens the expiry of a token to the chosen day', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      const made = await browser.fill('/console/tokens/new', NARROW)
      const [id = ''] = await developerTokens(account)
      const path = `/console/tokens/${id}/shorten`
      assert.match((await browser.get(`/console/tokens/${id}`)).text, new RegExp(`href="${path}"`))
      const form = await browser.get(path)
      assert.match(textOf(form), /in a day in 7 days/)
      for (const ends of ['', '2', 'keep', '366']) {
        const refused = await browser.submit(form, path, { ends })
        assert.equal(refused.status, 422, ends)
        assert.match(textOf(refused), /Choose when the token expires/)
      }
      const done = await browser.submit(form, path, { ends: '7' })
      assert.equal(done.location, `/console/tokens/${id}`)
      const day = words.time.day(new Date(service.now().getTime() + 7 * 86_400_000))
      assert.match(
        textOf(await browser.get(`/console/tokens/${id}`)),
        new RegExp(`Expiry shortened to ${day}`),
      )
      // The expiry cannot be extended again.
      const later = await browser.get(path)
      assert.match(textOf(later), /in a day/)
      assert.doesNotMatch(later.text, /value="(7|30)"/)
      service.advance(6 * 86_400_000)
      assert.equal(await whoami(service, shown(made, 'raw')), 200)
      service.advance(86_400_000)
      assert.equal(await whoami(service, shown(made, 'raw')), 401)
    })

    test("users cannot view or revoke another user's token", async () => {
      const owner = await addPerson(service)
      const mine = await managementToken(service, owner)
      const { body } = await manage(service, mine, 'GET', '/me/tokens')
      const [{ session_id: id }] = body.tokens
      const stranger = await consoleOf(service, await addPerson(service))
      for (const path of ['', '/revoke', '/shorten'].map((end) => `/console/tokens/${id}${end}`)) {
        assert.equal((await stranger.get(path)).status, 404)
      }
      const sent = new URLSearchParams(proofIn(await stranger.get('/console/tokens/explain')))
      assert.equal((await stranger.post(`/console/tokens/${id}/revoke`, sent)).status, 404)
      sent.append('ends', '1')
      assert.equal((await stranger.post(`/console/tokens/${id}/shorten`, sent)).status, 404)
      assert.equal((await manage(service, mine, 'GET', '/me')).status, 200)
    })

    test('explains a pasted token, and never sends it back', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const made = await browser.fill('/console/tokens/new', NARROW)
      const token = shown(made, 'raw')
      const page = await browser.get('/console/tokens/explain')
      const explained = await browser.submit(page, '/console/tokens/explain', { token })
      assert.match(textOf(explained), /● valid/)
      assert.match(textOf(explained), /\*\/edge/)
      assert.doesNotMatch(explained.text, new RegExp(token))
      const nonsense = await browser.submit(page, '/console/tokens/explain', { token: '<script>' })
      assert.match(textOf(nonsense), /✕ refused/)
      assert.doesNotMatch(nonsense.text, /<script>[^']/)
    })

    test('escapes any description', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const hostile = `"><script>alert(1)</script>\u202e' onmouseover='x`
      const made = await browser.fill('/console/tokens/new', { ...NARROW, description: hostile })
      assert.equal(made.status, 200, textOf(made))
      for (const page of [made, await browser.get('/console/tokens')]) {
        assert.doesNotMatch(page.text, /<script>alert/)
        assert.match(textOf(page), /⟨U\+202E⟩/)
      }
    })
  })
})
