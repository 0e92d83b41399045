// npm run test:image. Builds the image, checks what is in it, and starts it with podman as strictly as the documentation
// says: rootless, read-only, without capabilities.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { ROOT } from '../../tools/test/programs.ts'

const IMAGE = join(ROOT, `build/packages/ratafia-${RELEASE}.oci.tar`)
const LARGEST = 70e6
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'
const root = process.getuid?.() === 0

let directory: string
let image: Image
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'ratafia-image-'))
  chmodSync(directory, 0o755)
  build('--output', IMAGE)
  const [first] = imagesOf(IMAGE)
  assert.ok(first)
  image = first
})
after(() => rmSync(directory, { recursive: true, force: true }))

interface Descriptor {
  readonly digest: string
  readonly size: number
  readonly platform: { readonly architecture: string }
}

/** An image for one processor, as the OCI image specification describes it. */
interface Image {
  readonly architecture: string
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly Volumes: Readonly<Record<string, object>>
    readonly Labels: Readonly<Record<string, string>>
  }
  /** In bytes, compressed. */
  readonly size: number
  /** `tar --list --verbose` of each layer. */
  readonly entries: readonly Entry[]
  /** Returns the text of a file. */
  read(path: string): string
}

interface Entry {
  readonly mode: string
  readonly owner: string
  readonly path: string
}

/** Returns the images in an OCI archive, one for each processor. */
function imagesOf(archive: string): readonly Image[] {
  const layout = mkdtempSync(join(directory, 'layout-'))
  execFileSync('tar', ['--extract', '--file', archive, '--directory', layout])
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
  const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
  const [{ digest }]: [Descriptor] = json(join(layout, 'index.json')).manifests
  return json(blob(digest)).manifests.map((manifest: Descriptor): Image => {
    const { config, layers }: { config: Descriptor; layers: Descriptor[] } = json(blob(manifest.digest))
    const [layer, ...others] = layers
    assert.ok(layer && others.length === 0, 'the image has one layer')
    const list = ['--list', '--verbose', '--numeric-owner', '--file', blob(layer.digest)]
    const lines = execFileSync('tar', list, { encoding: 'utf8', maxBuffer: 16e6 }).trim().split('\n')
    return {
      architecture: manifest.platform.architecture,
      config: json(blob(config.digest)).config,
      size: layer.size,
      entries: lines.map((line) => {
        const [mode = '', owner = '', , , , path = ''] = line.split(/ +/)
        return { mode, owner, path }
      }),
      read: (path) =>
        execFileSync('tar', ['--extract', '--to-stdout', '--file', blob(layer.digest), path], {
          encoding: 'utf8',
        }),
    }
  })
}

/** Writes a file in place of the program for `platform`, and returns its directory: such an image builds quickly. */
function standInProgram(platform: string): string {
  const place = join(directory, platform)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'ratafia'), '')
  writeFileSync(join(place, 'build.json'), JSON.stringify({ release: RELEASE, commit: null, platform }))
  return place
}

/** Builds an image. All builds share the files of Debian's packages. For root, temporary files are in memory. */
function build(...words: readonly string[]): void {
  const command = [join(ROOT, 'packaging/image/build'), '--debian', join(directory, 'debian'), ...words]
  const TMPDIR = join(directory, 'work')
  mkdirSync(TMPDIR, { recursive: true })
  const inMemory = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs "$TMPDIR" && exec "$@"', 'sh']
  const [program = '', ...rest] = root ? [...inMemory, ...command] : command
  execFileSync(program, rest, { env: { ...process.env, TMPDIR }, stdio: ['ignore', 'ignore', 'pipe'] })
}

