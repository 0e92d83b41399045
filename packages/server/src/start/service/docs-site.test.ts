import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { packSite } from '../../http/description/docs-site.ts'
import { readDocsSite } from './docs-site.ts'

test('the site is found next to the program that npm installed, also by its link', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-docs-'))
  try {
    const path = (name: string) => join(directory, name)
    for (const folder of ['ratafia/bin', 'ratafia/dist', '.bin']) mkdirSync(path(folder), { recursive: true })
    writeFileSync(path('ratafia/bin/ratafia.js'), '')
    symlinkSync('../ratafia/bin/ratafia.js', path('.bin/ratafia'))
    assert.equal(await readDocsSite(path('.bin/ratafia')), undefined)
    writeFileSync(
      path('ratafia/dist/docs-site.json'),
      packSite(new Map([['index.html', Buffer.from('here')]])),
    )
    for (const entry of ['.bin/ratafia', 'ratafia/bin/ratafia.js']) {
      assert.equal(String((await readDocsSite(path(entry)))?.get('index.html')?.plain()), 'here')
    }
    // Not below the directory that a program is started in.
    for (const entry of ['', undefined, path('missing.js')])
      assert.equal(await readDocsSite(entry), undefined)
    writeFileSync(path('ratafia/dist/docs-site.json'), '{"run.sh":""}')
    await assert.rejects(readDocsSite(path('.bin/ratafia')), { message: /unknown type: run\.sh/ })
  } finally {
    rmSync(directory, { recursive: true })
  }
})
