/** What commands are given: the streams, and the ways to open the installation. `start/run.ts` provides it. */
import type { Readable, Writable } from 'node:stream'
import type { JobEnvironment } from '../config/job-environment.ts'
import type { ServiceEnvironment } from '../config/service-environment.ts'
import type { JsonObject } from '../foreign-json.ts'
import type { Installation, UnopenedInstallation } from '../installation.ts'
import type { Sealer } from '../keyring/sealing.ts'
import type { Service } from './service/service.ts'

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
}

export interface CommandContext {
  readonly streams: Streams
  /**
   * Opens the installation that the environment describes, for as long as `work` takes. Its database must exist: run in
   * the wrong directory, a command must not make another one.
   */
  withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>
  /** The same for a command that only reads: it does not even make the first keys of a database that has none. */
  readInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>
  /** The same for the first commands of a new installation: they make an embedded database, and say where. */
  beginInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>
  /**
   * Opens its database alone, which must exist, or have the schema of this release. With `nothing` an embedded one is
   * made.
   */
  withUnopenedInstallation<T>(
    needs: 'nothing' | 'database' | 'current-schema',
    work: (unopened: UnopenedInstallation) => Promise<T>,
  ): Promise<T>
  /** With the secret keys that exist: it makes none. */
  openSealer(): Promise<Sealer>
  readonly release: string
  /** The operations of the management API, in this process, as the operator. */
  serviceOn(installation: Installation): Service
  /** The service that a command asks; `given` is its `--url`. Throws {@link UsageError}, `ConfigError`, {@link FileError}. */
  findService(given: string | undefined): Promise<FoundService>
  /** What the environment says to commands over HTTP. */
  readonly service: ServiceEnvironment
  /** The address in an option. Throws {@link UsageError}. */
  readServiceUrl(text: string): string
  /** Where `snap create-key` keeps private keys. Throws `ConfigError`. */
  gnupgHome(): string
  /** What the platform of a CI job says. */
  readonly job: JobEnvironment
}

export interface FoundService {
  /** Without a trailing slash. */
  readonly url: string
  /** The option, the variable or the login that named it. */
  readonly from: string
}

/** The words or options of a command are wrong; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A file that a command names cannot be read or written; the exit code is 1. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** The person who was asked did not agree; the exit code is 1. */
export class Declined extends Error {
  override readonly name = 'Declined'
  constructor() {
    super('Nothing was changed.')
  }
}

/** A service that a command talks to refuses, or answers what no service of ours does; the exit code is 1. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  /** The address may be the wrong one. */
  readonly aboutAddress: boolean
  /** The service's own, where it gives one. */
  readonly code: string
  /** What else the service says about it, unchecked. */
  readonly extra: JsonObject

  constructor(
    message: string,
    {
      code = 'service',
      extra = {},
      aboutAddress = false,
      cause,
    }: {
      readonly code?: string
      readonly extra?: JsonObject
      readonly aboutAddress?: boolean
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause })
    this.aboutAddress = aboutAddress
    this.code = code
    this.extra = extra
  }
}

/** A service that a command talks to does not answer, or cannot now; the exit code is 3. */
export class ServiceAway extends Error {
  override readonly name = 'ServiceAway'
  /** The address may be the wrong one. */
  readonly aboutAddress: boolean = false
}

/** The exit codes of every command. */
export const EXIT = { done: 0, refused: 1, usage: 2, unavailable: 3, configuration: 4, fault: 5 } as const

export const EXIT_HELP = `
Exit codes:
  0  done
  1  refused: the command cannot do this; the message says why
  2  the command or its options are wrong
  3  the database or another service does not answer; try again
  4  the configuration is invalid; the message names the variable
  5  a bug in the program; please report it`
