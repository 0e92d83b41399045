/** What a kind of job is, and what its items work with. */
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
  /** Of a kind that has one. */
  readonly file?: JobFile | undefined
}

export type FileItem = Item & { readonly file: JobFile }

/** The parts of a file, one after the other. */
export interface JobFile {
  /** From the beginning at every call. */
  open(): AsyncIterable<Uint8Array>
  /** Each for itself, where it is a file of its own. */
  parts(): Promise<readonly Uint8Array[]>
  /** Throws `ImportError` for what is not UTF-8. */
  text(): Promise<string>
}

interface Acted {
  /** It was so already. */
  readonly before: boolean
  /** What an import did. */
  readonly result?: Counts
  /** What else it found. */
  readonly says?: string
  /** What no later item can have: its serial number. */
  readonly takes?: string
}

export interface JobKind {
  readonly needs: ManagementPermission
  /** Whether its items are devices, which a filter can choose. */
  readonly devices: boolean
  /** Only for a person who signed in a short while ago: what it does cannot be undone (B10). */
  readonly recentPerson: boolean
  /** Throws `invalid-field`. */
  readonly settingsOf: (reason: string | undefined) => Settings
  /** Of a file that is in the memory as a whole. Default: as many as there can be. */
  readonly mostParts?: number
  /** Of a kind that imports a file: from what the request says of it, and its media type. Throws `invalid-field`. */
  readonly fileSettings?: (options: FileOptions, mediaType?: string) => Settings
  /** Throws `RequestError` for an item that is refused, and `Unavailable`. */
  readonly act: (item: Item, stores: Stores) => Promise<Acted>
}

/** What a request says of a file, beside its kind. */
export interface FileOptions {
  readonly format?: ImportFormat | undefined
  /** BRAND/MODEL. */
  readonly model?: string | undefined
  readonly unknown_models?: boolean | undefined
  readonly replace_all?: boolean | undefined
}
