/**
 * Empty lists of accounts, grants and tokens (contract/administration.md, C9). No user ever sees them, because every
 * user has an account, a grant and a token. Other empty lists are in the tests of their pages.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountsPage } from '../../src/web/console/accounts/list-page.ts'
import { allTokensPage } from '../../src/web/console/all-tokens/list-page.ts'
import { grantsPage } from '../../src/web/console/grants/list-page.ts'
import type { ConsoleContent } from '../../src/web/console/layout.ts'
import type { Query } from '../../src/web/console/list.ts'
import { textOf } from '../support/console.ts'

const query = (...entries: readonly (readonly [string, string])[]): Query => ({
  entries,
  get: (name) => entries.find(([one]) => one === name)?.[1],
})
const read = ({ body }: ConsoleContent): string => textOf({ text: body.markup })
const now = new Date()
const accounts = { accounts: [], summaries: [], next: null, examined: undefined, now }

test('an empty list explains what it is for, and has the first step as a button and a command', () => {
  const of = { query: query(), now, next: null }
  for (const [page, says, address, command] of [
    [
      accountsPage({ ...accounts, ...of, mayManage: true }),
      /No accounts yet. An account belongs to a person/,
      '/console/accounts/new',
      'ratafia accounts add',
    ],
    [
      grantsPage({ ...of, grants: [], mayManage: true, me: 'x' }),
      /No grants yet. A grant gives an account a role/,
      '/console/grants/new',
      'ratafia grants add',
    ],
    [
      allTokensPage({ ...of, tokens: [], mayRevoke: () => true }),
      /No active tokens yet. This page lists the tokens of all accounts/,
      '/console/all-tokens?state=all',
      'ratafia tokens create',
    ],
  ] as const) {
    assert.match(read(page), says)
    assert.ok(page.body.markup.includes(`class="button primary" href="${address}"`), address)
    assert.ok(read(page).includes(command), command)
  }
})

test('users without the permission for the first step get no button for it', () => {
  const of = { query: query(), now, next: null, mayManage: false }
  for (const page of [accountsPage({ ...accounts, ...of }), grantsPage({ ...of, grants: [], me: 'x' })]) {
    assert.doesNotMatch(page.body.markup, /class="button primary" href/)
    assert.equal(page.beside, false)
  }
})

test('shows how many records were searched, and links to the next ones', () => {
  const page = accountsPage({
    ...{ ...accounts, mayManage: true, query: query(['state', 'disabled']) },
    ...{ next: 'abc', examined: 20_000 },
  })
  assert.match(read(page), /20,000 records searched, without a match so far/)
  assert.ok(page.body.markup.includes('href="/console/accounts?state=disabled&amp;cursor=abc"'))
})
