/** How the service is, as a node of it tells whoever may read that. */
import { basename } from 'node:path'
import { type Authority, requireForAll } from '../authority.ts'
import { type Finding, readStatus, type StatusDeps, type Surroundings } from './read-status.ts'

/** What a node knows of itself. */
export interface ServiceHere {
  readonly baseUrl: string
  readonly database: 'sqlite' | 'postgres'
  readonly schema: () => Promise<Surroundings['schema']>
  readonly certificates: () => Promise<NonNullable<Surroundings['certificates']>>
  /** Milliseconds. */
  readonly lag: () => number
  readonly remindersBy: Surroundings['remindersBy']
}

/**
 * Without addresses of databases and paths: they are for whoever has the machine. Throws `RequestError`
 * `permission-denied`, and `Unavailable`.
 */
export async function serviceStatus(
  { authority }: { readonly authority: Authority },
  { here, ...deps }: StatusDeps & { readonly here: ServiceHere },
): Promise<readonly Finding[]> {
  requireForAll(authority, 'status:read')
  const { baseUrl, database } = here
  const schema = await here.schema()
  return readStatus(
    {
      database: { kind: database, location: database === 'sqlite' ? 'SQLite' : 'PostgreSQL' },
      schema,
      // It does, or this request would not be here.
      answer: { url: baseUrl, ready: true },
      certificates: await certificatesOf(here),
      lagMs: here.lag(),
      remindersBy: here.remindersBy,
    },
    deps,
  )
}

async function certificatesOf({ certificates }: ServiceHere): Promise<Surroundings['certificates']> {
  try {
    return (await certificates()).map(({ file, until }) => ({ file: basename(file), until }))
  } catch {
    // They were there when the service began.
    return undefined
  }
}
