/** Publishing from CI in the console: create, test and remove rules. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { PERMISSIONS } from '@ratafia/api'
import type { Account } from '../../src/accounts/account.ts'
import { KIND_NAMES, kindOf } from '../../src/ci/issuers/kinds.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { NEVER_GRANTED } from '../../src/ci/rules/making/check-grants.ts'
import { words } from '../../src/web/words/en.ts'
import { deciding } from '../support/authorities.ts'
import {
  type ConsoleBrowser,
  consoleOf,
  HOSTILE,
  proofIn,
  signedInAgo,
  textOf,
  unescaped,
} from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { manage, managementToken } from '../support/managers.ts'
import { GITHUB, GITLAB, givenIssuer, givenSession } from '../support/rules.ts'
import { addPerson, testService } from '../support/service.ts'

const NEW = '/console/publishers/new'
const OF_GITHUB = `${NEW}?issuer=${encodeURIComponent(GITHUB)}`

describe('publishing from CI, without an issuer', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)

    test('an empty list explains rules, the first step and the command, and that operators add issuers', async () => {
      const browser = await consoleOf(service, await addPerson(service))
      const page = await browser.get('/console/publishers')
      assert.equal(page.status, 200)
      assert.match(textOf(page), /No CI rules yet\. With a CI rule, a job publishes without a stored secret/)
      assert.match(page.text, /<a class="button primary" href="\/console\/publishers\/new">/)
      assert.match(textOf(page), /ratafia publishers add --help/)
      const form = await browser.get(NEW)
      assert.match(textOf(form), /No CI platforms yet\. An operator adds each platform/)
      assert.match(textOf(form), /ratafia issuers add/)
    })
  })
})

describe('publishing from CI', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)
    let ada: Account
    let browser: ConsoleBrowser
    let forge: Server
    let forgejo: string

    before(async () => {
      forge = createServer((request, response) => {
        const isThere = request.url === '/api/v1/repos/octo/hello'
        response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ id: 4711, full_name: 'octo/hello' }))
      })
      await new Promise<void>((listening) => forge.listen(0, '127.0.0.1', listening))
      forgejo = `http://127.0.0.1:${(forge.address() as AddressInfo).port}/api/actions`
      const { database } = service.installation
      await givenIssuer(database, GITHUB, 'github')
      await givenIssuer(database, GITLAB, 'gitlab')
      await givenIssuer(database, forgejo, 'forgejo')
      ada = await addPerson(service)
      browser = await consoleOf(service, ada)
    })
    after(() => new Promise((closed) => forge.close(closed)))

    const RULE = {
      ...{ name: 'hello-release', 'claim-0': '74', 'claim-1': '65', 'claim-2': 'release' },
      ...{
        match:
          'ref:={"glob":"refs/heads/*"}\nworkflow_ref=octo/hello/.github/workflows/r.yml@refs/heads/main',
      },
      ...{ permissions: ['package_upload', 'package_release'], packages: 'hello, other' },
      ...{ channels: 'latest/edge', lifetime: '10', do: 'make' },
    }
    const send = async (fields: Record<string, string | readonly string[]>, by = browser) =>
      by.submit(await by.get(OF_GITHUB), NEW, fields)
    const add = (name: string, account = ada) =>
      addRule(
        {
          ...{ maker: { authority: deciding() }, name, issuer: GITHUB, account: account.username },
          ...{ packages: [{ name: 'hello' }], grants: { permissions: ['package_upload'] } },
          match: { repository_id: '74', repository_owner_id: '65', environment: `${name}<b>` },
        },
        { ...service.installation, jobMaxLifetime: service.installation.config.jobMaxLifetime },
      )

    test('asks for the platform first, and then shows a form with its claims', async () => {
      const choose = await browser.get(NEW)
      assert.equal(choose.status, 200)
      assert.match(textOf(choose), /Which platform\?.*GitLab CI\/CD.*GitHub Actions/)
      assert.ok(unescaped(choose.text).includes(`href="${OF_GITHUB}"`))
      const form = await browser.get(OF_GITHUB)
      assert.match(
        textOf(form),
        new RegExp(`Jobs of GitHub Actions that match this CI rule get tokens of ${ada.username}`),
      )
      for (const claim of ['repository_id', 'repository_owner_id', 'environment', 'job_workflow_ref']) {
        assert.match(form.text, new RegExp(`<code>${claim}</code></label>`), claim)
      }
      assert.match(form.text, /name="claim-0"[^>]* required/)
      assert.doesNotMatch(form.text, /name="claim-2"[^>]* required/)
    })

    test('creates the rule that the user typed, and its page shows the rule, its risks and the pipeline', async () => {
      const done = await send(RULE)
      assert.deepEqual([done.status, done.location], [303, '/console/publishers/rules/hello-release'])
      const { rule, account } = (await service.installation.rules.find('hello-release')) ?? assert.fail()
      assert.equal(account.username, ada.username)
      assert.deepEqual(rule.match, {
        ...{ repository_id: '74', repository_owner_id: '65', environment: 'release' },
        ref: { glob: 'refs/heads/*' },
        workflow_ref: 'octo/hello/.github/workflows/r.yml@refs/heads/main',
      })
      assert.deepEqual(rule.grants, {
        ...{ permissions: ['package_upload', 'package_release'], packages: ['hello', 'other'] },
        ...{ channels: ['latest/edge'], storeIds: null },
      })
      assert.equal(rule.lifetime, 600_000)
      const [entry] = await service.installation.audit.list({ action: 'publisher.add' }, { limit: 1 })
      assert.equal(entry?.actor, `account:${ada.username}`)
      assert.equal(JSON.parse(entry?.details ?? '').via, 'console')
      const page = await browser.get('/console/publishers/rules/hello-release')
      assert.match(
        textOf(page),
        /CI rule hello-release created\. Jobs that match it get tokens of yours from now on/,
      )
      assert.match(textOf(page), /ref:=\{"glob":"refs\/heads\/\*"\}/)
      assert.match(textOf(page), /10 minutes/)
      assert.match(textOf(page), /permissions: \{ id-token: write/)
      assert.match(textOf(page), /sh ci\/ratafia-login\.sh -r hello-release/)
      assert.ok(unescaped(page.text).includes(`RATAFIA_URL: "${service.baseUrl}"`))
    })

    test('the rule page shows its risks', async () => {
      await send({ ...RULE, name: 'risky', match: '', do: 'make' })
      const page = await browser.get('/console/publishers/rules/risky')
      assert.match(textOf(page), /A rule that matches only environment lets in every branch/)
    })

    test('a form that is sent twice creates one rule', async () => {
      const form = await browser.get(OF_GITHUB)
      const fields = { ...RULE, name: 'once' }
      for (let times = 0; times < 2; times++) {
        const { status, location } = await browser.submit(form, NEW, fields)
        assert.deepEqual([status, location], [303, '/console/publishers/rules/once'])
      }
      const made = await service.installation.audit.list({ subject: 'once' }, { limit: 10 })
      assert.equal(made.length, 1)
    })

    for (const [what, fields, problem] of [
      ['no name', { name: '' }, /Enter a name for the CI rule/],
      ['a bad name', { name: 'A b' }, /is not 1 to 64 characters of a-z/],
      ['no id', { 'claim-0': '' }, /repository_id/],
      ['a pattern for an id', { 'claim-0': '', match: 'repository_id:={"glob":"7*"}' }, /repository_id/],
      ['no protecting claim', { 'claim-2': '', match: '' }, /environment/],
      ['no permission', { permissions: [] }, /Choose at least one permission/],
      [
        'a permission that rules never have',
        { permissions: ['store_admin'] },
        /A rule cannot grant store_admin/,
      ],
      ['no package', { packages: ' , ' }, /Name at least one package/],
      ['a lifetime that is not a number', { lifetime: 'soon' }, /Enter a number of minutes/],
      ['a lifetime that is too long', { lifetime: '9999' }, /lifetime of 599940 seconds/],
      ['an invalid line', { match: 'ref' }, /The line "ref" is neither/],
      ['a claim twice', { match: 'repository_id=75' }, /The claim "repository_id" appears twice/],
      ['invalid JSON', { match: 'ref:={' }, /The text after := of the claim "ref" is not JSON/],
      ['an event that is never allowed', { match: 'event_name=pull_request_target' }, /pull_request_target/],
      ['a name that is taken', { name: 'hello-release' }, /There is already a rule "hello-release"/],
    ] as const) {
      test(`shows a form with ${what} again, keeps what the user typed, and creates nothing`, async () => {
        const before = await service.installation.audit.list({ action: 'publisher.add' }, { limit: 100 })
        const page = await send({ ...RULE, name: 'refused', channels: 'kept/edge', ...fields })
        assert.equal(page.status, 422)
        assert.match(page.text, /<title>Error: /)
        assert.match(textOf(page), problem)
        assert.match(page.text, /value="kept\/edge"/)
        const now = await service.installation.audit.list({ action: 'publisher.add' }, { limit: 100 })
        assert.equal(now.length, before.length)
      })
    }

    test('looks up the ids of a project by its URL, and refuses other URLs', async () => {
      const address = `${NEW}?issuer=${encodeURIComponent(forgejo)}`
      const site = forgejo.replace('/api/actions', '')
      const look = async (project: string) =>
        browser.submit(await browser.get(address), NEW, { project, name: 'looked-up', do: 'look-up' })
      const found = await look(`${site}/octo/hello`)
      assert.equal(found.status, 200)
      assert.match(textOf(found), /These are the ids of octo\/hello/)
      assert.match(found.text, /name="claim-0" value="4711"/)
      assert.match(found.text, /name="name" value="looked-up"/)
      const form = await browser.get(address)
      for (const name of ['first', 'second']) {
        const again = await browser.submit(form, NEW, { project: `${site}/octo/hello`, name, do: 'look-up' })
        assert.equal(again.status, 200, 'the user goes back, and looks up another project')
      }
      const made = await browser.submit(found, NEW, {
        ...{ name: 'looked-up', 'claim-0': '4711', 'claim-2': 'refs/heads/main', packages: 'hello' },
        ...{ permissions: ['package_upload'], lifetime: '15', do: 'make' },
      })
      assert.equal(made.location, '/console/publishers/rules/looked-up', textOf(made))
      for (const project of ['https://github.com/octo/hello', `${site}/../x`, 'http://127.0.0.1:1/a/b', '']) {
        const refused = await look(project)
        assert.equal(refused.status, 422, project)
        assert.match(refused.text, /<a href="#f-project">/, project)
      }
      // The project may be private. The user continues without the ids, and loses none of the input.
      const nothing = await look(`${site}/octo/nothing`)
      assert.equal(nothing.status, 422)
      assert.match(
        nothing.text,
        /<a href="#f-project">The ids could not be looked up: the address is wrong, the project is private/,
      )
      assert.match(nothing.text, /name="name" value="looked-up"/)
    })

    test('the form has every permission that a rule can grant, and explains where each claim is found', async () => {
      const { text } = await browser.get(OF_GITHUB)
      const offered = [...text.matchAll(/name="permissions" value="([^"]+)"/g)].map(([, name]) => name)
      assert.deepEqual(offered.sort(), PERMISSIONS.filter((name) => !NEVER_GRANTED.includes(name)).sort())
      for (const kind of KIND_NAMES) {
        const { stableIds, oneOf } = kindOf(kind)
        for (const claim of [...stableIds, ...oneOf]) assert.ok(words.publishers.claims[claim], claim)
        assert.notEqual(words.publishers.kind(kind), kind)
      }
    })

    test('drops white space around a claim and its text', async () => {
      const match = ' ref =  refs/heads/main \r\nevent_name := {"any_of":["push"]}\n'
      assert.equal((await send({ ...RULE, name: 'spaced', match })).status, 303)
      const { rule } = (await service.installation.rules.find('spaced')) ?? assert.fail()
      assert.deepEqual(
        [rule.match['ref'], rule.match['event_name']],
        ['refs/heads/main', { any_of: ['push'] }],
      )
    })

    test('shows all problems at once, each at its field', async () => {
      const wrong = {
        ...{ name: 'A b', match: 'ref', 'claim-0': '', permissions: ['store_admin'], packages: ' , ' },
        ...{ channels: 'édge', lifetime: 'soon' },
      }
      const page = await send({ ...RULE, ...wrong })
      assert.equal(page.status, 422)
      const fields = [...page.text.matchAll(/<a href="#f-([\w-]+)">/g)].map(([, field]) => field)
      assert.equal(fields.toSorted().join(), 'channels,lifetime,match,name,packages,permissions')
      // The operation checks the fields that can be read.
      const checked = await send({ ...RULE, name: 'A b', lifetime: '9999', packages: 'né' })
      const places = [...checked.text.matchAll(/<a href="#f-([\w-]+)">/g)].map(([, field]) => field)
      assert.deepEqual(places.toSorted(), ['lifetime', 'name', 'packages'])
    })

    test('Guarantee: creating a rule requires a person who signed in within five minutes', async () => {
      const late = await consoleOf(service, ada, signedInAgo(service, 301_000))
      const agent = await consoleOf(service, ada, { signedIn: 'agent line' })
      assert.equal((await agent.get(OF_GITHUB)).status, 403)
      for (const [by, status] of [
        [late, 303],
        [agent, 403],
      ] as const) {
        const sent = { ...proofIn(await by.get('/console/tokens/explain')), issuer: GITHUB, ...RULE }
        const body = Object.entries({ ...sent, name: 'stolen', permissions: 'package_upload' })
        assert.equal((await by.post(NEW, new URLSearchParams(body))).status, status)
      }
      assert.equal(await service.installation.rules.find('stolen'), undefined)
    })

    test('compares a rule with an ID token, which is not sent back, or with claims', async () => {
      const path = '/console/publishers/rules/hello-release/test'
      const seconds = Math.floor(service.now().getTime() / 1000)
      const claims = {
        ...{ iss: GITHUB, aud: service.baseUrl, iat: seconds, exp: seconds + 300, event_name: HOSTILE },
        ...{ repository_id: '74', repository_owner_id: '65', environment: 'release', ref: 'refs/heads/main' },
        workflow_ref: 'octo/hello/.github/workflows/r.yml@refs/heads/main',
      }
      const compare = async (text: string) => browser.fill(path, { claims: text })
      const fits = await compare(JSON.stringify({ ...claims, event_name: 'push' }))
      assert.equal(fits.status, 200)
      assert.match(textOf(fits), /A job with these claims gets a token, if its ID token is signed and new/)
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const idToken = `${part({ alg: 'RS256' })}.${part(claims)}.${part({})}`
      const page = await compare(idToken)
      assert.match(textOf(page), /A job with these claims would not get a token/)
      assert.match(textOf(page), /▲ no event_name/)
      assert.ok(!page.text.includes(part(claims)))
      assert.doesNotMatch(page.text, /<script>alert|\u202e|x{500}/)
      for (const text of ['', '{', 'a.b', `${idToken}.x`]) {
        const refused = await compare(text)
        assert.equal(refused.status, 422, text.slice(0, 10))
        assert.match(refused.text, /<a href="#f-claims">/, text.slice(0, 10))
        assert.ok(!refused.text.includes(part(claims)))
      }
    })

    test('removes a rule after the user has typed its name, and revokes its sessions', async () => {
      await add('goes')
      await givenSession(service.installation.database, 'goes')
      const path = '/console/publishers/rules/goes/remove'
      const page = await browser.get(path)
      assert.match(textOf(page), /1 session that it opened is revoked within a second/)
      assert.ok(await service.installation.rules.find('goes'), 'the page changes nothing')
      const wrong = await browser.submit(page, path, { typed: 'Goes' })
      assert.equal(wrong.status, 422)
      assert.match(textOf(wrong), /Type exactly goes\. Nothing was changed/)
      assert.ok(await service.installation.rules.find('goes'))
      const done = await browser.submit(wrong, path, { typed: 'goes' })
      assert.deepEqual([done.status, done.location], [303, '/console/publishers'])
      assert.match(
        textOf(await browser.get('/console/publishers')),
        /CI rule goes removed, and 1 session revoked/,
      )
      assert.equal(await service.installation.rules.find('goes'), undefined)
      assert.equal((await browser.get(path)).status, 404)
    })

    test("Guarantee: another user's rule looks as if it did not exist", async () => {
      await add('theirs', await addPerson(service))
      for (const page of ['', '/remove', '/test']) {
        const theirs = await browser.get(`/console/publishers/rules/theirs${page}`)
        const absent = await browser.get(`/console/publishers/rules/absent${page}`)
        assert.deepEqual([theirs.status, absent.status], [404, 404])
        assert.equal(textOf(theirs).replaceAll('theirs', 'absent'), textOf(absent))
      }
      assert.doesNotMatch(textOf(await browser.get('/console/publishers')), /theirs/)
    })

    test('the API cannot create a rule', async () => {
      const token = await managementToken(service, ada)
      assert.equal((await manage(service, token, 'POST', '/me/publishers', { body: RULE })).status, 405)
    })
  })
})