test('the image contains the program, the libraries it needs, and nothing to start but the program', () => {
  assert.ok(image.size < LARGEST, `${image.size} bytes`)
  const texts = /^usr\/share\/(zoneinfo|common-licenses|doc)\/./
  const files = image.entries.filter(({ mode, path }) => !mode.startsWith('d') && !texts.test(path))
  const libraries = [
    'atomic',
    'c',
    'dl',
    'gcc_s',
    'm',
    'nss_dns',
    'nss_files',
    'pthread',
    'resolv',
    'rt',
    'stdc++',
  ]
  const name = (path: string) =>
    /^usr\/lib\/[^/]+\/lib([^.]+)\.so\./.exec(path)?.[1] ?? path.replace(/^usr\/lib.*\/ld-linux-.*/, 'loader')
  assert.deepEqual(
    [...new Set(files.map(({ path }) => name(path)))].sort(),
    [
      ...libraries,
      'etc/group',
      'etc/nsswitch.conf',
      'etc/os-release',
      'etc/passwd',
      'etc/ssl/certs/ca-certificates.crt',
      'lib',
      ...(ARCHITECTURE === 'amd64' ? ['lib64'] : []),
      'loader',
      'usr/bin/ratafia',
      'usr/lib/os-release',
      'var/lib/dpkg/status',
    ].sort(),
  )
  assert.deepEqual(
    image.entries.filter(
      ({ mode, path }) => /^.{3}[sS]|^.{6}[sS]/.test(mode) || /^-.*w.$/.test(mode) || path === '',
    ),
    [],
  )
  assert.deepEqual(
    image.entries.filter(({ owner }) => owner !== '0/0'),
    [{ mode: 'drwx------', owner: '10001/10001', path: 'data/' }],
  )
})

test('the image runs as its own user, and lists its Debian packages', () => {
  const { User, Env, Entrypoint, Cmd, Volumes, Labels } = image.config
  assert.deepEqual(
    { User, Env, Entrypoint, Cmd, Volumes },
    {
      User: '10001:10001',
      Env: ['PATH=/usr/bin', 'RATAFIA_DATA_DIR=/data', 'RATAFIA_HOST=0.0.0.0'],
      Entrypoint: ['ratafia'],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
    },
  )
  assert.equal(Labels['org.opencontainers.image.version'], RELEASE)
  assert.match(String(Labels['org.opencontainers.image.revision']), /^[0-9a-f]{40}/)
  const status = image.read('var/lib/dpkg/status')
  assert.deepEqual(
    [...status.matchAll(/^Package: (.+)\nStatus: install ok installed\n(?:.+\n)*?Version: .+\n/gm)].map(
      (match) => match[1],
    ),
    ['base-files', 'ca-certificates', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6', 'tzdata'],
  )
})

test('images for both processors become one index', () => {
  const both = join(directory, 'both.tar')
  build('--output', both, standInProgram('linux-x64'), standInProgram('linux-arm64'))
  const loaders = imagesOf(both).map(({ architecture, entries }) => ({
    architecture,
    loader: entries.find(({ mode, path }) => mode.startsWith('-') && path.includes('/ld-linux-'))?.path,
  }))
  assert.deepEqual(loaders, [
    { architecture: 'amd64', loader: 'usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2' },
    { architecture: 'arm64', loader: 'usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1' },
  ])
})

test("an image in Docker's format has a health check", () => {
  const docker = join(directory, 'docker.tar')
  build('--format', 'docker', '--output', docker, standInProgram(`linux-${process.arch}`))
  const read = (path: string) =>
    JSON.parse(
      execFileSync('tar', ['--extract', '--to-stdout', '--file', docker, path], { encoding: 'utf8' }),
    )
  const [{ Config, RepoTags }] = read('manifest.json')
  assert.deepEqual(RepoTags, [`docker.io/library/ratafia:${RELEASE}`])
  assert.deepEqual(read(Config).config.Healthcheck.Test, ['CMD', 'ratafia', 'health'])
})

// The suite runs as root in CI, but containers never do.
const ACCOUNT = 'ratafia-image'

/** Returns the account that starts containers: undefined for the account that runs the test. */
function account(): { uid: number; gid: number } | undefined {
  if (!root) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, ACCOUNT], { encoding: 'utf8' }))
  return { uid: id('--user'), gid: id('--group') }
}

/** Returns the words and options that run podman with its images and containers in `place`. */
function podmanIn(place: string) {
  const user = account()
  mkdirSync(join(place, 'run'), { recursive: true, mode: 0o700 })
  for (const path of [place, join(place, 'run')]) if (user) chownSync(path, user.uid, user.gid)
  const store = ['--root', join(place, 'images'), '--runroot', join(place, 'run/containers')]
  // These work everywhere: crun, the default, refuses some control groups, and there may be no systemd to make one.
  const engine = [
    '--storage-driver',
    'vfs',
    '--cgroup-manager',
    'cgroupfs',
    '--events-backend',
    'file',
    '--runtime',
    'runc',
  ]
  const options = {
    ...user,
    cwd: place,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: place, XDG_RUNTIME_DIR: join(place, 'run') },
  }
  return { words: [...store, ...engine], options }
}

