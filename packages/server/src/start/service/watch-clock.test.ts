import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../telemetry/log.ts'
import { watchClock } from './service.ts'

test('logs each change once: at the start, while running, and when the clocks agree again', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const said: unknown[] = []
  const log = {
    info: (_fields: object, message: string) => said.push(['info', message]),
    warn: ({ ahead_seconds: ahead }: { ahead_seconds: number }) => said.push(['warn', ahead]),
  } as unknown as Log
  let ahead = 7_200_040
  const watching = watchClock(() => ahead, log)
  const AGAIN = ['info', 'the clocks of this machine and the database agree again']
  for (const [now, expected] of [
    [7_200_040, [['warn', 7200]]],
    [
      -60_000,
      [
        ['warn', 7200],
        ['warn', -60],
      ],
    ],
    [0, [['warn', 7200], ['warn', -60], AGAIN]],
    [4_000, [['warn', 7200], ['warn', -60], AGAIN]],
    [6_000, [['warn', 7200], ['warn', -60], AGAIN, ['warn', 6]]],
  ] as const) {
    ahead = now
    t.mock.timers.tick(1_000)
    assert.deepEqual(said, expected)
  }
  watching.stop()
})
