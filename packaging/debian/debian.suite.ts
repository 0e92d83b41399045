// npm run test:debian. Tests the Debian package in build/packages: its form, and its whole life in a minimal chroot
// without a network. Needs root and packaging/debian/setup. RATAFIA_TEST_MIRROR names another Debian mirror for
// mmdebstrap.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { launch, openWindow } from '../../interop/support/chromium.ts'
import { becomeOperator, createToken } from '../../interop/support/first-minute.ts'
import { clientPaths } from '../../interop/support/paths.ts'
import { RELEASE } from '../../packages/server/src/start/release/release.ts'
import { ROOT } from '../../tools/test/programs.ts'

const PACKAGES = join(ROOT, 'build/packages')
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64'
const PACKAGE = join(PACKAGES, `ratafia_${RELEASE.replace('-', '~')}_${ARCHITECTURE}.deb`)
const MAX_BYTES = 45_000_000

/** The words that make the chroot: the oldest Debian that the package supports, its dependencies, and little else. */
const CHROOT = [
  ...['--variant=essential', '--include=adduser,libstdc++6,libatomic1,usr-is-merged'],
  // Without the hook, Debian installs usrmerge, and Perl with it.
  ...['--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr', '--dpkgopt=force-unsafe-io', '--format=tar'],
  ...['bookworm', '-', process.env['RATAFIA_TEST_MIRROR'] ?? 'http://deb.debian.org/debian'],
]
const WEEK = 7 * 24 * 60 * 60 * 1000

/** Returns the path of an archive with the chroot, made in the last week with these words. */
function chrootArchive(): string {
  const hash = createHash('sha256').update(CHROOT.join(' ')).digest('hex').slice(0, 12)
  const archive = join(PACKAGES, `chroot-${hash}.tar`)
  if (Date.now() - (statSync(archive, { throwIfNoEntry: false })?.mtimeMs ?? 0) < WEEK) return archive
  for (const old of readdirSync(PACKAGES)) if (/^chroot-/.test(old)) rmSync(join(PACKAGES, old))
  const made = `${archive}.new`
  // In memory, which takes half of the time, and leaves nothing behind if it is killed.
  const inMemory = [
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs tmpfs /tmp && TMPDIR=/tmp exec mmdebstrap "$@"',
    'sh',
  ]
  execFileSync('unshare', [...inMemory, ...CHROOT], { stdio: ['ignore', openSync(made, 'w'), 'pipe'] })
  renameSync(made, archive)
  return archive
}

const directory = mkdtempSync(join(tmpdir(), 'ratafia-debian-'))
const root = join(directory, 'root')
before(() => {
  mkdirSync(root)
  execFileSync('tar', ['-xf', chrootArchive(), '-C', root, '--exclude=./dev/*'])
  for (const device of ['null', 'zero', 'full', 'random', 'urandom']) {
    execFileSync('cp', ['-a', `/dev/${device}`, join(root, 'dev')])
  }
  copyFileSync(PACKAGE, join(root, 'ratafia.deb'))
})
after(() => rmSync(directory, { recursive: true, force: true }))