/** As an orchestrator with strict rules starts a container. No network: the test enters the container's own. */
const STRICT = [
  ...['--network=none', '--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
  ...['--image-volume=ignore', '--env=RATAFIA_BASE_URL=http://127.0.0.1:8080'],
]

test('rootless podman runs the image read-only and without capabilities', async (t) => {
  const place = join(directory, 'podman')
  const { words, options } = podmanIn(place)
  const podman = (...more: readonly string[]) =>
    execFileSync('podman', [...words, ...more], {
      ...options,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  const attempt = (...more: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('podman', [...words, 'run', '--rm', ...STRICT, ...more], {
      ...options,
      encoding: 'utf8',
    })
    return { status, output: `${stdout}${stderr}` }
  }
  t.after(() => {
    podman('rm', '--all', '--force')
    // Files in images belong to other ids of the account.
    podman('unshare', 'rm', '-rf', join(place, 'images'))
    // Ends the process that keeps the user namespace.
    podman('system', 'migrate')
  })
  const name = `localhost/ratafia:${RELEASE}`
  execFileSync('podman', [...words, 'load', '--quiet'], {
    ...options,
    stdio: [openSync(IMAGE, 'r'), 'ignore', 'pipe'],
  })

  await t.test('it explains that it needs a volume', () => {
    const { status, output } = attempt(name)
    assert.equal(status, 4)
    assert.match(
      output,
      /^ratafia: RATAFIA_DATA_DIR: \/data cannot be written to: its file system is read-only\./,
    )
  })

  await t.test('it explains that the volume belongs to another user', () => {
    const foreign = join(place, 'foreign')
    podman('unshare', 'mkdir', foreign)
    const { status, output } = attempt(`--volume=${foreign}:/data`, name)
    assert.equal(status, 4)
    assert.match(
      output,
      /^ratafia: RATAFIA_DATA_DIR: \/data cannot be written to: this user is not allowed to\./,
    )
  })

  await t.test('it accepts a secret as a pod has it, a file of root that its group can read', () => {
    const secret = join(place, 'secret')
    const create = `head -c 32 /dev/urandom | base64 >${secret} && chown 0:10001 ${secret} && chmod 0440 ${secret}`
    podman('unshare', 'sh', '-c', create)
    const words = [
      `--volume=${secret}:/secret`,
      '--env=RATAFIA_SECRET_KEY_FILE=/secret',
      '--volume=checked:/data',
    ]
    const { status, output } = attempt(...words, name, 'config', 'check')
    assert.equal(status, 0, output)
    assert.doesNotMatch(output, /can read/)
  })

  await t.test('it serves with its files readable for its user only, and SIGTERM stops it', async () => {
    podman('volume', 'create', 'data')
    const run = ['run', '--name=service', ...STRICT, '--volume=data:/data', name]
    const service = spawn('podman', [...words, ...run], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = new Promise<number | null>((resolve) => service.once('exit', resolve))
    let listening = false
    for await (const line of createInterface({ input: service.stdout })) {
      if (!line.startsWith('ratafia listening on ')) continue
      listening = true
      break
    }
    assert.ok(listening, 'it is not listening')

    const pid = podman('inspect', '--format={{.State.Pid}}', 'service')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    assert.match(status, /^NSpid:\t\d+\t1$/m)
    assert.match(status, /^NoNewPrivs:\t1$/m)
    assert.match(status, /^CapEff:\t0+$/m)
    assert.match(status, /^CapBnd:\t0+$/m)
    assert.doesNotMatch(status, /^Uid:\t(0|10001)\t/m, 'it runs as a user of the host')

    assert.equal(podman('exec', 'service', 'ratafia', 'health'), 'http://127.0.0.1:8080 accepts requests.')
    const data = podman('volume', 'inspect', '--format={{.Mountpoint}}', 'data')
    const files = podman('unshare', 'find', data, '-printf', '%m %U %P\n').split('\n').sort()
    assert.deepEqual(files, [
      '600 10001 ratafia.db',
      '600 10001 ratafia.db-shm',
      '600 10001 ratafia.db-wal',
      '600 10001 secret.key',
      '700 10001 ',
    ])
    assert.equal(podman('exec', 'service', 'ratafia', '--version'), `ratafia ${RELEASE}`)

    podman('kill', '--signal=TERM', 'service')
    assert.equal(await exit, 0)
  })
})
