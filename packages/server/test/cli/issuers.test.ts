/** An operator adds, shows, refreshes and removes issuers with `ratafia issuers`. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { KIND_NAMES, KINDS } from '../../src/ci/issuers/kinds.ts'
import { atTerminal } from '../support/at-terminal.ts'
import { oneDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'
import { newKeyPair, testIssuer } from '../support/test-issuer.ts'

const CLUSTER = 'https://kubernetes.default.svc.cluster.local'

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  const { json, says, refuses } = program
  const issuer = testIssuer({ path: '/api/actions' })
  const jwks = () => join(program.directory, 'jwks.json')
  before(async () => {
    const keys = await Promise.all(['a', 'b'].map((kid) => newKeyPair('ES256', kid)))
    await writeFile(jwks(), JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
    await says('migrate')
  })

  describe('add', () => {
    test('fetches the keys, and prints what it found and the next steps', async () => {
      await says('issuers list', /^No issuers yet\. /)
      const environment = { RATAFIA_BASE_URL: 'https://store.example.org' }
      const add = `issuers add ${issuer.url} --kind forgejo`
      const { code, stdout, stderr } = await program.run(add, { environment })
      assert.equal(code, 0, stderr)
      assert.deepEqual(stdout.split('\n'), [
        `Added the issuer ${issuer.url}: Forgejo Actions, 1 key from ${issuer.url}/keys, ES256.`,
        'Its jobs must request ID tokens for the audience https://store.example.org.',
        'Jobs cannot get tokens until a rule allows it: `ratafia publishers add NAME --issuer URL …`.',
        '',
      ])
      assert.match(stderr, /^ratafia: warning: Its keys come over http from this machine: .*\n$/)
      assert.deepEqual(
        issuer.requests,
        ['/.well-known/openid-configuration', '/keys'].map((path) => `/api/actions${path}`),
      )
      await refuses(add, /^ratafia: There is already an issuer .*\. To change it, /)
    })

    test('explains the remedy if the issuer cannot be reached', async () => {
      issuer.behave('away')
      const elsewhere = `issuers add ${issuer.url.replace('/api/actions', '/elsewhere')} --kind gitlab`
      await refuses(
        elsewhere,
        /cannot be fetched: the connection broke\. No issuer was added\. If the service cannot reach it, give its keys in a file: --jwks FILE\./,
        3,
      )
      issuer.behave('well')
      await refuses(elsewhere, /it answered with status 404\. No issuer was added\./, 3)
      await refuses(
        'issuers add https://10.0.0.5 --kind gitlab',
        /is a private address\. If the issuer is there, allow its network with --private-address\. No issuer/,
      )
      assert.equal((await json('issuers list')).length, 1)
    })

    test('never fetches keys that come from a file', async () => {
      const added = await json(`issuers add ${CLUSTER} --kind kubernetes --jwks ${jwks()}`)
      assert.deepEqual(
        [added.keys, added.key_ids, added.jwks_uri, added.warnings],
        ['pinned', ['a', 'b'], null, []],
      )
      await refuses('issuers add https://a.example --kind kubernetes --jwks /none', /\/none cannot be read/)
    })

    test('stores every option, and shows it under the name of the option', async () => {
      const added = await json(
        `issuers add https://sso.corp.example/realms/ci --kind generic --jwks ${jwks()} --audience api://store --other-audience account --other-audience ari:x --private-address 10.20.0.0/16 --private-address fd12::/32 --stable-claims sub,/team/id --max-life 7d --names-can-be-reused accepted`,
      )
      const { warnings, jwks_uri: _, ...shown } = added
      for (const name of [added.url, added.id]) assert.deepEqual(await json(`issuers show ${name}`), shown)
      const { id: __, keys_from: ___, created_at: ____, key_ids: _____, algorithms: ______, ...told } = shown
      assert.deepEqual(told, {
        ...{ url: 'https://sso.corp.example/realms/ci', kind: 'generic', audience: 'api://store' },
        ...{ keys: 'pinned', tried_at: null, failure: null, keys_left_out: [], rules: [] },
        ...{ other_audiences: ['account', 'ari:x'], stable_claims: ['sub', '/team/id'] },
        ...{ private_addresses: ['10.20.0.0/16', 'fd12::/32'], names_can_be_reused: true },
        max_life_seconds: 604_800,
      })
      assert.match(
        warnings.join('\n'),
        /^Its ID tokens are for the audience api:\/\/store, not only for this service: .*\nIts rules may match only names: .*$/,
      )
      await says(`issuers show ${added.url}`, /^stable claims: {7}sub, \/team\/id$/m)
    })

    test('accepts every kind, and warns about Azure DevOps without its audience', async () => {
      for (const kind of KIND_NAMES) {
        const added = await json(`issuers add https://${kind}.example --kind ${kind} --jwks ${jwks()}`)
        assert.deepEqual(added.stable_claims, [...KINDS[kind].stableIds])
        assert.equal(added.max_life_seconds, 86_400)
        const expected =
          kind === 'azure-devops'
            ? /^[^\n]* Without --audience api:\/\/AzureADTokenExchange, each is.*$/
            : /^$/
        assert.match(added.warnings.join('\n'), expected)
      }
    })

    test('refuses invalid options', async () => {
      const add = `issuers add https://b.example --kind generic --jwks ${jwks()}`
      await program.refusesEach`
        ${add} --max-life 23h | 1 | between 24h and 7d
        ${add} --max-life 8d | 1 | between 24h and 7d
        ${add} --max-life long | 2 | --max-life is not a duration
        ${add} --audience '' | 1 | --audience "" is not 1 to 255 printable ASCII characters
        ${add} --other-audience 'a b' | 1 | --other-audience "a b" is not
        ${add} --private-address 10.0.0.0/40 | 1 | is not a network
        ${add} --private-address 8.8.8.0/24 | 1 | A public address needs no permission
        ${add} --private-address 169.254.0.0/16 | 1 | A link-local address is never used
        ${add} --names-can-be-reused yes | 2 | Allowed choices are accepted
        ${add} --stable-claims a,,b | 1 | --stable-claims "" is not
        ${add} --kind github --stable-claims sub | 1 | --stable-claims only works with --kind generic\. GitHub Actions always uses repository_id, repository_owner_id\.
        ${add} --kind travis | 1 | no kind "travis"\. The kinds are github, 
        issuers add https://b.example | 2 | Required option '--kind <kind>'`
    })
  })

  test('list shows the source of the keys, and the reason of a failed fetch', async () => {
    issuer.behave('failing')
    await refuses(`issuers refresh ${issuer.url}`, /it answered with status 500/, 3)
    const list: readonly Record<string, string>[] = await json('issuers list')
    const found = list.find(({ url }) => url === issuer.url)
    assert.deepEqual([found?.['kind'], found?.['keys']], ['forgejo', 'fetched'])
    assert.match(found?.['failure'] ?? '', /it answered with status 500\.$/)
    const urls = list.map(({ url }) => url)
    assert.deepEqual(urls, urls.toSorted())
    await says('issuers list', /^URL +KIND +KEYS +KEYS FROM +FAILURE\n/)
    issuer.behave('well')
  })

  test('refresh reports whether the keys changed, and accepts a file only for pinned keys', async () => {
    const refresh = `issuers refresh ${issuer.url}`
    await says(refresh, /has 1 key, unchanged\.\n$/)
    await issuer.rotate()
    await issuer.addKey()
    await says(refresh, /has 2 keys, which changed\.\n$/)
    const again = await json(refresh)
    assert.deepEqual([again.changed, again.failure], [false, null])
    assert.equal((await json(`issuers refresh ${CLUSTER} --jwks ${jwks()}`)).changed, false)
    await program.refusesEach`
      ${refresh} --jwks ${jwks()} | 1 | are fetched from it\. Leave --jwks out\.
      issuers refresh ${CLUSTER} | 1 | were given in a file\. Pass the new ones: --jwks FILE\.
      issuers refresh https://none.example | 1 | There is no issuer "https://none\.example"\. `
  })

  test('remove asks for confirmation at a terminal, and accepts several issuers', async () => {
    const no = await atTerminal(`issuers remove ${CLUSTER}`, 'n\r', program.environment)
    assert.equal(no.code, 1)
    assert.match(no.stderr, /^Jobs of https:\/\/kubernetes\S+ will get no more tokens\. It has no rules\.\n/)
    const removed = { removed: CLUSTER, rules: [], revoked: 0 }
    assert.deepEqual(await json(`issuers remove ${CLUSTER}`), removed)
    const several = await program.run(`issuers remove https://github.example ${CLUSTER}`)
    assert.equal(several.code, 1)
    assert.match(
      several.stdout,
      /^Removed the issuer https:\/\/github\.example with 0 rules, and revoked 0 sessions\.\n[\s\S]*There is no issuer/,
    )
  })
})
