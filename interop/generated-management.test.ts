// A client generated from the OpenAPI document of the management API, used by the program
// examples/administration/approve_batch.py.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  decode,
  encode,
  encodePublicKey,
  expectType,
  privateKeyFromKeyObject,
  sign,
} from '@ratafia/assertions'
import { agentManagementToken } from './support/agent-token.ts'
import { generateManagementClient } from './support/generated-clients.ts'
import { cleanEnvironment, clientPaths } from './support/paths.ts'
import { FARM, onOneDatabase } from './support/world.ts'

const run = promisify(execFile)
const AUTH = '/api/v1/snaps/auth'
const PROGRAM = join(clientPaths.root, 'examples/administration/approve_batch.py')

/** Imports every module of the client's package. */
const IMPORT_ALL = `
import importlib, pkgutil, ratafia_management
names = [one.name for one in pkgutil.walk_packages(ratafia_management.__path__, 'ratafia_management.')]
for name in names:
    importlib.import_module(name)
print(len(names))`

/** Imports the serials of a file into the allow-list of a model. */
const ALLOW = `
import os, sys
from ratafia_management import AuthenticatedClient
from ratafia_management.api.jobs import make_job
from ratafia_management.models import MakeJobFormat, MakeJobKind
from ratafia_management.types import File
with open(os.environ['RATAFIA_TOKEN_FILE']) as token:
    client = AuthenticatedClient(os.environ['RATAFIA_URL'], token=token.read().strip(), prefix='Macaroon')
with open(sys.argv[2], 'rb') as serials:
    job = make_job.sync(client=client, body=File(payload=serials), kind=MakeJobKind.ALLOW_LIST_IMPORT,
                        format_=MakeJobFormat.CSV, model=sys.argv[1], prefer='wait=20')
print(job.state.value, job.done, job.refused)`

onOneDatabase((world) => {
  let folder: string
  let name: string
  let asserted: string
  let directory: string
  let tokenFile: string

  before(async () => {
    const { installation, service, agentFile } = world()
    directory = installation.directory
    const brand = join(directory, 'brand')
    await installation.ratafia(['brands', 'create', '--demo', '--output', brand])
    const [file] = (await readdir(brand)).filter((one) => one.startsWith('model'))
    asserted = await readFile(join(brand, file ?? ''), 'utf8')
    const { fields } = expectType(decode(Buffer.from(asserted)), 'model')
    name = `${fields.brandId}/${fields.model}`
    await installation.ratafia(['models', 'set-policy', name, '--registration', 'approval'])
    const role = ['device-approver', '--brand', fields.brandId, '--with-agent', 'builder']
    const grant = ['grants', 'add', FARM.username, ...role]
    await installation.ratafia(grant)
    tokenFile = join(directory, 'token')
    await writeFile(tokenFile, `${await agentManagementToken(service.url, agentFile)}\n`, { mode: 0o600 })
    folder = await generateManagementClient(service.url)
  })

  const python = async (words: readonly string[], settings: Readonly<Record<string, string>> = {}) => {
    const env = cleanEnvironment({
      PYTHONPATH: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      RATAFIA_URL: world().service.url,
      RATAFIA_TOKEN_FILE: tokenFile,
      ...settings,
    })
    try {
      return { code: 0, ...(await run(clientPaths.openApiPython, [...words], { env })) }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, stdout, stderr }
    }
  }

  /** Registers a device, which has to wait for approval. */
  const ask = async (serial: string) => {
    const { url } = world().service
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = privateKeyFromKeyObject(privateKey)
    const [brand, model] = name.split('/')
    const once = await fetch(`${url}${AUTH}/request-id`, { method: 'POST' })
    const headers = {
      ...{ 'brand-id': String(brand), model: String(model), serial },
      'request-id': ((await once.json()) as { 'request-id': string })['request-id'],
      'device-key': encodePublicKey(key.publicKey).trimEnd(),
    }
    const policy = { minimumKeyBits: 2048, maximumKeyBits: 8192 }
    const request = encode(sign({ type: 'serial-request', headers }, key, { signedAt: new Date(), policy }))
    const { status } = await fetch(`${url}${AUTH}/devices`, {
      method: 'POST',
      headers: { 'content-type': 'application/x.ubuntu.assertion' },
      body: `${Buffer.from(request)}\n${asserted}`,
    })
    assert.equal(status, 202)
  }
  const statusOf = async (serial: string): Promise<string> =>
    JSON.parse(await world().installation.ratafia(['devices', 'show', `${name}/${serial}`, '--json'])).status
  const listed = async (...serials: readonly string[]) => {
    const file = join(directory, 'batch.csv')
    await writeFile(file, `serial\n${serials.join('\n')}\n`)
    return file
  }

  describe('openapi-python-client', () => {
    test('every module of the client for the management API can be imported', async () => {
      const { code, stdout, stderr } = await python(['-c', IMPORT_ALL])
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      assert.ok(Number(stdout) > 150, stdout)
    })

    test('a job of the management API approves a batch of pending devices, and no others', async () => {
      for (const serial of ['B-1', 'B-2', 'X-9']) await ask(serial)
      const { code, stdout, stderr } = await python([PROGRAM, name, await listed('B-1', 'B-2', 'B-3')])
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
      assert.match(stdout, /^job [0-9a-f-]{36}: done, 2 approved\n$/)
      const [one, two, other] = await Promise.all(['B-1', 'B-2', 'X-9'].map(statusOf))
      assert.deepEqual([one, two, other], ['active', 'active', 'pending'])
      assert.deepEqual(await python([PROGRAM, name, await listed('B-1')]), {
        code: 0,
        stdout: '',
        stderr: '',
      })
    })

    test('the program lists each device that a job of the management API refuses, with the reason', async () => {
      for (const serial of ['D-1', 'D-1', 'D-2']) await ask(serial)
      const { code, stdout, stderr } = await python([PROGRAM, name, await listed('D-1', 'D-2')])
      assert.equal(code, 1, stderr)
      assert.match(stdout, /: done, 2 approved\n$/)
      assert.ok(stderr.startsWith(`${name}/D-1: `) && stderr.split('\n').length === 2, stderr)
    })

    test('a request to the management API can have a file of serials as its body', async () => {
      const { installation, service, agentFile } = world()
      const manager = [FARM.username, 'brand-manager', '--brand', name.split('/')[0] ?? '']
      await installation.ratafia(['grants', 'add', ...manager, '--with-agent', 'builder'])
      // A token does not get roles that were granted after its creation.
      const manages = join(directory, 'manager-token')
      await writeFile(manages, await agentManagementToken(service.url, agentFile), { mode: 0o600 })
      const words = ['-c', ALLOW, name, await listed('F-1', 'F-2')]
      const { code, stdout, stderr } = await python(words, { RATAFIA_TOKEN_FILE: manages })
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'done 1 0\n', stderr: '' })
      const remove = ['allow-list', 'remove', '--model', name, '--all', '--yes']
      const removed = await installation.ratafia(remove)
      assert.equal(removed.trim(), '2 entries removed.')
      await installation.ratafia(['grants', 'remove', ...manager])
    })

    test('a refusal of the management API is read as documented', async () => {
      const { installation } = world()
      await installation.ratafia([
        'grants',
        'remove',
        FARM.username,
        'device-approver',
        '--brand',
        name.split('/')[0] ?? '',
      ])
      const refused = await python([PROGRAM, name, await listed('X-9')])
      assert.deepEqual([refused.code, refused.stdout], [2, ''])
      assert.match(refused.stderr, /^This needs the permission devices:read/)
      assert.equal(await statusOf('X-9'), 'pending')
    })
  })
})
