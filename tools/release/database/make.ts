/**
 * Has a release make a database with some of everything, as its operators, publishers and devices do. Later releases
 * open it (`recorded.test.ts`).
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encode, privateKeyFromPem } from '@ratafia/assertions'
import { register, registered, sessionOf } from '../../../packages/server/test/support/devices.ts'
import { ROOT } from '../../test/programs.ts'

/** A program of the release, with an installation of its own. */
export interface Driven {
  /** An existing directory for files. */
  readonly directory: string
  /** Runs a command that must succeed, and returns its standard output. */
  run(words: readonly string[], options?: RunOptions): Promise<string>
  /** Starts the service at {@link Driven.baseUrl}, and returns a function that stops it. */
  start(): Promise<() => Promise<unknown>>
  readonly baseUrl: string
}

interface RunOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** The credentials of the database's users and devices, and its lists. All of it is test data. */
export interface Made {
  readonly baseUrl: string
  readonly password: string
  /** The secret of the second factor of ann, in base32. */
  readonly secondFactor: string
  /** A developer token of ann, as tools present it, and one that an operator revoked. */
  readonly token: string
  readonly revokedToken: string
  /** The model assertion of the devices, and the API key that their registration requires. */
  readonly model: string
  readonly apiKey: string
  readonly devices: {
    readonly active: RegisteredDevice
    readonly revoked: RegisteredDevice
    /** Waits for approval. */
    readonly pending: UnregisteredDevice
  }
  /** The records of each list, by the words of the command. */
  readonly lists: Readonly<Record<string, readonly unknown[]>>
}

interface UnregisteredDevice {
  /** Its private key (PEM). */
  readonly key: string
}

interface RegisteredDevice extends UnregisteredDevice {
  /** The serial assertion. */
  readonly serial: string
  /** The newest macaroon of its session. */
  readonly session: string
}

export const MODEL = 'acme-brand/acme-classic'
/** The serial number that each device proposes. */
export const SERIALS = { active: 'ACTIVE-1', revoked: 'REVOKED-1', pending: 'PENDING-1' } as const

const RETENTIONS = [
  ...[
    'TOKEN_SESSIONS',
    'DEVICE_SESSIONS',
    'REGISTRATIONS',
    'WAITING_DEVICES',
    'CLONE_EVIDENCE',
    'JOBS',
    'COUNTERS',
  ],
]

/** Settings with which nothing in the database expires or is removed before a later release opens it. */
export const LASTING: Readonly<Record<string, string>> = {
  RATAFIA_TOKEN_LIFETIME: '36500d',
  RATAFIA_DEVICE_SESSION_LIFETIME: '36500d',
  ...Object.fromEntries(RETENTIONS.map((what) => [`RATAFIA_RETENTION_${what}`, '36500d'])),
}

const LISTS = [
  ...['accounts list', 'grants list', 'agents list', 'keys list', 'tokens list --include-inactive'],
  ...['packages list', 'issuers list', 'publishers list', 'trust list', 'brands list', 'signing-keys list'],
  ...['models list', 'api-keys list', `allow-list list --model ${MODEL}`, 'devices list', 'clones list'],
  ...['jobs list', 'audit list --limit 1000'],
]

const VECTORS = join(ROOT, 'packages/assertions/vectors/world')
const DEVICE_KEYS = join(ROOT, 'packages/server/test/data/device-keys.pem')
const PASSWORD = 'correct horse battery'
const ISSUER = 'https://builds.example'

