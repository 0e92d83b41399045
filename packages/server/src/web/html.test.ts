import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { PAGE_HEADERS } from './headers.ts'
import { html, styleElement } from './html.ts'
import { page } from './layout.ts'
import { STYLE, STYLE_HASH } from './style.ts'

test('escapes text, but not markup that html created', () => {
  const name = `<script>"x" & 'y'</script>`
  const inner = html`<b title="${name}">${name}</b>`
  const escaped = '&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/script&gt;'
  assert.equal(html`<p>${inner}</p>`.markup, `<p><b title="${escaped}">${escaped}</b></p>`)
})

test('escapes an object that only looks like markup', () => {
  const forged = { markup: '<script>' } as unknown as string
  assert.equal(html`${forged}`.markup, '[object Object]')
})

test('joins lists, renders undefined, null and false as nothing, and zero as a number', () => {
  assert.equal(html`${[html`<i>`, '<', 0]}${undefined}${null}${false}`.markup, '<i>&lt;0')
})

test('a stylesheet cannot close its element', () => {
  assert.throws(() => styleElement('a{}</style>'), TypeError)
})

test('the policy allows exactly the stylesheet of the page', () => {
  const text = page({ title: '<x>', body: html`<p>` })
  const [, css] = /<style>([\s\S]*)<\/style>/.exec(text) ?? []
  assert.equal(css, STYLE)
  assert.equal(STYLE_HASH, `sha256-${hash('sha256', css ?? '', 'base64')}`)
  assert.match(String(PAGE_HEADERS['content-security-policy']), new RegExp(STYLE_HASH.replace(/[+]/g, '\\+')))
  assert.match(text, /<title>&lt;x&gt; · Ratafia<\/title>/)
  assert.doesNotMatch(text, /<script| style=| on[a-z]+=/)
})
