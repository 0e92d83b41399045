/** A primary with its synchronous standby, and nodes that use them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Postgres } from '../../../faults/world/postgres.ts'
import { startNode, type TestNode } from '../../../packages/server/test/support/nodes.ts'

export interface PrimaryAndStandby {
  readonly primary: Postgres
  readonly standby: Postgres
  startNode(url: string): Promise<TestNode>
  close(): Promise<void>
}

export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-standby-'))
  // The servers' own account needs access to it.
  chmodSync(directory, 0o755)
  const primary = await Postgres.start(join(directory, 'primary'))
  const standby = await primary.addStandby(join(directory, 'standby'))
  const nodes: TestNode[] = []
  return {
    primary,
    standby,
    startNode: async (url) => {
      const node = await startNode({ kind: 'postgres', url })
      nodes.push(node)
      return node
    },
    close: async () => {
      for (const node of nodes) await node.close()
      await primary.stop()
      await standby.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Returns a URL that names both servers. */
export const urlOfBoth = (first: Postgres, second: Postgres): string =>
  first.url('postgres', `${first.port},127.0.0.1:${second.port}`)
