/** The memory that cached device sessions need. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDeviceId } from '@ratafia/api'
import type { CacheFreshness } from '../../database/index.ts'
import { rememberedDeviceSessions } from './remembered-device-sessions.ts'

const clock = () => new Date('2026-01-27T10:12:02.822Z')

test('guarantee: sessions of devices with the longest names do not exhaust memory', async () => {
  const memories: CacheFreshness['memories'] = new Map()
  const freshness: CacheFreshness = {
    ...{ position: 0, memories, current: () => true, subscribe: () => {} },
    ...{ lag: () => 0, close: async () => {} },
  }
  const sessions = rememberedDeviceSessions(freshness, { clock })
  const until = new Date(clock().getTime() + 1_000)
  for (let at = 0; at < 2_000; at++) {
    const serial = `${at}-`.padEnd(30_000, 'x')
    await sessions.remember(String(at), async () => ({
      ...{
        deviceId: newDeviceId(new Date()),
        description: JSON.stringify({ serial }),
        until,
        notBefore: undefined,
      },
      headers: { 'ratafia-serial': serial },
    }))
  }
  const remembered = memories.get('device-session')?.().size ?? assert.fail()
  assert.ok(remembered > 500 && remembered < 1_000, `${remembered}`)
  assert.equal(sessions.find('1999')?.headers['ratafia-serial']?.length, 30_000)
})
