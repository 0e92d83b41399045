/** Starts several nodes of one service in this process, each with its own connections to the shared database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/clock.ts'
import { type Config, type DatabaseConfig, readConfig } from '../../src/config/config.ts'
import { startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import type { Fresh } from './databases.ts'
import { cheapPasswords } from './passwords.ts'
import type { TestService } from './service.ts'

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

export interface TestNode extends TestService {
  close(): Promise<void>
}

interface NodeOptions {
  readonly identityOnly?: boolean
  /** Default: the machine's real clock. */
  readonly machineClock?: Clock
}

/** Starts a node. Nodes on the same database share one secret key, and use the database's clock. */
export async function startNode(
  database: DatabaseConfig,
  environment: Readonly<Record<string, string>> = {},
  options: NodeOptions = {},
): Promise<TestNode> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-node-'))
  const config: Config = {
    ...readConfig({
      ...{ RATAFIA_PORT: '0', RATAFIA_DATA_DIR: directory, RATAFIA_SECRET_KEY: SECRET_KEY },
      ...environment,
    }),
    database,
  }
  const { origin, installation, close } = await startService({
    config,
    ...options,
    log: createLog({ level: 'silent', pretty: false }),
    passwords: cheapPasswords(),
  })
  return {
    // The address that it listens on, even if RATAFIA_BASE_URL is different.
    baseUrl: origin,
    installation,
    now: () => new Date(),
    advance: () => {
      throw new TypeError('A node uses the real clock, which cannot be advanced.')
    },
    close: async () => {
      await close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Runs `work` on a new node, and closes the node. All its delayed writes are then stored. */
export async function onNode<T>(
  fresh: Pick<Fresh, 'target'>,
  work: (node: TestNode) => Promise<T>,
): Promise<T> {
  const node = await startNode(await fresh.target())
  try {
    return await work(node)
  } finally {
    await node.close()
  }
}
