import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresUrls } from './postgres-urls.ts'

for (const [address, expected] of [
  ['postgres://h/d', ['postgres://h/d']],
  ['postgresql://u:p@h:1/d?sslmode=disable', ['postgresql://u:p@h:1/d?sslmode=disable']],
  ['postgres://u:p@a:1,b,[::1]:3/d?x=y#z', ['a:1', 'b', '[::1]:3'].map((h) => `postgres://u:p@${h}/d?x=y#z`)],
  ['postgres://u:a@b,c@h1,h2/d', ['h1', 'h2'].map((h) => `postgres://u:a@b,c@${h}/d`)],
  ['postgres:///d?host=/run/postgresql', ['postgres:///d?host=/run/postgresql']],
  ['postgres://a,b/d?target_session_attrs=read-write', ['postgres://a/d', 'postgres://b/d']],
  ['postgres://a/d?target_session_attrs=primary&sslmode=disable', ['postgres://a/d?sslmode=disable']],
  ['postgres://a/d?x=y&target_session_attrs=primary&z=1', ['postgres://a/d?x=y&z=1']],
  ['postgres://a/d?x=y&target_session_attrs=primary', ['postgres://a/d?x=y']],
  ['postgres://a:1,:2/d', undefined],
  ['postgres://a:1,b:x/d', undefined],
  ['mysql://a/d', undefined],
  ['a,b', undefined],
] as const) {
  test(`the addresses of ${address}`, () => {
    assert.deepEqual(postgresUrls(address), expected)
  })
}