/** Makes the database. Throws an Error if the release refuses something. */
export async function makeDatabase(driven: Driven): Promise<Made> {
  const { directory, baseUrl, start } = driven
  const run = (words: string, options?: RunOptions) => driven.run(words.split(' '), options)
  const json = async (words: string) => JSON.parse(await run(`${words} --json`))
  const file = async (name: string, text: string) => {
    const path = join(directory, name)
    await writeFile(path, text)
    return path
  }

  await run('accounts add ann --email ann@example.com --name Ann --password-stdin', { input: PASSWORD })
  await run('accounts add bob --email bob@example.com --name Bob --no-password')
  await run('accounts disable bob --yes')
  const { secret } = await json('accounts totp enable ann')
  await run('grants add ann operator')
  const agent = join(directory, 'agent.json')
  await run(`agents add line-1 --account ann --url ${baseUrl}/identity --output ${agent}`)
  await run(
    `packages import ${await file('packages.csv', 'name,snap_id\nhello,buPKUD3TKqCOgLEjjHx5kSiCpIs5cMuQ\n')}`,
  )
  const jwks = await file('issuer.json', jwksOfNewKey())
  await run(`issuers add ${ISSUER} --kind generic --stable-claims sub --jwks ${jwks}`)
  await run(
    `publishers add release --issuer ${ISSUER} --account ann --match sub=job --package hello --permission package_upload`,
  )

  await run(`trust add ${VECTORS}/account-test-root ${VECTORS}/account-key-test-root`)
  const acme = `--account ${VECTORS}/account-acme-brand --account-key ${VECTORS}/account-key-acme-brand`
  await run(`brands add ${acme} --signing-key ${VECTORS}/keys/brand.pem`)
  await run('grants add bob device-approver --brand acme-brand')
  const modelFile = join(VECTORS, 'model-acme-classic')
  await run(`models add ${modelFile} --registration auto`)
  const { key: apiKey } = await json(`api-keys add ${MODEL} --label factory`)
  await run(`allow-list import ${await file('allow-list.csv', 'serial\nA-1\nA-2\n')} --model ${MODEL}`)

  let used: Pick<Made, 'token' | 'revokedToken' | 'model' | 'apiKey' | 'devices'>
  const stop = await start()
  try {
    const create = `tokens create --url ${baseUrl} --agent ${agent} --for raw --expires 36500d`
    const revokedToken = await run(`${create} --permission package_upload --package hello --description lost`)
    const token = await run(`${create} --all --description kept`)
    // So that the tokens, and what is sealed, belong to a root key that is not the newest.
    await run('keys rotate')
    const sessions: { session_id: string; description: string }[] = await json('tokens list')
    const lost = sessions.find(({ description }) => description === 'lost')
    await run(`tokens revoke ${lost?.session_id} --yes`)
    // Over HTTP, this is a job.
    const unit = `acme-brand,acme-classic,IMPORTED-1,${Buffer.alloc(48, 1).toString('base64url')}`
    const units = await file('devices.csv', `brand_id,model,serial,device_key_id\n${unit}\n`)
    await run(`devices import ${units} --url ${baseUrl}`, { environment: { RATAFIA_AGENT_FILE: agent } })

    const modelText = await readFile(modelFile)
    const requestHeaders = { 'api-key': apiKey }
    const keys = (await readFile(DEVICE_KEYS, 'utf8')).match(
      /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n/g,
    )
    const comesUp = async (
      pem: string,
      number: string,
      { isCloned = false } = {},
    ): Promise<RegisteredDevice> => {
      const key = privateKeyFromPem(Buffer.from(pem))
      const serial = await registered({ baseUrl }, { key, modelText, serial: number, requestHeaders })
      const opened = await sessionOf({ baseUrl }, { serial, key, modelText })
      const session = await sessionOf({ baseUrl }, { serial, key, modelText, previous: opened })
      // A copy of the device opens a session of its own.
      if (isCloned) await sessionOf({ baseUrl }, { serial, key, modelText })
      return { key: pem, serial: Buffer.from(encode(serial)).toString(), session }
    }
    const [first = '', second = '', third = ''] = keys ?? []
    const active = await comesUp(first, SERIALS.active)
    const revoked = await comesUp(second, SERIALS.revoked, { isCloned: true })
    await run(`devices revoke ${MODEL}/${SERIALS.revoked} --reason stolen --yes`)
    await run(`models set-policy ${MODEL} --registration approval`)
    const pending = { key: third }
    const waiting = { key: privateKeyFromPem(Buffer.from(third)), modelText, serial: SERIALS.pending }
    await register({ baseUrl }, { ...waiting, requestHeaders })

    used = {
      ...{ token: token.trim(), revokedToken: revokedToken.trim() },
      ...{ model: modelText.toString(), apiKey, devices: { active, revoked, pending } },
    }
  } finally {
    await stop()
  }
  // Only now, because a service writes when tokens were last used a little later.
  const lists: Record<string, readonly unknown[]> = {}
  for (const words of LISTS) lists[words] = await json(words)
  return { baseUrl, password: PASSWORD, secondFactor: secret, ...used, lists }
}

function jwksOfNewKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' })
  return JSON.stringify({ keys: [{ ...jwk, kid: 'one', use: 'sig', alg: 'ES256' }] })
}
