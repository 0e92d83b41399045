import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

/** Returns the URLs of all modules that importing `path` loads. */
async function loadedBy(path: string): Promise<string[]> {
  const urls: string[] = []
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      urls.push(resolved.url)
      return resolved
    },
  })
  await import(path)
  hooks.deregister()
  return urls
}

// The order matters: a loaded module is not resolved again.
test('ids, permissions and error codes load without the schemas', async () => {
  const urls = await loadedBy('./index.ts')
  assert.ok(urls.some((url) => url.endsWith('/ids.ts')))
  assert.deepEqual(
    urls.filter((url) => url.endsWith('/tokens.ts')),
    [],
  )
})

test('the schemas load without TypeBox', async () => {
  const urls = await loadedBy('./schemas.ts')
  assert.ok(urls.some((url) => url.endsWith('/tokens.ts')))
  assert.deepEqual(
    urls.filter((url) => url.includes('typebox')),
    [],
  )
})
