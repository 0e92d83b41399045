/** The steps of a demo, which prints each as it happens. */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyFromPem } from '@ratafia/assertions'
import { addAccount } from '../../accounts/add.ts'
import { makeSignInLink, signInLinkRecord } from '../../accounts/one-time-links/link.ts'
import { createDemoBrand } from '../../brands/demo-brand.ts'
import { showModelName } from '../../brands/models/model-policy.ts'
import { setPolicy } from '../../brands/models/set-policy.ts'
import { writeFiles } from '../../cli/brands/create-demo.ts'
import { ServiceAway, ServiceRefusal } from '../../cli/context.ts'
import { sendTo } from '../../cli/demo/send.ts'
import { createDevice, type Device, newDeviceKey, type Serial } from '../../demo/device.ts'
import { rejectDevice } from '../../devices/decide.ts'
import { addGrant } from '../../management/grants/add-grant.ts'
import type { RunningService } from '../service/service.ts'

interface Demo {
  readonly service: Pick<RunningService, 'baseUrl' | 'installation'>
  /** An existing directory for the files of the brand. */
  readonly directory: string
  readonly say: (line: string) => void
  /** Aborted when the demo should stop, after which nothing is printed. */
  readonly stop: AbortSignal
}

const ACCOUNT = 'demo'
/** How often the devices ask again. snapd asks every minute for a serial. */
const ASK_AGAIN_MS = 2_000

/** Runs the demo's steps, then lets the devices ask again until they are refused. Throws when stopped. */
export async function showDemo({ service, directory, stop, ...demo }: Demo): Promise<void> {
  const { baseUrl, installation } = service
  const { authority } = installation
  const say = (line: string) => {
    stop.throwIfAborted()
    demo.say(line)
  }
  say(`Started the service at ${baseUrl}.`)
  // Creating keys takes longest, so all of them are created at once.
  const keys = Promise.all([newDeviceKey(), newDeviceKey(), newDeviceKey()])

  const password = randomBytes(12).toString('base64url')
  const account = { username: ACCOUNT, email: 'demo@example.com', name: 'Demo operator', password }
  await addAccount({ ...account, authority }, installation)
  await addGrant({ account: ACCOUNT, role: 'operator', authority }, installation)
  say(`Created the account ${ACCOUNT}, an operator.`)

  const brand = join(directory, 'demo-brand')
  await mkdir(brand, { mode: 0o700 })
  const { model, files } = await createDemoBrand(
    { name: 'demo', url: baseUrl, keep: (written) => writeFiles(written, brand), authority },
    installation,
  )
  say(`Created the brand ${model.brandId} and its model ${model.model}.`)

  const modelText = files.find(({ name }) => name === `model-${model.model}`)?.text ?? ''
  const deviceWith = (key: string) =>
    createDevice({ model: modelText, key: privateKeyFromPem(key), send: sendTo(baseUrl) })
  const [firstKey, secondKey, thirdKey] = await keys
  const registered = deviceWith(firstKey)
  const session = await bringUp(registered, 'DEMO-1', say)

  await setPolicy({ model, changes: { registration: 'approval' }, authority }, installation)
  say(`Changed the policy of ${showModelName(model)}: new devices now need your approval.`)

  const waiting = deviceWith(secondKey)
  await waiting.register({ proposedSerial: 'DEMO-2' })
  say('DEMO-2 asked for a serial, and waits for approval.')

  const rejected = deviceWith(thirdKey)
  await rejected.register({ proposedSerial: 'DEMO-3' })
  const reason = 'It is not one of ours.'
  await rejectDevice({ name: `${showModelName(model)}/DEMO-3`, reason, authority }, installation)
  const refusal = await refusalOf(rejected, 'DEMO-3')
  say(`DEMO-3 asked for a serial, was rejected, asked again, and was refused:\n  ${refusal}`)

  const link = await makeSignInLink({ account: ACCOUNT, authority }, installation)
  const { url } = signInLinkRecord(link, `${baseUrl}/identity`)
  say(`
Open the console. This link signs you in, once, within 10 minutes:
  ${url}
To sign in later: username ${ACCOUNT}, password ${password}
To register another device:
  ratafia demo device --brand ${brand} ${baseUrl}

Approve DEMO-2 or revoke DEMO-1 in the console, and watch it here.
Press Ctrl-C to stop. Everything in this demo is gone then.
`)
  const followed = { say, stop }
  await Promise.all([keepUp(registered, 'DEMO-1', followed, session), keepUp(waiting, 'DEMO-2', followed)])
}

/**
 * Registers the device, opens a session and refreshes it, and keeps on refreshing it until `stop` or a refusal. Asks
 * again while the device waits for approval.
 */
async function keepUp(
  device: Device,
  proposedSerial: string,
  { say, stop }: Pick<Demo, 'say' | 'stop'>,
  begun?: DeviceSession,
): Promise<void> {
  for (let session = begun; ; ) {
    await sleep(ASK_AGAIN_MS, undefined, { signal: stop })
    try {
      if (session) session = await refreshed(device, session)
      else session = await bringUp(device, proposedSerial, say)
    } catch (error) {
      // Overloaded, or the machine was asleep.
      if (error instanceof ServiceAway) continue
      if (!(error instanceof ServiceRefusal)) throw error
      say(`${proposedSerial} was refused:\n  ${error.message}`)
      return
    }
  }
}

interface DeviceSession {
  readonly serial: Serial
  readonly macaroon: string
}

/** Returns undefined while the device waits for approval. */
async function bringUp(
  device: Device,
  proposedSerial: string,
  say: Demo['say'],
): Promise<DeviceSession | undefined> {
  const serial = await device.register({ proposedSerial })
  if (!serial) return undefined
  say(`${proposedSerial} registered: ${serial.authorityId} signed its serial.`)
  const opened = { serial, macaroon: await device.openSession(serial) }
  const session = await refreshed(device, opened)
  say(`${proposedSerial} opened a session, and refreshed it.`)
  return session
}

const refreshed = async (device: Device, { serial, macaroon }: DeviceSession): Promise<DeviceSession> => ({
  serial,
  macaroon: await device.openSession(serial, macaroon),
})

/** Returns why the service refuses a serial. Throws `TypeError` if it does not. */
async function refusalOf(device: Device, proposedSerial: string): Promise<string> {
  try {
    await device.register({ proposedSerial })
  } catch (error) {
    if (error instanceof ServiceRefusal) return error.message
    throw error
  }
  throw new TypeError(`the service did not refuse ${proposedSerial}`)
}
