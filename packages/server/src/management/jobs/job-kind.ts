/** What a kind of job is, and what its items work with. */
import type { ManagementPermission } from '@ratafia/api'
import type { AuditStore } from '../../audit/audit-store.ts'
import type { Authority } from '../../authority.ts'
import type { BrandDeps, BrandStores } from '../../brands/brand-deps.ts'
import type { ChangingBy } from '../../change.ts'
import type { ApprovalDeps } from '../../devices/registration/approval/approve.ts'
import type { RegisterStores } from '../../devices/registration/register-stores.ts'
import type { InImport } from '../../devices/transfer/import-devices.ts'
import type { ImportFormat } from '../../files/import-rows.ts'
import type { PackageStore } from '../../package-directory/package-store.ts'
import type { SessionChangeDeps } from '../../tokens/administration/revoke-session.ts'
import type { SessionStore } from '../../tokens/session-store.ts'
import type { Counts } from './job.ts'

export type Settings = Readonly<Record<string, string>>

export interface KindDeps
  extends Omit<ApprovalDeps, 'changeBy' | 'brands'>,
    Omit<SessionChangeDeps, 'changeBy'>,
    Omit<BrandDeps, 'changeBy' | 'change'> {
  readonly changeBy: ChangingBy<ItemStores>
  /** Without a limit of time. */
  readonly inImport: ChangingBy<InImport>
  readonly packages: PackageStore
  readonly audit: Pick<AuditStore, 'chain' | 'linkedAfter' | 'countUnlinked' | 'list'>
}

/** What the items of all kinds change. */
export type ItemStores = RegisterStores &
  BrandStores & { readonly tokenSessions: SessionStore; readonly packages: PackageStore }

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
  readonly act: (item: Item, deps: KindDeps) => Promise<Acted>
}

/** What a request says of a file, beside its kind. */
export interface FileOptions {
  readonly format?: ImportFormat | undefined
  /** BRAND/MODEL. */
  readonly model?: string | undefined
  readonly unknown_models?: boolean | undefined
  readonly replace_all?: boolean | undefined
}
