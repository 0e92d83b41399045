/** Guarantee: ids are looked up only on the site of the issuer's jobs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestError, Unavailable } from '../../../errors.ts'
import { type Issuer, LONGEST_LIFE } from '../../issuers/issuer.ts'
import type { KindName } from '../../issuers/kinds.ts'
import { lookUpIds } from './project-ids.ts'

const NETWORKS = ['10.20.0.0/16']
const issuer = (kind: KindName, url: string): Issuer => ({
  ...{ id: 'i', kind, url, createdAt: new Date(0) },
  settings: {
    ...{ audience: null, otherAudiences: [], privateAddresses: NETWORKS, stableClaims: null },
    ...{ namesCanBeReused: false, longestLife: LONGEST_LIFE.standard },
  },
})
const GITHUB = issuer('github', 'https://token.actions.githubusercontent.com')
const ANSWER = {
  ...{ id: 74, full_name: 'octo-org/octo-repo', path_with_namespace: 'a/b/c', owner: { id: 65 } },
}

/** Returns the requested URLs, and the ids found in an answer that has all of them. */
async function lookedUp(address: string, from: Issuer) {
  const asked: string[] = []
  const found = await lookUpIds(address, from, async (url, source) => {
    assert.deepEqual(source, { issuer: from.url, privateAddresses: NETWORKS })
    asked.push(url)
    return JSON.stringify(ANSWER)
  })
  return { asked, ...found }
}

const BOTH = { repository_id: '74', repository_owner_id: '65' }
const FOUND: readonly (readonly [Issuer, address: string, api: string, project: string, ids: object])[] = [
  [
    GITHUB,
    'https://github.com/octo-org/octo-repo',
    'https://api.github.com/repos/octo-org/octo-repo',
    'octo-org/octo-repo',
    BOTH,
  ],
  [
    issuer('github', `${GITHUB.url}/octo-enterprise`),
    'https://github.com/octo-org/.github/',
    'https://api.github.com/repos/octo-org/.github',
    'octo-org/octo-repo',
    BOTH,
  ],
  [
    issuer('github', 'https://token.actions.octo.ghe.com'),
    'https://octo.ghe.com/octo-org/octo-repo.git',
    'https://api.octo.ghe.com/repos/octo-org/octo-repo',
    'octo-org/octo-repo',
    BOTH,
  ],
  [
    issuer('github', 'https://github.example.org/_services/token'),
    'https://github.example.org/octo-org/octo-repo',
    'https://github.example.org/api/v3/repos/octo-org/octo-repo',
    'octo-org/octo-repo',
    BOTH,
  ],
  [
    issuer('gitlab', 'https://gitlab.example.org/git'),
    'https://gitlab.example.org/git/a/b/c',
    'https://gitlab.example.org/git/api/v4/projects/a%2Fb%2Fc',
    'a/b/c',
    { project_id: '74' },
  ],
  [
    issuer('forgejo', 'https://forgejo.example.org/api/actions'),
    'https://forgejo.example.org/octo-org/octo-repo',
    'https://forgejo.example.org/api/v1/repos/octo-org/octo-repo',
    'octo-org/octo-repo',
    { repository_id: '74' },
  ],
]
for (const [from, address, api, project, ids] of FOUND) {
  test(`gets the ids of ${address} from ${api}`, async () => {
    assert.deepEqual(await lookedUp(address, from), { asked: [api], project, ids })
  })
}

// Guarantee: an id from one site is never used for another, and no address leads outside the API.
const REFUSED: readonly (readonly [Issuer, addresses: readonly string[]])[] = [
  [
    GITHUB,
    [
      ...['https://github.com.evil.example/o/r', 'https://gitlab.com/o/r', 'http://github.com/o/r'],
      ...['https://github.com/o', 'https://github.com/o/r/issues', 'https://github.com/', 'github.com/o/r'],
      ...['https://github.com/o/r?x', 'https://github.com/o/r#x', 'https://me:x@github.com/o/r'],
      ...['https://github.com/o/..', 'https://github.com/o/%2e%2e%2fx', 'https://github.com/o/a%00'],
      ...['https://github.com/o/é', '', '\0', `https://github.com/o/${'x'.repeat(10_000)}`],
      ...['https://api.github.com/o/r', 'https://github.com:8443/o/r'],
    ],
  ],
  [
    issuer('gitlab', 'https://gitlab.example.org/git'),
    ['https://gitlab.example.org/a/b', 'https://gitlab.example.org/gitx/a/b', `https://gitlab.com/a/b`],
  ],
  [issuer('circleci', 'https://oidc.circleci.com/org/x'), ['https://github.com/o/r']],
]
for (const [from, addresses] of REFUSED) {
  for (const address of addresses) {
    test(`refuses ${JSON.stringify(address.slice(0, 60))} for ${from.kind} without a request`, async () => {
      const asking = lookUpIds(address, from, () => assert.fail('it sends a request'))
      await assert.rejects(asking, (error) => error instanceof RequestError && error.code === 'invalid-field')
    })
  }
}

for (const [address, fault] of [
  ['https://github.com/o/my project', / It has a space at character 24\.$/],
  ['https://github.com/o/r?x', / It has a query, which begins with \?\.$/],
] as const) {
  test(`the refusal of ${address} explains what is wrong with it`, async () => {
    const asking = lookUpIds(address, GITHUB, () => assert.fail('it sends a request'))
    await assert.rejects(asking, { message: fault })
  })
}

for (const text of [
  ...['', '[]', 'null', '{}', '7', '{"id":74}', '{"id":74,"full_name":"x","owner":null}'],
  ...['74.5', '"74"', '-1', '0', '1e400', '9007199254740993', 'true', '[74]'].map(
    (id) => `{"id":${id},"full_name":"x","owner":{"id":65}}`,
  ),
]) {
  test(`fails for the answer ${text}, which has no ids`, async () => {
    const asking = lookUpIds('https://github.com/o/r', GITHUB, async () => text)
    await assert.rejects(asking, Unavailable)
  })
}

test('a failed fetch is reported with what to do instead', async () => {
  const asking = lookUpIds('https://github.com/o/r', GITHUB, async () => {
    throw new Unavailable('https://api.github.com/repos/o/r cannot be fetched: it answered with status 404.')
  })
  await assert.rejects(asking, (error) => {
    assert.ok(error instanceof Unavailable)
    assert.match(
      error.message,
      /status 404\. If the project is private, pass its ids with --match: repository_id, /,
    )
    return true
  })
})
