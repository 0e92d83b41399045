// The console's cookies over https: a real browser behind nginx.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { freePort } from '../tools/test/free-port.ts'
import { launch, openWindow } from './support/chromium.ts'
import { PASSWORD, signIn } from './support/console-world.ts'
import { type Installation, newInstallation } from './support/installation.ts'
import { type Nginx, startNginx } from './support/nginx.ts'
import { type Service, startService } from './support/service.ts'
import { ADA, addAccount } from './support/world.ts'

// Browsers trust http://localhost as if it were https, so the test needs a different name.
const HOST = 'store.example'
const NAME = 'ratafia-console'

let installation: Installation
let service: Service
let nginx: Nginx
let overHttp: Server
/** The cookies that the server over http sets. */
let planted: string[] = []
let browser: Browser
let url: string

before(async () => {
  const port = await freePort()
  url = `https://${HOST}:${port}`
  installation = await newInstallation('sqlite')
  Object.assign(installation.environment, { RATAFIA_BASE_URL: url, RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
  service = await startService(installation)
  await addAccount(installation, ADA, PASSWORD)
  const nodes = [new URL(service.url).host]
  nginx = await startNginx({ directory: installation.directory, port, nodes, store: '127.0.0.1:1' })
  overHttp = createServer((_request, response) => {
    response.writeHead(200, { 'set-cookie': planted, 'content-type': 'text/html' }).end('<p>Hello</p>')
  }).listen(0, '127.0.0.1')
  await once(overHttp, 'listening')
  browser = await launch([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`])
})
after(async () => {
  await browser?.close()
  overHttp?.close()
  await nginx?.close()
  await service?.stop()
  await installation?.remove()
})

const namesIn = async (context: BrowserContext): Promise<readonly string[]> =>
  (await context.cookies()).map(({ name }) => name)

test('a console session works over https, and a response over http cannot set one', async () => {
  const ada = await openWindow(browser, { ignoreHTTPSErrors: true })
  await signIn(ada.page, url, ADA.username)
  const cookies = await ada.context.cookies()
  assert.deepEqual(
    cookies.filter(({ name, secure }) => !name.startsWith('__Secure-ratafia-') || !secure),
    [],
  )
  const session = cookies.find(({ name }) => name === `__Secure-${NAME}`)
  assert.ok(session, JSON.stringify(cookies))

  const victim = await openWindow(browser, { ignoreHTTPSErrors: true })
  const attributes = 'Path=/console; HttpOnly; SameSite=Lax'
  planted = [
    `__Secure-${NAME}=${session.value}; ${attributes}`,
    `__Secure-${NAME}=${session.value}; ${attributes}; Secure`,
    `${NAME}=${session.value}; ${attributes}`,
  ]
  await victim.page.goto(`http://${HOST}:${(overHttp.address() as AddressInfo).port}/`)
  assert.deepEqual(await namesIn(victim.context), [NAME])
  await victim.page.goto(`${url}/console/tokens`)
  assert.ok(!victim.page.url().startsWith(`${url}/console/tokens`), victim.page.url())
  await ada.page.goto(`${url}/console/tokens`)
  assert.equal(ada.page.url(), `${url}/console/tokens`)
})
