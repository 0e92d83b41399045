/** `ratafia ci login` gets the ID token of each platform, masks secrets and exports the credential. */
import assert from 'node:assert/strict'
import { appendFile, chmod, mkdir, open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { casesIn, line, wordsIn } from '../support/cases.ts'
import { CREDENTIALS, ciJobs, idTokenFor, NOWHERE, onGitHub, SESSION, TOKEN } from '../support/ci-job.ts'
import { runHere, type Variables } from '../support/program.ts'

describe('ratafia ci login', () => {
  const jobs = ciJobs()
  const file = (name: string) => join(jobs.directory, name)
  const stdout = ['--export', 'stdout']

  /** Creates a platform's program, which records its arguments and input and prints an ID token for `audience`. */
  async function program(name: string, audience: string) {
    const path = file(`programs-${crypto.randomUUID()}`)
    await mkdir(path)
    const notes = join(path, 'notes')
    const script = `#!/bin/sh
printf '%s\\n' "$*" >> '${notes}'
case "$*" in *redactor*) sed 's/^/input /' >> '${notes}'; echo >> '${notes}' ;; *) echo '${idTokenFor(audience)}' ;; esac
`
    await writeFile(join(path, name), script)
    await chmod(join(path, name), 0o755)
    return { path: `${path}:/usr/bin:/bin`, noted: () => readFile(notes, 'utf8') }
  }

  const onAzure = (url: string): Variables => ({
    ...{ TF_BUILD: 'True', SYSTEM_OIDCREQUESTURI: `${url}/azure/oidctoken` },
    SYSTEM_ACCESSTOKEN: 'access-token',
  })

  /** The variables that each platform sets. */
  const PLATFORMS: Readonly<Record<string, (url: string) => Variables | Promise<Variables>>> = {
    github: onGitHub,
    forgejo: (url) => ({ ...onGitHub(url), FORGEJO_ACTIONS: 'true' }),
    gitlab: (url) => ({ GITLAB_CI: 'true', RATAFIA_ID_TOKEN: idTokenFor(url) }),
    circleci: async (url) => ({ CIRCLECI: 'true', PATH: (await program('circleci', url)).path }),
    buildkite: async (url) => ({ BUILDKITE: 'true', PATH: (await program('buildkite-agent', url)).path }),
    bitbucket: (url) => ({
      BITBUCKET_BUILD_NUMBER: '7',
      BITBUCKET_STEP_OIDC_TOKEN: idTokenFor(['ari:cloud:bitbucket::workspace/1', url]),
    }),
    'azure-devops': onAzure,
    kubernetes: async (url) => {
      await writeFile(file('token'), `${idTokenFor([url])}\n`)
      return { RATAFIA_ID_TOKEN_FILE: file('token') }
    },
    google: (url) => ({ GCE_METADATA_HOST: new URL(url).host }),
  }

  for (const [from, environmentAt] of Object.entries(PLATFORMS)) {
    for (const words of [['--from', from], []]) {
      test(`exchanges the ID token of ${from}, ${words.length > 0 ? 'named by --from' : 'recognised'}`, async () => {
        const job = await jobs.start()
        const environment = await environmentAt(job.url)
        const { code, stdout: out, stderr } = await job.login([...words, ...stdout], environment)
        assert.equal(code, 0, stderr)
        assert.equal(out, `${CREDENTIALS}\n`)
        const [sent, ...more] = job.exchanges()
        assert.ok(sent && more.length === 0)
        assert.match(sent.get('subject_token') ?? '', /^[\w-]+\.[\w-]+\.c2lnbmF0dXJl$/)
        assert.equal(sent.get('grant_type'), 'urn:ietf:params:oauth:grant-type:token-exchange')
        assert.equal(sent.get('subject_token_type'), 'urn:ietf:params:oauth:token-type:id_token')
        assert.match(
          stderr,
          new RegExp(`It expires in 15 minutes\\. The rule hello-release granted it\\. .*${SESSION}`),
        )
      })
    }
  }

  for (const [platform, environmentAt, path, authorization] of [
    ['GitHub', onGitHub, '/actions/idtoken?api-version=2.0&audience=URL', 'Bearer request-token'],
    ['Azure DevOps', onAzure, '/azure/oidctoken?api-version=7.1', 'Bearer access-token'],
  ] as const) {
    test(`requests the ID token from ${platform} with the job's token, and the audience that it accepts`, async () => {
      const job = await jobs.start()
      assert.equal((await job.login(stdout, environmentAt(job.url))).code, 0)
      const expected = path.replace('URL', encodeURIComponent(job.url))
      const asked = job.seen.find((one) => one.path === expected)
      assert.equal(asked?.headers['authorization'], authorization)
    })
  }

  test("does not pass secrets in the arguments of a platform's program", async () => {
    const job = await jobs.start()
    const circleci = await program('circleci', job.url)
    await job.login([...stdout, '--from', 'circleci'], { PATH: circleci.path })
    assert.equal(await circleci.noted(), `run oidc get --claims {"aud":"${job.url}"}\n`)

    const agent = await program('buildkite-agent', job.url)
    await job.login(stdout, { BUILDKITE: 'true', PATH: agent.path })
    const lines = (await agent.noted()).split('\n').filter(Boolean)
    const [sent] = job.exchanges().slice(-1)
    assert.deepEqual(lines, [
      `oidc request-token --audience ${job.url} --claim organization_id,pipeline_id`,
      'redactor add',
      `input ${sent?.get('subject_token')}`,
      'redactor add',
      `input ${CREDENTIALS}`,
      'redactor add',
      `input ${TOKEN}`,
    ])
  })

  test('reads the ID token from a named variable, a file or standard input', async () => {
    const job = await jobs.start()
    const token = idTokenFor(job.url)
    await writeFile(file('bound'), `${token}\n`)
    const ways: readonly (readonly [string, Variables, string])[] = [
      ['env:BOUND', { BOUND: token }, ''],
      [`file:${file('bound')}`, {}, ''],
      ['-', {}, `${token}\n`],
    ]
    for (const [from, environment, input] of ways) {
      const { code, stderr } = await job.login(['--from', from, ...stdout], environment, { input })
      assert.equal(code, 0, stderr)
    }
    assert.deepEqual(
      job.exchanges().map((sent) => sent.get('subject_token')),
      [token, token, token],
    )
  })

  test('sends what the options request, and a new idempotency key for each exchange', async () => {
    const job = await jobs.start()
    const wanted = line`
      --rule hello-release --format macaroon --lifetime 5m --permission package_upload --permission
      package_release --package hello --package hello-tools --channel latest/edge`
    await job.login([...stdout, ...wanted], onGitHub(job.url))
    await job.login(stdout, onGitHub(job.url))
    const [first, second] = job.exchanges()
    assert.equal(first?.get('rule'), 'hello-release')
    assert.equal(first.get('requested_token_type'), null)
    assert.equal(first.get('lifetime'), '300')
    assert.equal(first.get('scope'), 'package_upload package_release')
    assert.deepEqual(first.getAll('packages'), ['hello', 'hello-tools'])
    assert.deepEqual(first.getAll('channels'), ['latest/edge'])
    assert.deepEqual(
      [...(second?.keys() ?? [])],
      ['grant_type', 'subject_token', 'subject_token_type', 'requested_token_type'],
    )
    assert.equal(second?.get('requested_token_type'), 'urn:ratafia:token-type:macaroon-pair')
    const keys = job.seen.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
    assert.ok(keys.length === 2 && keys.every((key) => /^[0-9a-f]{32}$/.test(String(key))))
    assert.notEqual(keys[0], keys[1])
  })

  describe('exports', () => {
    test('appends one line to GITHUB_ENV by default on GitHub, and prints only the masks', async () => {
      const job = await jobs.start()
      await writeFile(file('env'), 'OTHER=1\n')
      const environment = { ...onGitHub(job.url), GITHUB_ENV: file('env') }
      const { code, stdout: out, stderr } = await job.login([], environment)
      assert.equal(code, 0, stderr)
      assert.equal(
        await readFile(file('env'), 'utf8'),
        `OTHER=1\nSNAPCRAFT_STORE_CREDENTIALS=${CREDENTIALS}\n`,
      )
      const idToken = job.exchanges()[0]?.get('subject_token')
      assert.deepEqual(out.split('\n'), [
        `::add-mask::${idToken}`,
        `::add-mask::${CREDENTIALS}`,
        `::add-mask::${TOKEN}`,
        '',
      ])
      assert.ok(!stderr.includes(TOKEN) && !stderr.includes(CREDENTIALS))
    })

    const OTHER_STEP: readonly (readonly [after: string, kept: RegExp])[] = [
      ['', /^OTHER=1\n$/],
      ['LATER=2\n', /^OTHER=1\nSNAPCRAFT.+LATER=2\n$/s],
    ]
    for (const [after, kept] of OTHER_STEP) {
      test(`removes a partial line on a full disk${after && ', unless another step wrote after it'}`, async (t) => {
        const job = await jobs.start()
        const path = file('full')
        await writeFile(path, 'OTHER=1\n')
        const handle = await open(path)
        const prototype = Object.getPrototypeOf(handle)
        await handle.close()
        const write = prototype.write
        let calls = 0
        t.mock.method(prototype, 'write', async function (this: unknown, bytes: Buffer) {
          calls += 1
          if (calls === 1) return write.call(this, bytes, 0, 20)
          await appendFile(path, after)
          throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' })
        })
        const { code, stderr } = await job.login([], { ...onGitHub(job.url), GITHUB_ENV: path })
        assert.deepEqual([code, calls], [1, 2], stderr)
        assert.match(stderr, /full cannot be written: the disk is full\./)
        assert.match(await readFile(path, 'utf8'), kept)
      })
    }

    test('replaces an older dotenv file or credential file with one of mode 0600', async () => {
      const job = await jobs.start()
      for (const [words, content] of [
        [
          ['--export', `dotenv:${file('a.env')}`, '--variable', 'CHARMCRAFT_AUTH'],
          `CHARMCRAFT_AUTH=${CREDENTIALS}\n`,
        ],
        [['--export', `file:${file('credential')}`], `${CREDENTIALS}\n`],
      ] as const) {
        const path = words[1].slice(words[1].indexOf(':') + 1)
        await writeFile(path, 'older, and readable by all', { mode: 0o644 })
        const token = { RATAFIA_ID_TOKEN: idTokenFor(job.url) }
        const { code, stdout: out, stderr } = await job.login(words, token)
        assert.deepEqual({ code, out }, { code: 0, out: '' }, stderr)
        assert.equal(await readFile(path, 'utf8'), content)
        assert.equal((await stat(path)).mode & 0o777, 0o600)
      }
    })

    test('masks secrets on Azure DevOps with its own command', async () => {
      const job = await jobs.start()
      const { stdout: out } = await job.login(['--export', `file:${file('azure')}`], onAzure(job.url))
      const idToken = job.exchanges()[0]?.get('subject_token')
      assert.deepEqual(
        out.split('\n'),
        [idToken, CREDENTIALS, TOKEN].map((secret) => `##vso[task.setsecret]${secret}`).concat(''),
      )
    })

    test('with --export stdout the masks go to standard error', async () => {
      const job = await jobs.start()
      const { stdout: out, stderr } = await job.login(stdout, onGitHub(job.url))
      assert.equal(out, `${CREDENTIALS}\n`)
      assert.equal(stderr.match(/^::add-mask::/gm)?.length, 3)
    })

    test('exits with 1 before any request if the export cannot be written', async () => {
      const job = await jobs.start()
      for (const where of ['dotenv:/nonexistent/x.env', 'file:/nonexistent/x']) {
        const { code, stderr } = await job.login(['--export', where], onGitHub(job.url))
        assert.equal(code, 1)
        assert.match(
          stderr,
          /x(\.env)? cannot be written: there is no such file or directory\. Check the path\. No credential was requested\./,
        )
      }
      assert.deepEqual(job.seen, [])
    })
  })

  describe('nothing is sent', () => {
    const WORDS = casesIn(String.raw`
      --from teamcity | --from teamcity is not known\. It can be auto, github, 
      --from env: | --from env: is not known
      --export nowhere | --export nowhere is not known\. It can be github-env, 
      --export file | --export file is not known
      --export github-env | GITHUB_ENV is not set, so this is not a job of GitHub or Forgejo
      --variable 'A B' | --variable A B is not the name of a variable
      --lifetime soon | --lifetime soon is not a duration: write a number of seconds
      --format jwt | Allowed choices are u1, macaroon
      --url http://store.example.com | --url is not an https address, so others could read
      --url store.example.com | --url .*Write an address such as https:`)
    for (const [words, said = ''] of WORDS) {
      test(`${words}: exits with 2`, async () => {
        const job = await jobs.start()
        const { code, ...told } = await job.login(wordsIn(words), { RATAFIA_ID_TOKEN: idTokenFor(job.url) })
        assert.deepEqual([code, told.stdout, job.seen], [2, '', []])
        assert.match(told.stderr, new RegExp(said))
      })
    }

    test('exits with 2 if RATAFIA_URL uses plain http', async () => {
      const environment = {
        ...NOWHERE,
        RATAFIA_URL: 'http://store.example.com',
        RATAFIA_ID_TOKEN: idTokenFor('x'),
      }
      const { code, stderr } = await runHere('ci login', { environment })
      assert.equal(code, 2)
      assert.match(stderr, /RATAFIA_URL is not an https address/)
    })

    /** Variables of the job. URL is replaced by the service's URL, and OTHER by an ID token for another service. */
    const REFUSED = casesIn(String.raw`
      nothing is recognised | | No CI platform was recognized\. The command looked for RATAFIA_ID_TOKEN, GITLAB_CI \(gitlab\), FORGEJO_ACTIONS \(forgejo\), GITHUB_ACTIONS \(github\), CIRCLECI \(circleci\), BUILDKITE \(buildkite\), BITBUCKET_BUILD_NUMBER \(bitbucket\), TF_BUILD \(azure-devops\), the file /var/run/secrets/ratafia/token \(kubernetes\), the metadata server \(google\), and found none
      GitHub without the permission | GITHUB_ACTIONS=true | ACTIONS_ID_TOKEN_REQUEST_URL is not set\. Add .permissions: \{id-token: write
      Forgejo without the setting | GITHUB_ACTIONS=true FORGEJO_ACTIONS=true | Add .enable-openid-connect: true. to the job
      GitLab without a token | GITLAB_CI=true | RATAFIA_ID_TOKEN is not set\. Add .id_tokens: \{RATAFIA_ID_TOKEN: \{aud: http://127\.0\.0\.1:\d+\}\}. to the job
      Bitbucket without a token | BITBUCKET_BUILD_NUMBER=1 | BITBUCKET_STEP_OIDC_TOKEN is not set\. Add .oidc: \{audiences: \[http
      Azure DevOps without the access token | TF_BUILD=True SYSTEM_OIDCREQUESTURI=URL/azure/oidctoken | SYSTEM_ACCESSTOKEN is not set\. Add .env: \{SYSTEM_ACCESSTOKEN: \$\(System\.AccessToken\)\}. to the step
      a program that is not installed | CIRCLECI=true PATH=/nonexistent | circleci run oidc get cannot be started, because it is not installed
      a token for a different audience | RATAFIA_ID_TOKEN=OTHER | is for "https://vault\.example\.com", not for http://127\.0\.0\.1:\d+, so it was not sent\. Get one with .aud: http
      something other than a token | RATAFIA_ID_TOKEN=hunter2hunter2 | RATAFIA_ID_TOKEN does not contain an ID token
      a platform over plain http | GITHUB_ACTIONS=true ACTIONS_ID_TOKEN_REQUEST_URL=http://store.example.com ACTIONS_ID_TOKEN_REQUEST_TOKEN=request-token | ACTIONS_ID_TOKEN_REQUEST_URL is not an https address`)
    for (const [what, variables = '', said = ''] of REFUSED) {
      test(`${what}: the message gives the remedy`, async () => {
        const job = await jobs.start()
        const environment = Object.fromEntries(
          variables
            .replace('URL/', `${job.url}/`)
            .replace('OTHER', idTokenFor('https://vault.example.com'))
            .split(' ')
            .flatMap((one) => (one === '' ? [] : [one.split(/=(.*)/, 2)])),
        )
        const { code, stdout: out, stderr } = await job.login(stdout, environment)
        assert.deepEqual({ out, exchanges: job.exchanges() }, { out: '', exchanges: [] })
        assert.ok(code === 1 || code === 2, String(code))
        assert.match(stderr, new RegExp(said))
        assert.doesNotMatch(stderr, /hunter2|request-token/)
      })
    }
  })
})
