import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTree } from '../import-rules/tree.fixture.ts'
import { measure } from './measure.ts'

const web = 'packages/server/src/web'

test('counts sources and not tests', () => {
  const plants = {
    [`${web}/html.ts`]: `export function html(text: any): string {
  const body = text as string
  return body!.trim()
}
export const same = ['a'] as const
`,
    [`${web}/html.test.ts`]: 'const x = 1 as any\n',
  }
  const before = withTree({}, measure).get('server')
  const after = withTree(plants, measure).get('server')
  assert.ok(before && after)
  assert.deepEqual(
    [after.files - before.files, after.lines - before.lines, after.any, after.as, after.nonNull],
    [1, 5, 1, 1, 1],
  )
  assert.deepEqual(after.functionLines, { median: 4, p95: 4, max: 4 })
})

test('finds cycles of imports, cycles of folders and the biggest folder', () => {
  const plants = {
    [`${web}/a.ts`]: "import './b.ts'\n",
    [`${web}/b.ts`]: "import './a.ts'\n",
    [`${web}/up.ts`]: "import '../http/up.ts'\n",
    'packages/server/src/http/up.ts': "import '../web/a.ts'\n",
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${web}/page-${at}.ts`, '\n'])),
  }
  const figures = withTree(plants, measure).get('server')
  assert.equal(figures?.cycles, 1)
  assert.equal(figures?.upward, 1)
  assert.deepEqual(figures?.biggestFolder, [web, 24])
})
