import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './free-port.ts'

test('returns different ports that a program can listen on', async () => {
  const ports = await Promise.all(Array.from({ length: 8 }, freePort))
  assert.equal(new Set(ports).size, ports.length)
  for (const port of ports) {
    assert.ok(port >= 10_000 && port < 32_768, `${port} is outside the range`)
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
  }
})

test('skips a port that a server listens on', async () => {
  const taken = (await freePort()) + 1
  const server = createServer()
  // If another program already listens there, the port is in use as well.
  const listens = new Promise((resolve) => server.once('listening', resolve).once('error', resolve))
  server.listen(taken, '127.0.0.1')
  await listens
  try {
    assert.ok((await freePort()) > taken)
  } finally {
    server.close()
  }
})

test('skips a port that another process got from here', async () => {
  const taken = (await freePort()) + 1
  const script = `
    import { createSocket } from 'node:dgram'
    const socket = createSocket('udp4').bind({ port: ${taken}, address: '127.0.0.1', exclusive: true })
    socket.once('listening', () => process.stdout.write('claimed')).once('error', () => process.exit(1))
    process.stdin.once('end', () => process.exit()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  // If something else has the port, the process exits, and the port is in use as well.
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  const port = await freePort()
  child.stdin.end()
  assert.ok(port > taken)
})
