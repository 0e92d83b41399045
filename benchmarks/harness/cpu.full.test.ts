import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { cpuOf, familyOf } from './cpu.ts'

// Each program prints the CPU time that it has used, as Node reports it, and then waits.
const BUSY =
  'for (let used = 0; used < 300_000; ) { const { user, system } = process.cpuUsage(); used = user + system }'
const SAY =
  'console.log(JSON.stringify({ ...process.cpuUsage(), pid: process.pid })); setInterval(() => {}, 1e6);'
const A_CHILD = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${BUSY}${SAY}`)}],
  { stdio: 'inherit' })`
const AN_ENDED_CHILD = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(BUSY)}]);
  console.log(JSON.stringify({ user: 200_000, system: 0, pid: process.pid })); setInterval(() => {}, 1e6)`

const cases = {
  'its own time': `${BUSY}${SAY}`,
  'a child': A_CHILD,
  'a child that has ended': AN_ENDED_CHILD,
}
for (const [what, code] of Object.entries(cases)) {
  test(`the time of a process includes ${what}`, { skip: process.platform !== 'linux' }, async () => {
    const { pid, said, end } = await started(code)
    try {
      // The kernel rounds to ticks of 10 ms.
      assert.ok(cpuOf([pid]) >= (said.user + said.system) / 1_000 - 10, `${cpuOf([pid])} ms`)
      assert.ok(familyOf([pid]).includes(said.pid))
    } finally {
      end()
    }
  })
}

test('the time of a process that does not exist is zero', {
  skip: process.platform !== 'linux',
}, () => {
  assert.equal(cpuOf([2 ** 22 + 1]), 0)
})

async function started(code: string) {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const said = JSON.parse(String(line))
  const end = () => {
    child.kill('SIGKILL')
    // Its child would keep running, and hold the output of this test open.
    if (said.pid !== child.pid) process.kill(said.pid, 'SIGKILL')
  }
  return { pid: child.pid ?? 0, said, end }
}
