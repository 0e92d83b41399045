/** The context of every command: the streams, and functions to open the installation. `start/run.ts` provides it. */
import type { Readable, Writable } from 'node:stream'
import type { JobEnvironment, ServiceEnvironment } from '../config/command-environment.ts'
import type { JsonObject } from '../foreign-json.ts'
import type { Installation, UnopenedInstallation } from '../installation.ts'
import type { Sealer } from '../keyring/sealing.ts'
import type { Service } from './service/service.ts'

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  /** How the user calls this program. Printed commands begin with it. Default: `ratafia`. */
  readonly calledAs?: string
}

export interface CommandContext {
  readonly streams: Streams
  /**
   * Opens the installation that the environment describes, until `work` settles. Its database must exist: a
   * command that runs in the wrong directory must not create another one.
   */
  withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>
  /** Does the same for a command that only reads: it does not even create the first keys of a database without keys. */
  readInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>
  /** Does the same for the first commands of a new installation: creates an embedded database, and reports where. */
  beginInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>
  /**
   * Opens only its database, which must exist, or have the schema of this release. With `nothing`, creates an
   * embedded one if it is missing.
   */
  withUnopenedInstallation<T>(
    needs: 'nothing' | 'database' | 'current-schema',
    work: (unopened: UnopenedInstallation) => Promise<T>,
  ): Promise<T>
  /** Opens the existing secret keys, and does not create any. */
  openSealer(): Promise<Sealer>
  readonly release: string
  /** The release, and what it runs on. */
  versionFacts(): Promise<object>
  /** Returns the licences of everything inside the one-file program; undefined in other installations. */
  licenceTexts(): Promise<string | undefined>
  /** The operations of the management API, in this process, as the operator. */
  serviceOn(installation: Installation): Service
  /** Finds a command's service; `given` is its `--url`. Throws {@link UsageError}, `ConfigError`, {@link FileError}. */
  findService(given: string | undefined): Promise<FoundService>
  /** The environment's settings for commands over HTTP. */
  readonly service: ServiceEnvironment
  /** Parses the address in an option. Throws {@link UsageError}. */
  readServiceUrl(text: string): string
  /** Returns the directory where `snap create-key` keeps private keys. Throws `ConfigError`. */
  gnupgHome(): string
  /** The variables that the platform of a CI job sets. */
  readonly job: JobEnvironment
  /** Runs `ratafia demo` until a signal stops it. Throws {@link UsageError}, `ConfigError`. */
  runDemo(options: DemoOptions): Promise<void>
}

export interface DemoOptions {
  /** As typed. */
  readonly port?: string
}

/** The part of the context that functions need to print. */
export type ToStreams = Pick<CommandContext, 'streams'>

export interface FoundService {
  /** The service's URL, without a trailing slash. */
  readonly url: string
  /** The option, the variable or the login that named it. */
  readonly from: string
}

/** The options that many commands share. Each command declares those that it accepts. */
export interface CommonOptions {
  /** Prints JSON: `withJson` and `withList` declare it. */
  readonly json?: boolean
  /** The selected columns of a list: `withList`. */
  readonly columns?: readonly string[]
  /** Does not ask for confirmation: `withYes` and `withNeededYes`. */
  readonly yes?: boolean
  /** The service's address: `goes`. */
  readonly url?: string
  /** Works on the database: `goes` and `completeWays`. */
  readonly direct?: boolean
}

/** The error for wrong arguments or options of a command; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The error for a named file that cannot be read or written; the exit code is 1. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/** The error when the user did not confirm; the exit code is 1. */
export class Declined extends Error {
  override readonly name = 'Declined'
  constructor() {
    super('Nothing was changed.')
  }
}

/** The error when a service refuses a request, or answers as no Ratafia service does; the exit code is 1. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal'
  /** Whether the address may be wrong. */
  readonly aboutAddress: boolean
  /** The service's own error code, if it sent one. */
  readonly code: string
  /** The service's further details, unchecked. */
  readonly extra: JsonObject

  constructor(
    message: string,
    details: Partial<Pick<ServiceRefusal, 'code' | 'extra' | 'aboutAddress' | 'cause'>> = {},
  ) {
    const { code = 'service', extra = {}, aboutAddress = false, cause } = details
    super(message, { cause })
    this.aboutAddress = aboutAddress
    this.code = code
    this.extra = extra
  }

  /** Refuses as the service itself does, without asking it. */
  static like({ code, message }: { readonly code: string; readonly message: string }): ServiceRefusal {
    return new ServiceRefusal(message, { code })
  }
}

/** The error when a service does not answer, or cannot at the moment; the exit code is 3. */
export class ServiceAway extends Error {
  override readonly name = 'ServiceAway'
  /** Whether the address may be wrong. */
  readonly aboutAddress: boolean = false
}

/** The exit codes of every command. */
export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  unavailable: 3,
  configuration: 4,
  fault: 5,
  replaced: 6,
} as const

export const EXIT_HELP = `
Exit codes:
  0  done
  1  refused: the command cannot do this; the message gives the reason
  2  the command or its options are wrong
  3  the service or the database doesn't answer, or refuses for now; follow the message
  4  the configuration is invalid; the message names the variable
  5  a bug in the program; report it
  6  another release replaced the program while it served; start it again`
