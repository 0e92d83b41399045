/** A kind of job, and the data that its items work with. */
import type { ManagementPermission } from '@ratafia/api'
import type { Authority } from '../../authority.ts'
import type { ImportFormat } from '../../files/import-rows.ts'
import type { Stores } from '../../stores.ts'
import type { Counts } from './job.ts'

export type Settings = Readonly<Record<string, string>>

interface Item {
  readonly subject: string
  readonly authority: Authority
  readonly settings: Settings
  readonly dryRun: boolean
  /** The file, for kinds that import one. */
  readonly file?: JobFile | undefined
}

export type FileItem = Item & { readonly file: JobFile }

/** The parts of a file, in order. */
export interface JobFile {
  /** Reads the file; each call starts from the beginning. */
  open(): AsyncIterable<Uint8Array>
  /** Returns the parts separately, for kinds where each is a file of its own. */
  parts(): Promise<readonly Uint8Array[]>
  /** Throws `ImportError` for what is not UTF-8. */
  text(): Promise<string>
}

interface Acted {
  /** Whether the record was already in the wanted state. */
  readonly before: boolean
  /** The counts of an import. */
  readonly result?: Counts
  /** A message about what else it found. */
  readonly says?: string
  /** A value that no later item can have: the serial number. */
  readonly takes?: string
}

export interface JobKind {
  readonly needs: ManagementPermission
  /** Whether its items are devices, which a filter can select. */
  readonly devices: boolean
  /** Whether it requires a recent sign-in of a person, because its effect cannot be undone (B10). */
  readonly recentPerson: boolean
  /** Throws `invalid-field`. */
  readonly settingsOf: (reason: string | undefined) => Settings
  /** The maximum number of parts of a file that must fit in memory as a whole. Default: the limit for all files. */
  readonly mostParts?: number
  /** For kinds that import a file: returns the settings from the options and the media type. Throws `invalid-field`. */
  readonly fileSettings?: (options: FileOptions, mediaType?: string) => Settings
  /** Throws `RequestError` for an item that is refused, and `Unavailable`. */
  readonly act: (item: Item, stores: Stores) => Promise<Acted>
}

/** The options of a file in a request, besides its kind. */
export interface FileOptions {
  readonly format?: ImportFormat | undefined
  /** BRAND/MODEL. */
  readonly model?: string | undefined
  readonly unknown_models?: boolean | undefined
  readonly replace_all?: boolean | undefined
}
