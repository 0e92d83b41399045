/** The page that shows how each tool logs in, for visitors and for signed-in users. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { browserWith, type ConsoleAnswer, consoleOf, textOf, unescaped } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { addOperator } from '../support/managers.ts'
import { testService } from '../support/service.ts'

describe('how tools log in', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh)
    let pages: Record<'visitor' | 'front' | 'operator', ConsoleAnswer>
    before(async () => {
      const visitor = browserWith(service)
      const operator = await consoleOf(service, await addOperator(service))
      pages = {
        visitor: await visitor.get('/console/tools'),
        front: await visitor.open('/'),
        operator: await operator.get('/console/tools'),
      }
    })

    test('each block of commands has a button that copies it, and the policy allows the script', () => {
      for (const [who, { status, text, headers }] of Object.entries(pages)) {
        assert.equal(status, 200)
        const blocks = [...text.matchAll(/<pre id="([^"]+)">/g)].map(([, id]) => id)
        const buttons = [
          ...text.matchAll(/<button [^>]*hidden data-copy="([^"]+)" data-copied="Copied">Copy</g),
        ]
        assert.ok(blocks.length > 10, who)
        assert.equal(new Set(blocks).size, text.match(/<pre/g)?.length, who)
        assert.deepEqual(
          buttons.map(([, id]) => id),
          blocks,
          who,
        )
        assert.match(headers.get('content-security-policy') ?? '', /script-src 'sha256-/, who)
      }
    })

    test('signed-in users see the navigation there, and visitors a link to sign in', () => {
      assert.match(pages.operator.text, /<a href="\/console\/tools" aria-current="page">Tool setup<\/a>/)
      assert.match(pages.operator.text, /<a href="\/console\/audit">.*action="\/console\/sign-out"/s)
      assert.match(textOf(pages.visitor), /Sign in to the console/)
      assert.doesNotMatch(pages.visitor.text, /aria-current/)
    })

    test('the lines for craft-store name every argument that its client requires', () => {
      for (const { text } of Object.values(pages)) {
        const [, block = ''] = /<pre id="[^"]+">(from craft_store [^<]*)<\/pre>/.exec(text) ?? []
        const program = unescaped(block)
        for (const argument of [
          ...[`base_url="${service.baseUrl}"`, `storage_base_url="${service.baseUrl}"`],
          ...[`auth_url="${service.baseUrl}"`, 'endpoints=endpoints.U1_SNAP_STORE'],
          ...['application_name="my-tool"', 'user_agent="my-tool/1.0"', 'environment_auth="STORE_AUTH"'],
        ])
          assert.ok(program.includes(argument), argument)
      }
    })
  })
})
