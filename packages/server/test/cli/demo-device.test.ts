/** `ratafia demo device`, as someone who tries a brand runs it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { testProgram } from '../support/program.ts'
import type { TestService } from '../support/service.ts'

describe('ratafia demo device', () => {
  const program = testProgram()
  let service: TestService
  let brand: string
  before(async () => {
    service = await program.serve()
    brand = join(program.directory, 'brand')
    await program.says(
      `brands create --demo --output ${brand} --url ${service.baseUrl}`,
      / demo device --brand /,
    )
  })
  const device = (options = '') => `demo device --brand ${brand} ${service.baseUrl} ${options}`

  test('keeps its key and its serial, so it registers once, and opens and refreshes sessions', async () => {
    const first = await program.says(
      device(),
      /^The device key is [\w-]{64}\.\nRegistered: demo-brand\/demo-device\/\S+, signed by demo-brand\.\nSession: \S{24}…\nSession details: \{.*"brand-id":"demo-brand".*\}\nRefreshed: \S{24}…\n$/,
    )
    assert.equal((await stat(join(brand, 'device/device.pem'))).mode & 0o777, 0o600)
    assert.match(await readFile(join(brand, 'device/serial'), 'utf8'), /^type: serial\n/)
    const again = await program.says(device('--no-session'))
    assert.equal(again, first.split('\n').slice(0, 2).join('\n').concat('\n'))
  })

  test('sends what a gadget can set', async () => {
    const model = 'demo-brand/demo-device'
    const { key } = await program.json('api-keys', 'add', model, '--label', 'line')
    const body = join(program.directory, 'body.yaml')
    await writeFile(body, 'mac: 00:11:22:33:44:55\n')
    const state = join(program.directory, 'with-key')
    const gadget = `--state ${state} --proposed-serial SN-1 --body ${body} --no-session`
    await program.says(device(`${gadget} --api-key-stdin`), /^Registered: demo-brand\/demo-device\/SN-1,/m, {
      input: `${key}\n`,
    })
    assert.match(await readFile(join(state, 'serial'), 'utf8'), /^mac: 00:11:22:33:44:55$/m)
    await program.says(`models set-policy ${model} --registration approval`)
    const waiting = device(`--state ${join(program.directory, 'waiting')} --api-key-stdin`)
    const pending = await program.run(waiting, { input: key })
    assert.equal(pending.code, 1)
    assert.equal(pending.stderr, 'ratafia: The device is pending. Run this again once it is approved.\n')
    await program.says(`devices revoke ${model}/SN-1 --reason lost --yes`)
    const revoked = await program.run(device(gadget))
    assert.equal(revoked.code, 1)
    assert.match(revoked.stderr, /^ratafia: This device is revoked: [^{]*\n$/)
  })

  test('explains what is wrong with its options, its files and the address', async () => {
    const at = (name: string) => join(program.directory, name)
    await mkdir(at('empty'))
    await mkdir(at('bad-key'))
    await writeFile(at('bad-key/device.pem'), 'no key')
    await copyFile(join(brand, 'account-demo-brand'), at('account'))
    const other = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    await program.refusesEach`
      demo device | 2 | --brand <directory>
      demo device --brand ${at('none')} | 1 | none cannot be read: there is no such file
      demo device --brand ${at('empty')} | 1 | There is no model-… in \S+empty\. Pass --model\.
      demo device --brand ${at('empty')} --model ${at('account')} | 1 | account is not a model assertion: .* Pass --model\.
      demo device --brand ${brand} --state ${at('bad-key')} | 1 | device\.pem is not a device key: .* pass another --state
      demo device --brand ${brand} example | 2 | ^ratafia: The URL is example, which .* Write an address
      demo device --brand ${brand} --api-key-stdin | 2 | ^ratafia: There is no API key on standard input`
    const words = `demo device --brand ${brand}`
    const strange = await program.run(`${words} ${url}`)
    assert.equal(strange.code, 1)
    assert.match(
      strange.stderr,
      /sent an answer without "request-id"\. It may be another program\. Check the URL\.\n$/,
    )
    other.close()
    const away = await program.run(`${words} ${url}`)
    assert.equal(away.code, 3)
    assert.match(away.stderr, /cannot be reached: nothing listens there\. Check the URL, or try again\.\n$/)
  })
})
