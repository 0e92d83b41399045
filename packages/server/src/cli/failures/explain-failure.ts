/** The message and the exit code of a command that failed. */
import { ConfigError } from '../../config/config.ts'
import { remedyOf } from '../../database/errors/remedies.ts'
import { SchemaError } from '../../database/schema/bookkeeping.ts'
import { RequestError, Unavailable } from '../../errors.ts'
import { ImportError } from '../../files/import-rows.ts'
import { KeyringError } from '../../keyring/errors.ts'
import { ReleaseError } from '../../release/release-error.ts'
import { describeError } from '../../telemetry/serializers.ts'
import { systemReason, systemRefusal } from '../../text/system-reason.ts'
import { EXIT } from '../context.ts'

export interface Failure {
  readonly exitCode: number
  /** The error code of the API, or the kind of failure, for programs. */
  readonly code: string
  readonly lines: readonly string[]
  /** JSON for a bug report. */
  readonly report?: string
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof ConfigError || error instanceof KeyringError || error instanceof SchemaError) {
    return { exitCode: EXIT.configuration, code: 'configuration', lines: error.message.split('\n') }
  }
  if (error instanceof RequestError || error instanceof ImportError) {
    const code = error instanceof RequestError ? error.code : 'import'
    return { exitCode: EXIT.refused, code, lines: error.message.split('\n') }
  }
  if (error instanceof ReleaseError) {
    return { exitCode: EXIT.refused, code: 'release', lines: [error.message] }
  }
  if (error instanceof Unavailable) {
    // The message of the database's refusal ends with a remedy, unless the failure passes by itself.
    const advice = remedyOf(error.cause) === undefined ? ' Nothing is lost; try again.' : ''
    const line = `${error.message.replace(/\.?$/, '.')}${advice}`
    return { exitCode: EXIT.unavailable, code: 'unavailable', lines: [line] }
  }
  const refused = listenRefusal(error)
  if (refused !== undefined) return { exitCode: EXIT.configuration, code: 'configuration', lines: [refused] }
  const file = fileRefusal(error)
  if (file !== undefined) return { exitCode: EXIT.refused, code: 'file', lines: [file] }
  return {
    exitCode: EXIT.fault,
    code: 'fault',
    lines: ['The command failed. Please report this.'],
    report: JSON.stringify(describeError(error), undefined, 2),
  }
}

/** The reasons why the system refuses an address to listen on. */
const LISTEN_REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses the port',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'this user may not use that port',
  ENOTFOUND: 'the name is not known',
}

/** Explains an address that the service cannot listen on; undefined for other errors. */
function listenRefusal(error: unknown): string | undefined {
  const { syscall, code, address, port, hostname } = error as Partial<ListenError>
  const where = port ? `${address}:${port}` : address
  const asked =
    syscall === 'listen' || syscall === 'bind' ? where : syscall === 'getaddrinfo' ? hostname : undefined
  if (!(error instanceof Error) || asked === undefined || code === undefined) return undefined
  return `Cannot listen on ${asked}: ${LISTEN_REFUSALS[code] ?? code}. Set RATAFIA_HOST or RATAFIA_PORT.`
}

/** Explains a system error about a file that the command did not expect; undefined for other errors. */
function fileRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || systemRefusal(error) === undefined) return undefined
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string }
  // An error without a path is about an open file, or one of the system's own.
  const name = dest ?? path ?? 'A file'
  return `${name} cannot be used (${syscall ?? 'system'}): ${systemReason(error)}.`
}

type ListenError = NodeJS.ErrnoException & { address: string; port: number; hostname: string }