interface Result {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--', '/bin/sh', '-c']
const BASH =
  '/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 /bin/bash -c'
const IN_CHROOT = [
  ...NAMESPACES,
  `ip link set lo up && mount -t proc proc "$0/proc" && exec chroot "$0" ${BASH} "$1"`,
]
const ON_FULL_DISK = [
  ...NAMESPACES,
  `mount -t tmpfs tmpfs /mnt && cp -a "$0/." /mnt && mount -t proc proc /mnt/proc &&
  mount -o remount,size="$(($(du -skx /mnt | cut -f1) + 4096))k" /mnt && chroot /mnt ${BASH} "$1" &&
  mount -o remount,size=1g /mnt && exec chroot /mnt ${BASH} "$2"`,
]

/** Runs a script as root in the chroot, with only a loopback network. */
function inChroot(script: string, input = ''): Result {
  const { status, stdout, stderr } = spawnSync('unshare', [...IN_CHROOT, root, script], {
    input,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** Runs a script whose exit code must be 0. Returns its standard output. */
function succeeds(script: string, input?: string): string {
  const result = inChroot(script, input)
  assert.equal(result.status, 0, `${script}\n${result.stdout}${result.stderr}`)
  return result.stdout
}

/** Runs two scripts in a copy of the chroot: with 4 MB of free space, and then with enough. Returns their output. */
function onFullDisk(script: string, withSpace: string): string {
  const words = [...ON_FULL_DISK, root, `{ ${script}\n} 2>&1`, withSpace]
  const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** Starts the service in a script, and waits until it listens. */
const SERVE = `coproc ratafia serve 2>/log
  read -r -u "\${COPROC[0]}" line; [[ $line == 'ratafia listening on '* ]] || { cat /log; exit 9; }`

test('is small, and depends on libraries that Debian 12 and Ubuntu 22.04 have', () => {
  assert.ok(statSync(PACKAGE).size < MAX_BYTES, `${statSync(PACKAGE).size} bytes`)
  const depends = execFileSync('dpkg-deb', ['--field', PACKAGE, 'Depends'], { encoding: 'utf8' })
  const names = depends.split(',').map((one) => one.trim().split(' ')[0])
  const expected = ['adduser', 'debconf', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6']
  assert.deepEqual(names.toSorted(), expected)
  // The versions of Ubuntu 22.04.
  const newest = { libc6: '2.35', 'libstdc++6': '12.3', 'libgcc-s1': '12.3', libatomic1: '12.3' }
  for (const [name, has] of Object.entries(newest)) {
    const [, least = ''] = new RegExp(`${name.replaceAll('+', '\\+')} \\(>= ([^)]+)\\)`).exec(depends) ?? []
    assert.equal(spawnSync('dpkg', ['--compare-versions', least, 'le', has]).status, 0, `${name} ${least}`)
  }
})

test('lintian finds nothing that is not explained', () => {
  // It shows no spelling errors in executables, and takes seconds to look for them.
  const words = ['--fail-on', 'none', '--dont-check-part', 'binaries/spelling', PACKAGE]
  const { status, stdout } = spawnSync('lintian', words, { encoding: 'utf8' })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '' })
})

test('systemd accepts the unit, and rates its exposure 2.0 or lower', () => {
  // systemd-analyze looks for the executable of the unit.
  const unit = join(directory, 'ratafia.service')
  const text = readFileSync(join(ROOT, 'packaging/debian/debian/ratafia.service'), 'utf8')
  writeFileSync(
    unit,
    text.replace('/usr/bin/ratafia', '/bin/true').replace('man:ratafia(1)', 'man:systemd(1)'),
  )
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  // systemd before 254 has no ImportCredential.
  const unknown = /^.*Unknown key(?: name)? 'ImportCredential'.*\n/m
  assert.deepEqual([verified.status, verified.stderr.replace(unknown, '')], [0, ''])
  const words = ['security', '--offline=true', '--threshold=20', unit]
  const rated = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
  assert.equal(rated.status, 0, rated.stdout)
})

/** Returns a function that writes a script into a new directory, in place of a program of the system. */
function stubsIn(place: string): (name: string, script: string) => void {
  mkdirSync(place)
  return (name, script) => {
    writeFileSync(join(place, name), `#!/bin/bash\n${script}\n`)
    chmodSync(join(place, name), 0o755)
  }
}

test('runs commands of root under systemd with the settings and the key of the service', () => {
  const place = join(directory, 'stubs')
  const stub = stubsIn(place)
  stub('id', 'echo 0')
  stub('setpriv', `shift 5; [ "$1 $2" != "test -r" ] || [[ $3 != *secret* ]]`)
  stub('systemd-run', `printf '%s\\0' "$@" >${place}/words; cat; exit 7`)
  writeFileSync(join(place, 'key'), '')
  const wrapper = readFileSync(join(ROOT, 'packaging/debian/ratafia'), 'utf8')
    .replace('/run/systemd/system', place)
    .replace('/etc/credstore/ratafia.secret-key', join(place, 'key'))
  stub('ratafia', wrapper)
  writeFileSync(join(place, 'secret file'), '')
  const words = [
    'accounts',
    'add',
    'ann',
    '--name',
    `Ann $PATH $\{X}  "é"`,
    '',
    `--file=${place}/secret file`,
  ]
  const { status, stdout, stderr } = spawnSync(join(place, 'ratafia'), words, {
    cwd: place,
    input: 'from standard input',
    encoding: 'utf8',
    env: {
      PATH: `${place}:/usr/bin:/bin`,
      TERM: 'xterm',
      SUDO_USER: 'ann',
      RATAFIA_URL: 'https://store.example',
      RATAFIA_LOG_LEVEL: 'debug',
      LD_LIBRARY_PATH: '/nowhere',
      BASH_ENV: join(place, 'nothing'),
    },
  })
  assert.deepEqual({ status, stdout }, { status: 7, stdout: 'from standard input' })
  assert.match(stderr, /^ratafia: Ignores RATAFIA_LOG_LEVEL: /m)
  assert.match(stderr, /the user ratafia, who cannot read .*\/secret file\. Pass - /)
  const given = readFileSync(join(place, 'words'), 'utf8').split('\0').slice(0, -1)
  const end = given.indexOf('--')
  const escaped = words.map((word) => word.replaceAll('$', '$$$$'))
  assert.deepEqual(given.slice(end + 1), ['/usr/bin/ratafia', ...escaped])
  const options = given.slice(0, end)
  assert.deepEqual(
    options.filter((one) => one.startsWith('--setenv=')),
    [
      'RATAFIA_DATA_DIR=/var/lib/ratafia',
      'TERM=xterm',
      'SUDO_USER=ann',
      'RATAFIA_URL=https://store.example',
    ].map((variable) => `--setenv=${variable}`),
  )
  const unit = readFileSync(join(ROOT, 'packaging/debian/debian/ratafia.service'), 'utf8')
  for (const setting of ['User', 'Group', 'UMask', 'EnvironmentFile']) {
    const [line = assert.fail(setting)] = new RegExp(`^${setting}=.*$`, 'm').exec(unit) ?? []
    assert.ok(options.includes(`--property=${line}`), line)
  }
  assert.ok(options.includes(`--property=LoadCredential=ratafia.secret-key:${place}/key`), options.join('\n'))
  assert.ok(options.includes(`--property=WorkingDirectory=${place}`))
})

test('a signal reaches a command of root under systemd', async () => {
  const place = join(directory, 'signals')
  const stub = stubsIn(place)
  stub('id', 'echo 0')
  stub('setpriv', 'exit 0')
  execFileSync('mkfifo', [join(place, 'end')])
  // The command ends, with its own exit code, when systemctl delivers the signal.
  stub('systemd-run', `echo started; read -r -t 60 signal <>${place}/end; echo "$signal"; exit 3`)
  stub('systemctl', `echo "$*" >${place}/end`)
  stub(
    'ratafia',
    readFileSync(join(ROOT, 'packaging/debian/ratafia'), 'utf8').replace('/run/systemd/system', place),
  )
  const running = spawn(join(place, 'ratafia'), ['serve'], {
    env: { PATH: `${place}:/usr/bin:/bin` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  running.stdout.setEncoding('utf8').on('data', (text) => {
    if (output === '') running.kill('SIGTERM')
    output += text
  })
  const [code] = await once(running, 'close')
  assert.equal(code, 3)
  assert.match(output, /^started\nkill --signal=TERM ratafia-command-\d+-\d+\.service\n$/)
})

/** When the installation began, in milliseconds of the monotonic clock. */
let installing = 0
const secondsSince = (time: number): string => ((performance.now() - time) / 1000).toFixed(1)

test('on a full disk it is not installed, and nothing of it is left; with space it is', () => {
  const shown = onFullDisk(
    'dpkg -i /ratafia.deb && exit 7; ls /usr/bin/ratafia /usr/lib/ratafia /etc/ratafia || exit 0',
    'dpkg -i /ratafia.deb >/dev/null 2>&1 && ratafia --version',
  )
  assert.match(shown, /No space left on device/)
  assert.equal(shown.match(/cannot access/g)?.length, 3, shown)
  assert.ok(shown.endsWith(`ratafia ${RELEASE}\n`), shown)
})

test('installs without a network, and prints the next steps', () => {
  installing = performance.now()
  const { status, stdout, stderr } = inChroot('dpkg -i /ratafia.deb')
  assert.equal(status, 0, stdout + stderr)
  assert.match(stderr, /1\. Set RATAFIA_BASE_URL .*\n.*systemctl start ratafia\n.*sudo ratafia setup-link/)
  assert.equal(
    succeeds('stat -c "%A %U %G" /etc/ratafia/ratafia.env /var/lib/ratafia; ratafia --version'),
    `-rw-r----- root ratafia\ndrwx------ ratafia ratafia\nratafia ${RELEASE}\n`,
  )
  assert.ok(existsSync(join(root, 'etc/systemd/system/multi-user.target.wants')), 'the unit is enabled')
})

test('the shells and man read the completions and the page', () => {
  const share = join(root, 'usr/share')
  execFileSync('bash', ['-n', join(share, 'bash-completion/completions/ratafia')])
  execFileSync('zsh', ['-n', join(share, 'zsh/vendor-completions/_ratafia')])
  execFileSync('fish', ['--no-execute', join(share, 'fish/vendor_completions.d/ratafia.fish')])
  const page = spawnSync('man', ['--warnings', '--local-file', join(share, 'man/man1/ratafia.1.gz')], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '200', LC_ALL: 'C.UTF-8' },
  })
  assert.deepEqual([page.status, page.stderr], [0, ''])
  assert.match(page.stdout, /^ +ratafia accounts add <username> \[options\]$/m)
  assert.match(page.stdout, /^ +--password-stdin$/m)
  for (const file of ['CHANGELOG.md.gz', 'changelog.gz', 'licences.txt.gz', 'copyright']) {
    assert.ok(existsSync(join(share, 'doc/ratafia', file)), file)
  }
})

test('the docs site is there, with every page as the links call it', () => {
  const html = join(root, 'usr/share/doc/ratafia/html')
  const names = readdirSync(html, { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    names.filter((name) => name.endsWith('.gz')),
    [],
  )
  const docBase = readFileSync(join(root, 'usr/share/doc-base/ratafia.ratafia'), 'utf8')
  const [, index = ''] = /^Index: (.+)$/m.exec(docBase) ?? []
  assert.match(readFileSync(join(root, index), 'utf8'), /<title>/)
})

test('the first minute: a signed-in operator and a first token, without a network', async (context) => {
  const service = spawn('unshare', [...IN_CHROOT, root, FIRST_MINUTE], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]()
  const link = String((await lines.next()).value)
  // Chromium runs outside of the chroot, on the chroot's loopback interface.
  const inNetwork = join(directory, 'chromium')
  const enter = `exec nsenter --net=/proc/${service.pid}/ns/net ${clientPaths.chromium} "$@"`
  writeFileSync(inNetwork, `#!/bin/sh\n${enter}\n`, { mode: 0o755 })
  const browser = await launch([], inNetwork)
  try {
    const { page, problems } = await openWindow(browser)
    await becomeOperator(page, link)
    context.diagnostic(`a signed-in operator ${secondsSince(installing)} s after the installation began`)
    service.stdin.end(`${await createToken(page, new URL(link).origin)}\n`)
    assert.match(String((await lines.next()).value), /^HTTP\/1\.1 200 /)
    context.diagnostic(`a first token ${secondsSince(installing)} s after the installation began`)
    assert.deepEqual(problems, [])
  } finally {
    await browser.close()
    service.stdin.end()
    if (service.exitCode === null) await once(service, 'exit')
  }
})

/** Prints a setup link, and the answer to a request with the token that it reads. Ends with its standard input. */
const FIRST_MINUTE = `${SERVE}
  ratafia setup-link | grep --only-matching 'http:[^ ]*/setup/[^ ]*'
  if read -r token; then
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf 'GET /api/v2/tokens/whoami HTTP/1.0\\r\\nAuthorization: Macaroon %s\\r\\n\\r\\n' "$token" >&3
    head --lines=1 <&3
  fi
  kill $COPROC_PID; wait $COPROC_PID`

test('serves, and root administers it, without systemd', () => {
  writeFileSync(
    join(root, 'etc/ratafia/ratafia.env'),
    '# a comment\nRATAFIA_BASE_URL="http://127.0.0.1:8080"\n RATAFIA_WORKERS=1 \nRATAFIA_NAME=A store $HOME & more',
  )
  const shown = succeeds(`${SERVE}
    echo 'correct horse battery staple' | ratafia accounts add ann --email ann@example.org --name 'Ann  $HOME' --password-stdin --role operator
    ratafia brands create --demo --output /var/lib/ratafia/brand >/dev/null || exit 8
    ratafia accounts list --json
    ratafia status --json >/status; echo "status $?"
    ratafia health
    tr '\\0' '\\n' </proc/$COPROC_PID/environ
    stat -c '%A %U %n' /var/lib/ratafia/{ratafia.db,secret.key}
    kill -TERM $COPROC_PID; wait $COPROC_PID; echo "ended $?"`)
  assert.match(shown, /"username":"ann","name":"Ann {2}\$HOME"/)
  assert.match(shown, /^status [01]$/m)
  assert.match(shown, /^http:\/\/127\.0\.0\.1:8080 accepts requests\.$/m)
  assert.match(shown, /^RATAFIA_NAME=A store \$HOME & more$/m)
  for (const name of ['ratafia.db', 'secret.key']) {
    assert.match(shown, new RegExp(`^-rw------- ratafia /var/lib/ratafia/${name}$`, 'm'))
  }
  assert.match(shown, /^ended 0$/m)
})

test('a command of root has the exit code, standard input and working directory of the caller', () => {
  assert.equal(inChroot('ratafia accounts show unknown').status, 1)
  assert.equal(inChroot('ratafia no-such-command').status, 2)
  const csv = 'name,snap_id\nhello,mVyGrEwiqSi5PugCwyH7WgpoQLemtTd6\n'
  succeeds('ratafia packages import -', csv)
  const unreadable = inChroot(
    `mkdir -m 0700 /root/x; cd /root/x; echo '${csv}' >file.csv; ratafia packages import file.csv`,
  )
  assert.equal(unreadable.status, 1)
  assert.match(
    unreadable.stderr,
    /^ratafia: The command runs as the user ratafia, who cannot read file\.csv\. /,
  )
  succeeds(`cd /var/lib/ratafia && ratafia backup here.gz && test -e here.gz`)
})

test('without systemd, a key in /etc/credstore reaches commands, and not their arguments', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const { stderr, status } = inChroot(`mkdir -p -m 0700 /etc/credstore
    (umask 077; echo ${key} >/etc/credstore/ratafia.secret-key)
    ratafia config check --connect; code=$?; rm /etc/credstore/ratafia.secret-key; exit $code`)
  assert.equal(status, 4, 'the database is sealed under another key')
  assert.doesNotMatch(stderr, new RegExp(key))
})

test('without systemd, a line of the settings that is not understood is refused', () => {
  const { status, stderr } = inChroot(`cp /etc/ratafia/ratafia.env /kept
    echo 'export X=1' >/etc/ratafia/ratafia.env
    ratafia version; code=$?; cat /kept >/etc/ratafia/ratafia.env; exit $code`)
  assert.equal(status, 4)
  assert.match(stderr, /^ratafia: \/etc\/ratafia\/ratafia\.env, line 1, is not NAME=VALUE\./)
})

test('for another user, it is the program with the environment of the user', () => {
  const shown = succeeds(`adduser --quiet --disabled-password --gecos '' bob
    cd /home/bob; RATAFIA_URL=http://127.0.0.1:1 setpriv --reuid=bob --regid=bob --init-groups env HOME=/home/bob ratafia tokens list 2>&1
    echo "code $?"
    setpriv --reuid=bob --regid=bob --init-groups ratafia accounts list 2>&1; echo "code $?"`)
  assert.match(shown, /Log in with `ratafia login [\s\S]*code [13]/)
  assert.match(shown, /there is no database \/home\/bob\/data\/ratafia\.db[\s\S]*code 4/)
})

test('root with a data directory of its own gets the program itself', () => {
  const shown = succeeds(
    'RATAFIA_DATA_DIR=/root/own ratafia migrate >/dev/null; stat -c %U /root/own/ratafia.db',
  )
  assert.equal(shown, 'root\n')
})

const DATA = 'stat -c %n /var/lib/ratafia/ratafia.db /var/lib/ratafia/secret.key'

test('a full disk stops an upgrade and a first start, which lose nothing and then work', () => {
  const start = 'RATAFIA_DATA_DIR=/root/new ratafia migrate'
  const shown = onFullDisk(
    `dpkg -i /ratafia.deb && exit 7; ratafia accounts show ann; cat /dev/zero >/filler
    ${start}; echo "code $?"; truncate --size=-64K /filler; ${start}; echo "code $?"`,
    `rm /filler && ${start} && dpkg -i /ratafia.deb >/dev/null 2>&1 && ratafia accounts show ann`,
  )
  assert.match(shown, /\/usr\/lib\/ratafia\/ratafia\.dpkg-new.*No space left on device/)
  assert.match(
    shown,
    /\/root\/new cannot be written to: the disk is full\. Free space on it, then try again\.\ncode 4\n/,
  )
  assert.match(shown, /database or disk is full\. Free space on its disk, then try again\.\ncode 3\n/)
  assert.equal(shown.match(/^username: +ann$/gm)?.length, 2, shown)
})

test('an upgrade and a removal keep settings and data', () => {
  const upgraded = inChroot('dpkg -i /ratafia.deb')
  assert.equal(upgraded.status, 0, upgraded.stderr)
  assert.doesNotMatch(upgraded.stderr, /RATAFIA_BASE_URL/)
  succeeds(`${DATA}; grep RATAFIA_NAME /etc/ratafia/ratafia.env; ratafia accounts show ann`)
  succeeds(
    `dpkg --remove ratafia && ${DATA} && ! test -e /usr/bin/ratafia && grep RATAFIA_NAME /etc/ratafia/ratafia.env`,
  )
})

test('a purge keeps the data and prints its path, unless debconf has another answer', () => {
  // Two purges begin with the same removed package.
  const without =
    inChroot(`tar -cf /removed.tar /etc /var && mv /usr/share/debconf/confmodule /kept-confmodule
    dpkg --purge ratafia; code=$?; mv /kept-confmodule /usr/share/debconf/confmodule; ${DATA} && exit $code`)
  assert.equal(without.status, 0, without.stdout + without.stderr)
  assert.match(without.stderr, /Kept the data of Ratafia, /)

  const kept = inChroot(`tar -xf /removed.tar -C / && test -e /etc/ratafia/ratafia.env || exit 8
    dpkg --purge ratafia && ${DATA} && ! test -e /etc/ratafia`)
  assert.equal(kept.status, 0, kept.stdout + kept.stderr)
  assert.match(kept.stderr, /Kept the data of Ratafia, .* in \/var\/lib\/ratafia/)

  const deleted =
    inChroot(`dpkg -i /ratafia.deb && echo 'ratafia ratafia/purge-data boolean true' | debconf-set-selections
    ratafia accounts show ann >/dev/null && dpkg --purge ratafia && ! test -e /var/lib/ratafia && ! getent passwd ratafia`)
  assert.equal(deleted.status, 0, deleted.stdout + deleted.stderr)
  assert.doesNotMatch(deleted.stderr, /Kept/)
})
