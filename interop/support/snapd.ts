/** Runs the program of `snapd/`: snapd as a device, and as the signer of a brand's assertions. */
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Driver, start } from './driver.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

/** The factory state of a device. Assertions are encoded. */
export interface SnapdConfiguration {
  /** The device's root directory, which keeps state, keys and assertions over a restart. */
  readonly directory: string
  /** The account and account-key of the root that this snapd trusts. */
  readonly trusted: readonly string[]
  readonly assertions: readonly string[]
  readonly brand: string
  readonly model: string
  /** The id of a store assertion, for `snap set system proxy.store=`. */
  readonly 'proxy-store'?: string
  /** The settings of its gadget's `prepare-device` hook. */
  readonly gadget?: GadgetConfiguration
}

export interface GadgetConfiguration {
  readonly name: string
  /** `device-service.url` */
  readonly url?: string
  /** `device-service.headers` */
  readonly headers?: Readonly<Record<string, string>>
  /** `registration.proposed-serial` */
  readonly 'proposed-serial'?: string
  /** `registration.body` */
  readonly body?: string
}

export interface SnapdAnswer {
  /** The reason why an operation outside of a change failed. */
  readonly error?: string
  readonly assertion?: string
  readonly change?: SnapdChange
  readonly device?: {
    readonly brand: string
    readonly model: string
    readonly serial: string
    readonly 'key-id': string
    readonly session: string
    readonly 'serial-assertion'?: string
  }
}

interface SnapdChange {
  readonly kind: string
  readonly status: string
  /** The error, as `snap change` shows it. */
  readonly error?: string
  /** The kind of the task that waits (60 s) before it tries again. */
  readonly waiting?: string
  readonly log?: readonly string[]
}

export interface SnapdDevice {
  /** Lets snapd work until its newest change is finished or has to wait. */
  run(): Promise<SnapdAnswer>
  /** Ends the wait, and lets snapd work on. */
  retry(): Promise<SnapdAnswer>
  /** Gets a device session if it has none. */
  session(): Promise<SnapdAnswer>
  /** Sends a store request with the session in `X-Device-Authorization`. */
  sections(): Promise<SnapdAnswer>
  /** Sends a store request with the session in `Snap-Device-Authorization`. */
  info(snap: string): Promise<SnapdAnswer>
  /** Remodels to an encoded model, like `snap remodel`. */
  remodel(model: string): Promise<SnapdAnswer>
  /** Restarts snapd, which loses the state in memory, such as when to try again. */
  restart(): Promise<void>
  /** Starts another device on a copy of this one's disk. It stops with this one. */
  clone(): Promise<SnapdDevice>
  stop(): Promise<void>
}

/**
 * Starts a device. A snapd without `proxy.store` finds the store at `apiUrl`, except for registration. If the directory
 * `keys` is given, `device-keys/` generates the device's key instead of the real ssh-keygen.
 */
export async function startDevice(
  configuration: SnapdConfiguration,
  apiUrl: string,
  options: { readonly keys?: string } = {},
): Promise<SnapdDevice> {
  const path = [join(clientPaths.interop, 'support/device-keys'), cleanEnvironment()['PATH']].join(delimiter)
  const environment = {
    SNAPPY_FORCE_API_URL: apiUrl,
    ...(options.keys === undefined ? {} : { DEVICE_KEYS: options.keys, PATH: path }),
  }
  const begin = async (): Promise<Driver<SnapdAnswer>> => {
    const driver = snapdProgram(environment)
    const { error } = await driver.ask({ do: 'start', ...configuration })
    if (error !== undefined) await driver.close()
    assert.equal(error, undefined)
    return driver
  }
  let driver = await begin()
  const clones: SnapdDevice[] = []
  return {
    run: () => driver.ask({ do: 'run' }),
    retry: () => driver.ask({ do: 'retry' }),
    session: () => driver.ask({ do: 'session' }),
    sections: () => driver.ask({ do: 'sections' }),
    info: (snap) => driver.ask({ do: 'info', snap }),
    remodel: (model) => driver.ask({ do: 'remodel', 'new-model': model }),
    restart: async () => {
      await driver.close()
      driver = await begin()
    },
    clone: async () => {
      const directory = `${configuration.directory}-clone-${clones.length}`
      await cp(configuration.directory, directory, { recursive: true })
      const clone = await startDevice({ ...configuration, directory }, apiUrl, options)
      clones.push(clone)
      return clone
    },
    stop: async () => {
      await Promise.all([driver.close(), ...clones.map((clone) => clone.stop())])
    },
  }
}

export interface Signing {
  /** The path of the private key (PEM, PKCS#8). */
  readonly key: string
  /** The account-id of the signer. */
  readonly authority: string
  readonly type: string
  readonly headers: Readonly<Record<string, unknown>>
  /** The path of the key that an account-key describes. */
  readonly subject?: string
}

/** Returns encoded assertions signed by snapd's own code. */
export async function signedBySnapd(all: readonly Signing[]): Promise<string[]> {
  const program = snapdProgram()
  const signed: string[] = []
  for (const one of all) {
    const { assertion, error } = await program.ask({ do: 'sign', ...one })
    signed.push(assertion ?? assert.fail(error))
  }
  await program.close()
  return signed
}

/** Returns snapd's error for each encoded assertion, before it checks the signature; undefined without one. */
export async function refusedBySnapd(encoded: readonly string[]): Promise<readonly (string | undefined)[]> {
  const program = snapdProgram()
  const refusals: (string | undefined)[] = []
  for (const assertion of encoded) {
    const { error } = await program.ask({ do: 'decode', assertion })
    refusals.push(error)
  }
  await program.close()
  return refusals
}

const snapdProgram = (environment: Readonly<Record<string, string>> = {}): Driver<SnapdAnswer> =>
  start<SnapdAnswer>(clientPaths.snapdDevice, [], environment)
