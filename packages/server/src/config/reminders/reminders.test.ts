/** Tests the settings of the mail server and the webhook in variables and files. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ConfigError, readConfig } from '../config.ts'
import { readSecretText } from '../secrets/secret-text.ts'
import { parseSender, parseSmtpUrl, parseWebhookSecret } from './parse.ts'

const LOOPBACK = { port: 587, secure: false, loopback: true, login: undefined }

test('reads the port of a mail server, and whether the password would leave the machine', () => {
  assert.deepEqual(parseSmtpUrl('smtp://127.0.0.1'), { ...LOOPBACK, host: '127.0.0.1' })
  assert.deepEqual(parseSmtpUrl('smtp://localhost:25/'), { ...LOOPBACK, host: 'localhost', port: 25 })
  assert.deepEqual(parseSmtpUrl('smtp://[::1]:2525'), { ...LOOPBACK, host: '::1', port: 2525 })
  assert.deepEqual(parseSmtpUrl('smtps://u%40x:p%2Fq@Mail.example.com'), {
    ...{ host: 'mail.example.com', port: 465, secure: true, loopback: false },
    login: { user: 'u@x', password: 'p/q' },
  })
  for (const host of ['localhost.example.com', '10.0.0.1', '128.0.0.1']) {
    assert.equal(parseSmtpUrl(`smtp://${host}`).loopback, false, host)
  }
})

test('accepts an address, or a name and an address, as a sender', () => {
  assert.deepEqual(parseSender('a@example.com'), { name: '', address: 'a@example.com' })
  assert.deepEqual(parseSender("L'Store (dev) <a+b@example.com>"), {
    ...{ name: "L'Store (dev)", address: 'a+b@example.com' },
  })
})

test('refuses a webhook without a secret, and shows how to create one', () => {
  assert.throws(() => readConfig({ RATAFIA_WEBHOOK_URL: 'https://hooks.example.com/' }), {
    message: /^RATAFIA_WEBHOOK_SECRET \(or RATAFIA_WEBHOOK_SECRET_FILE\) is required .*openssl rand -hex 32/,
  })
  const secrets = { RATAFIA_WEBHOOK_SECRET: 'x'.repeat(32), RATAFIA_WEBHOOK_SECRET_FILE: '/x' }
  assert.throws(() => readConfig({ RATAFIA_WEBHOOK_URL: 'https://hooks.example.com/', ...secrets }), {
    message: /^RATAFIA_WEBHOOK_SECRET and RATAFIA_WEBHOOK_SECRET_FILE are both set/,
  })
})

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ratafia-secrets-'))
})
after(() => rm(directory, { recursive: true, force: true }))

async function inFile(text: string, mode = 0o600) {
  const file = join(directory, 'secret')
  await writeFile(file, text)
  await chmod(file, mode)
  const source = {
    from: 'file',
    file,
    variable: 'RATAFIA_WEBHOOK_SECRET_FILE',
    parse: parseWebhookSecret,
  } as const
  return readSecretText(source)
}

test('a secret in a file does not include the last line break, and others must not be able to read the file', async () => {
  assert.deepEqual(await inFile(`${'s'.repeat(32)}\n`), { value: 's'.repeat(32), warnings: [] })
  const { warnings } = await inFile('s'.repeat(32), 0o644)
  assert.match(warnings[0] ?? '', /^Other users can read .*\. Run chmod 600 /)
})

test('guarantee: no message repeats a secret', async () => {
  const short = 'hunter2-hunter2'
  for (const text of [short, `${short}\n${short} ${short}`]) {
    await assert.rejects(inFile(text), (error) => {
      assert.ok(error instanceof ConfigError)
      assert.match(error.message, /^RATAFIA_WEBHOOK_SECRET_FILE: .* is not a secret of 32 to 512/)
      return !error.message.includes('hunter2')
    })
  }
  await assert.rejects(
    readSecretText({ from: 'file', file: join(directory, 'none'), variable: 'V', parse: (text) => text }),
    { message: /^V: .*none cannot be read: / },
  )
  for (const url of ['smtp://ratafia:hunter2@mail/x', 'smtp://ratafia:hunter2@ma il', 'hunter2']) {
    assert.throws(
      () => readConfig({ RATAFIA_SMTP_URL: url }),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
      url,
    )
  }
})
