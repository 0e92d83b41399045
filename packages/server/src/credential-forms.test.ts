/** Compares the strings with those that the tools were run with (test/data/publisher-login). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CREDENTIAL_FORMS, type CredentialForm, credentialString } from './credential-forms.ts'
import { TOOLS } from './web/tools.ts'

const vectors: { readonly strings: readonly { readonly name: string; readonly value: string }[] } =
  JSON.parse(readFileSync(new URL('../test/data/publisher-login/credentials.json', import.meta.url), 'utf8'))
const vector = (name: string): string =>
  vectors.strings.find((one) => one.name === name)?.value ?? assert.fail(`there is no vector ${name}`)

const { r, d } = JSON.parse(Buffer.from(vector('u1-untyped'), 'base64').toString())
const TOKEN = Buffer.from(vector('token-raw'), 'base64').toString()
const CREDENTIAL = { root: r, discharge: d, token: TOKEN }
const ADDRESSES = { baseUrl: 'https://store.example.com', signOn: 'https://store.example.com' }
const written = (form: CredentialForm, addresses = ADDRESSES) => credentialString(form, CREDENTIAL, addresses)

test('writes snapcraft, onprem, charmcraft and raw as the vectors, byte for byte', () => {
  assert.equal(written('snapcraft'), vector('u1'))
  assert.equal(written('onprem'), vector('token'))
  assert.equal(written('charmcraft'), vector('token-raw'))
  assert.equal(written('raw'), TOKEN)
})

/** Returns the variables of a shell that evaluated the lines. */
function inShell(lines: string): Readonly<Record<string, string>> {
  const said = execFileSync('sh', ['-c', 'eval "$1"; env', 'sh', lines], { env: {}, encoding: 'utf8' })
  const rows = said.split('\n').map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')] as const)
  return Object.fromEntries(
    rows.filter(([name]) => /^(STORE_|UBUNTU_|SNAPCRAFT_|CHARMCRAFT_)/.test(name ?? '')),
  )
}

test('a shell that evaluates env has the addresses and every credential', () => {
  assert.deepEqual(inShell(written('env')), {
    STORE_DASHBOARD_URL: 'https://store.example.com',
    UBUNTU_ONE_SSO_URL: 'https://store.example.com',
    CHARMCRAFT_STORE_API_URL: 'https://store.example.com',
    CHARMCRAFT_STORE_SSO_URL: 'https://store.example.com',
    SNAPCRAFT_STORE_CREDENTIALS: vector('u1'),
    UBUNTU_STORE_AUTH: vector('token'),
    CHARMCRAFT_AUTH: vector('token-raw'),
  })
})

test('env appends the slash that charmcraft needs to an address with a path, and only there', () => {
  const below = { baseUrl: 'https://example.com/store', signOn: 'https://id.example.com' }
  const { STORE_DASHBOARD_URL, CHARMCRAFT_STORE_API_URL, CHARMCRAFT_STORE_SSO_URL } = inShell(
    written('env', below),
  )
  assert.deepEqual(
    { STORE_DASHBOARD_URL, CHARMCRAFT_STORE_API_URL, CHARMCRAFT_STORE_SSO_URL },
    {
      STORE_DASHBOARD_URL: 'https://example.com/store',
      CHARMCRAFT_STORE_API_URL: 'https://example.com/store/',
      CHARMCRAFT_STORE_SSO_URL: 'https://id.example.com',
    },
  )
})

test('a quote in an address does not end a string of env, so the shell runs nothing', () => {
  const address = "https://store.example.com/it's$(touch x)`touch x`"
  assert.equal(inShell(written('env', { baseUrl: address, signOn: address }))['STORE_DASHBOARD_URL'], address)
})

test('refuses a credential that is not base64url', () => {
  for (const root of ['', 'a b', 'a"b', "a'b", 'aGk=', 'a\n']) {
    const attempt = () => credentialString('snapcraft', { ...CREDENTIAL, root }, ADDRESSES)
    assert.throws(attempt, { name: 'TypeError', message: 'The root is not in base64url' })
  }
})

test('each use of a form belongs to a tool on the front page, and each credential of a tool has its form', () => {
  const facts = { ...ADDRESSES, passwordLogins: true, deviceService: 'https://store.example.com/' }
  const told = new Map(
    TOOLS.map(({ name, credential, variables }) => [
      name,
      [...(credential?.(facts) ?? []), ...Object.keys(variables(facts))].join('\n'),
    ]),
  )
  const used = new Set<string>()
  for (const [form, { uses }] of Object.entries(CREDENTIAL_FORMS)) {
    for (const { tool, variable } of uses as readonly {
      readonly tool: string
      readonly variable?: string
    }[]) {
      const text = told.get(tool) ?? assert.fail(`no tool ${tool}`)
      if (text.includes(`--for ${form} `)) used.add(`${tool} ${form}`)
      if (variable !== undefined && text.includes(`--for ${form} `)) assert.match(text, new RegExp(variable))
    }
  }
  for (const [tool, text] of told) {
    for (const [, form] of text.matchAll(/--for ([a-z]+) /g)) assert.ok(used.has(`${tool} ${form}`), tool)
  }
})

test('a form has the root and its discharge only where hasPair is set', () => {
  const credential = { root: 'AgEB', discharge: 'AgEC', token: 'AgED' }
  for (const [form, { hasPair }] of Object.entries(CREDENTIAL_FORMS)) {
    // The cast is safe: it is a key of the table.
    const textWith = (pair: object) =>
      credentialString(form as CredentialForm, { ...credential, ...pair }, ADDRESSES)
    for (const pair of [{ root: 'AgEE' }, { discharge: 'AgEE' }]) {
      assert.equal(textWith(pair) !== textWith({}), hasPair, `${form} ${Object.keys(pair)}`)
    }
  }
})
