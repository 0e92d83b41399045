/** Runs every example: extracts the steps from its file, which then exchange ID tokens at a service. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { PLATFORMS, pipelineOf } from '../../../packages/server/src/web/console/publishers/pipelines.ts'
import { type Environment, type Finished, type JobMachine, scriptText } from './job.ts'
import { exampleWorld, type World } from './world.ts'

/** Defines the tests; call it inside a suite with a database. `curl` is a command line. */
export function exampleTests(fresh: Parameters<typeof exampleWorld>[0], curl: string): void {
  const world = exampleWorld(fresh, curl)
  describe('ratafia-login.sh', () => scriptTests(world))
  describe('the files of platforms', () => fileTests(world))
  describe('the jobs that the rule page shows', () => pageTests(world))
}

const UPLOADS = 'https://uploads.example.com'

const sh = (script: string): readonly string[] => ['sh', '-e', '-c', script]

function scriptTests(world: World): void {
  type Setting = (machine: JobMachine) => Environment | Promise<Environment>
  async function login(environment: Setting, options = ''): Promise<Finished & { machine: JobMachine }> {
    const machine = await world.newJob()
    const whole = { RATAFIA_URL: world.url, ...(await environment(machine)) }
    return { machine, ...(await machine.run(sh(`sh ci/ratafia-login.sh ${options}`), whole)) }
  }

  const NAMED: readonly (readonly [name: string, environment: Setting])[] = [
    ['GitHub', () => world.onActions()],
    ['Forgejo', () => ({ ...world.onActions(), FORGEJO_ACTIONS: 'true' })],
    ['GitLab', () => ({ GITLAB_CI: 'true', RATAFIA_ID_TOKEN: world.idToken() })],
    ['CircleCI', () => ({ CIRCLECI: 'true' })],
    ['Buildkite', () => ({ BUILDKITE: 'true' })],
    ['Bitbucket', () => ({ BITBUCKET_BUILD_NUMBER: '7', BITBUCKET_STEP_OIDC_TOKEN: world.idToken() })],
    ['Azure DevOps', () => world.onAzure()],
    ['Jenkins', () => ({ RATAFIA_ID_TOKEN: world.idToken() })],
    [
      'Kubernetes',
      async ({ directory }) => {
        await writeFile(join(directory, 'token'), `${world.idToken()}\n`)
        return { RATAFIA_ID_TOKEN_FILE: join(directory, 'token') }
      },
    ],
    ['Google Cloud', () => ({ GCE_METADATA_HOST: world.platformHost })],
  ]
  for (const [name, environment] of NAMED) {
    test(`prints only a valid credential on ${name}`, async () => {
      const { machine, code, stdout, stderr } = await login(environment)
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^[A-Za-z0-9+/]+=*\n$/)
      await world.assertWorks(stdout.trim())
      await world.assertNoSecretInArguments(machine)
    })
  }

  test('with -f macaroon, -r and -u, it prints a token of the rule', async () => {
    const options = `-f macaroon -r ${world.rule} -u ${world.url}/`
    const { code, stdout, stderr } = await login(
      () => ({ ...world.onActions(), RATAFIA_URL: 'https://x' }),
      options,
    )
    assert.equal(code, 0, stderr)
    assert.match(Buffer.from(stdout, 'base64').toString(), /^\{"t": "macaroon", "v": "[\w-]+"\}$/)
    await world.assertWorks(stdout.trim())
  })

  test('on GitHub and Azure DevOps, it hides the ID token first, then the credential and its parts', async () => {
    for (const [environment, begins] of [
      [world.onActions(), '::add-mask::'],
      [world.onAzure(), '##vso[task.setsecret]'],
    ] as const) {
      const { stdout, stderr } = await login(() => environment)
      const hidden = stderr
        .split('\n')
        .filter(Boolean)
        .map((line) => (line.startsWith(begins) ? line.slice(begins.length) : assert.fail(line)))
      const credential = stdout.trim()
      const { r, d } = JSON.parse(Buffer.from(credential, 'base64').toString()).v
      assert.match(hidden[0] ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/)
      assert.deepEqual(hidden.slice(1), [credential, r, d])
    }
  })

  test('on Buildkite, it passes the same secrets to the agent through standard input', async () => {
    const { machine, stdout } = await login(() => ({ BUILDKITE: 'true' }))
    const redacted = (await readFile(join(machine.directory, 'redacted'), 'utf8')).split('\n').filter(Boolean)
    assert.equal(redacted.length, 4)
    assert.equal(redacted[1], stdout.trim())
  })

  test('retries if the platform or the service is busy, and if an answer is lost', async () => {
    world.platformIsBusyFor(2)
    world.proxy.fail('busy', 'lost', 'lost')
    const { machine, code, stdout, stderr } = await login(
      () => world.onActions(),
      `-u ${world.proxy.url} -a ${world.url}`,
    )
    assert.equal(code, 0, stderr)
    await world.assertWorks(stdout.trim())
    const pauses = (await machine.calls()).filter((line) => line.startsWith('sleep'))
    assert.deepEqual(pauses, ['sleep 1 ', 'sleep 2 ', 'sleep 4 ', 'sleep 8 ', 'sleep 16 '])
  })

  test('a job with a single ID token gets another token of the same session if an answer is lost', async () => {
    const sessions = await world.countSessions()
    world.proxy.fail('lost')
    const { code, stdout, stderr } = await login(
      () => ({ RATAFIA_ID_TOKEN: world.idToken() }),
      `-u ${world.proxy.url} -a ${world.url}`,
    )
    assert.equal(code, 0, stderr)
    await world.assertWorks(stdout.trim())
    assert.equal(await world.countSessions(), sessions + 1)
  })

  test('gives up after six tries if the service stays busy or is unreachable', async () => {
    world.proxy.fail(...Array.from({ length: 6 }, () => 'busy' as const))
    for (const url of [world.proxy.url, 'http://127.0.0.1:1']) {
      const { machine, code, stdout } = await login(
        () => ({ RATAFIA_ID_TOKEN: world.idToken() }),
        `-u ${url}`,
      )
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      const tries = (await machine.calls()).filter((line) => line.includes('/api/v2/tokens/oidc'))
      assert.equal(tries.length, 6)
    }
  })

  test("prints the service's message and exits with 1 for a used ID token or a job without a rule", async () => {
    const idToken = world.idToken()
    assert.equal((await login(() => ({ RATAFIA_ID_TOKEN: idToken }))).code, 0)
    for (const [token, said] of [
      [idToken, /^ratafia-login: http\S+: .*(used|already).*\n$/],
      [world.idToken({ sub: 'job:other' }), /^ratafia-login: http\S+: .*[0-9a-f]{8}-[0-9a-f-]{27}.*\n$/],
    ] as const) {
      const { machine, code, stdout, stderr } = await login(() => ({ RATAFIA_ID_TOKEN: token }))
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, said)
      assert.equal((await machine.calls()).filter((line) => line.startsWith('curl')).length, 1)
    }
  })

  const REFUSED: readonly (readonly [
    what: string,
    environment: Environment,
    options: string,
    said: RegExp,
  ])[] = [
    ['no platform', {}, '', /no platform is recognised/],
    ['GitHub without the permission', { GITHUB_ACTIONS: 'true' }, '', /this job may not request ID tokens/],
    ['no address', { RATAFIA_URL: '' }, '', /give the address of the service/],
    ['plain http', {}, '-u http://store.example.com', /the service is not an https address/],
    [
      'plain http that looks like this machine',
      {},
      '-u http://127.0.0.1.example.com',
      /is not an https address/,
    ],
    [
      'a user that looks like this machine',
      {},
      '-u http://127.0.0.1:1@example.com',
      /is not an https address/,
    ],
    [
      'a platform over plain http',
      { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://example.com' },
      '',
      /ACTIONS_ID_TOKEN_REQUEST_URL is not/,
    ],
    ['a different format', {}, '-f jwt', /the format jwt is neither u1 nor macaroon/],
    [
      'a command to the platform in a message',
      {},
      "-f '##vso[task.prependpath]/evil'",
      /the format #\?vso\[task\.prependpath\]\/evil is neither/,
    ],
    ['another option', {}, '-x', /the options are/],
    [
      'no token',
      { RATAFIA_ID_TOKEN: 'hunter2 hunter2' },
      '',
      /the platform returned something other than an ID token/,
    ],
  ]
  for (const [what, environment, options, said] of REFUSED) {
    test(`sends nothing to the service with: ${what}`, async () => {
      const { machine, code, stdout, stderr } = await login(() => environment, options)
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, said)
      assert.doesNotMatch(stderr, /hunter2/)
      assert.deepEqual(
        (await machine.calls()).filter((line) => line.includes('/api/v2/tokens/oidc')),
        [],
      )
    })
  }
}

function fileTests(world: World): void {
  test('action.yml, a composite action for GitHub, sets the variable for the next steps', async () => {
    const action = parse(await world.example('action.yml'))
    assert.equal(action.runs.using, 'composite')
    const machine = await world.newJob()
    const file = join(machine.directory, 'github-env')
    await writeFile(file, 'OTHER=1\n')
    const inputs: Record<string, string> = { url: world.url }
    for (const [name, { default: value, required }] of Object.entries<{
      default?: string
      required?: boolean
    }>(action.inputs)) {
      inputs[name] ??= value ?? assert.fail(`${name} is ${required} and has no value`)
    }
    for (const step of action.runs.steps) {
      assert.equal(step.shell, 'sh')
      const given = Object.entries<string>(step.env).map(([name, value]) => [
        name,
        value.replace(/^\$\{\{ inputs\.(\w+) \}\}$/, (_, input) => inputs[input] ?? assert.fail(input)),
      ])
      const environment = {
        ...world.onActions(),
        GITHUB_ENV: file,
        GITHUB_ACTION_PATH: join(machine.directory, 'ci'),
        ...Object.fromEntries(given),
      }
      // Values inside a script could be commands.
      assert.doesNotMatch(step.run, /\$\{\{/)
      const { code, stdout, stderr } = await machine.run(sh(step.run), environment)
      assert.deepEqual({ code, stdout }, { code: 0, stdout: '' }, stderr)
    }
    const [, credential = ''] =
      /^OTHER=1\nSNAPCRAFT_STORE_CREDENTIALS=(\S+)\n$/.exec(await readFile(file, 'utf8')) ?? []
    await world.assertWorks(credential)
    await world.assertNoSecretInArguments(machine)
  })

  /** Returns the component's job with these inputs. */
  async function gitLabJob(inputs: Environment) {
    const [header, content] = parseAllDocuments(await world.example('templates/ratafia-login.yml')).map(
      String,
    )
    const known = parse(header ?? '').spec.inputs
    const text = String(content).replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) => {
      assert.ok(name in known, name)
      return inputs[name] ?? known[name].default ?? assert.fail(`the input ${name} is required`)
    })
    const [[name, job] = assert.fail('no job'), ...others] = Object.entries<Record<string, unknown>>(
      parse(text),
    )
    assert.deepEqual([name, others], ['.ratafia-login', []])
    return job as {
      id_tokens: Record<string, { aud: string }>
      variables: Record<string, string>
      before_script: readonly string[]
    }
  }

  async function runOnGitLab(machine: JobMachine, inputs: Environment, claims = {}): Promise<Finished> {
    const { id_tokens: wanted, variables, before_script: before } = await gitLabJob(inputs)
    const tokens = Object.entries(wanted).map(([name, { aud }]) => [name, world.idToken({ aud, ...claims })])
    const environment = { GITLAB_CI: 'true', CI_JOB_ID: '1', ...variables, ...Object.fromEntries(tokens) }
    // GitLab runs both in one shell.
    const script = [...before, 'snapcraft upload --release=latest/edge hello.snap'].join('\n')
    const store = { STORE_DASHBOARD_URL: world.url, UBUNTU_ONE_SSO_URL: world.url, STORE_UPLOAD_URL: UPLOADS }
    return machine.run(sh(script), { ...environment, ...store })
  }

  test('templates/ratafia-login.yml, a component for GitLab, sets the variable for the script', async () => {
    for (const inputs of [{ url: world.url }, { url: world.url, rule: world.rule, format: 'macaroon' }]) {
      const machine = await world.newJob()
      await world.assertPublished(machine, await runOnGitLab(machine, inputs))
    }
  })

  test('the component for GitLab retries after a lost answer or if busy, and stops after a refusal', async () => {
    const machine = await world.newJob()
    world.proxy.fail('busy', 'lost')
    const inputs = { url: world.proxy.url }
    await world.assertPublished(machine, await runOnGitLab(machine, inputs, { aud: world.url }))

    const refused = await world.newJob()
    const { code, stderr } = await runOnGitLab(refused, { url: world.url }, { sub: 'job:other' })
    assert.equal(code, 1)
    assert.match(stderr, /"error": ?"invalid_grant".*\(status 400\)/)
    assert.equal(await refused.published(), undefined)
  })

  test('the step of forgejo.yml, a workflow for Forgejo, publishes', async () => {
    const { jobs } = parse(await world.example('forgejo.yml'))
    const { publish, build } = jobs
    assert.deepEqual([publish['enable-openid-connect'], build['enable-openid-connect']], [true, undefined])
    const [step] = publish.steps.filter(({ name }: { name?: string }) => name === 'Publish')
    const machine = await world.newJob()
    const environment = { ...world.onActions(), FORGEJO_ACTIONS: 'true', ...publish.env }
    await world.assertPublished(machine, await machine.run(sh(step.run), environment))
  })

  test('the stage of the Jenkinsfile publishes, although Jenkins traces its commands', async () => {
    const file = await world.example('Jenkinsfile')
    const [, name = ''] = /string\(credentialsId: 'ratafia', variable: '(\w+)'\)/.exec(file) ?? []
    const [, variable = '', value = ''] = /environment \{ (\w+) = '([^']+)' \}/.exec(file) ?? []
    const [, script = ''] = /sh '''(.*?)'''/s.exec(file) ?? []
    const machine = await world.newJob()
    const finished = await machine.run(['sh', '-xe', '-c', script], {
      [name]: world.idToken(),
      [variable]: value,
    })
    await world.assertPublished(machine, finished)
  })

  test('the job of kubernetes.yaml publishes with the token of its volume', async () => {
    const { spec } = parse(await world.example('kubernetes.yaml')).spec.template
    const [{ command, args, env, volumeMounts }] = spec.containers
    const machine = await world.newJob()
    const mounted = (volume: string): string =>
      volumeMounts.find(({ name }: { name: string }) => name === volume).mountPath
    const volume = (name: string) => spec.volumes.find((one: { name: string }) => one.name === name)
    const { audience, path } = volume('id-token').projected.sources[0].serviceAccountToken
    assert.equal(volume('ratafia-login').configMap.name, 'ratafia-login')
    // The script looks there by default.
    assert.ok((await scriptText()).includes(`:-${mounted('id-token')}/${path}}`))
    const token = join(machine.directory, path)
    await writeFile(token, world.idToken({ aud: [audience] }))

    const words = [...command, ...args].map((word) =>
      word.replaceAll(mounted('ratafia-login'), join(machine.directory, 'ci')),
    )
    const variables = env.map(({ name, value }: { name: string; value: string }) => [name, value])
    const environment = { RATAFIA_ID_TOKEN_FILE: token, ...Object.fromEntries(variables) }
    await world.assertPublished(machine, await machine.run(words, environment))
  })
}

/** The variables that a platform sets for a job, in addition to the job's own. */
const SETTINGS: Readonly<
  Record<string, (world: World, machine: JobMachine) => Environment | Promise<Environment>>
> = {
  github: (world) => world.onActions(),
  gitlab: (world) => ({ GITLAB_CI: 'true', RATAFIA_ID_TOKEN: world.idToken() }),
  forgejo: (world) => ({ ...world.onActions(), FORGEJO_ACTIONS: 'true' }),
  circleci: () => ({ CIRCLECI: 'true' }),
  buildkite: () => ({ BUILDKITE: 'true' }),
  bitbucket: (world) => ({ BITBUCKET_BUILD_NUMBER: '7', BITBUCKET_STEP_OIDC_TOKEN: world.idToken() }),
  'azure-devops': (world) => world.onAzure(),
  google: (world) => ({ GCE_METADATA_HOST: world.platformHost }),
  jenkins: (world) => ({ RATAFIA_ID_TOKEN: world.idToken() }),
  kubernetes: async (world, { directory }) => {
    await writeFile(join(directory, 'token'), world.idToken())
    return { RATAFIA_ID_TOKEN_FILE: join(directory, 'token') }
  },
  generic: (world) => ({ ID_TOKEN: world.idToken() }),
}

function pageTests(world: World): void {
  test('covers every platform, and a job with an ID token in a variable', () => {
    assert.deepEqual(Object.keys(SETTINGS).toSorted(), [...PLATFORMS, 'generic'].toSorted())
  })

  for (const [kind, setting] of Object.entries(SETTINGS)) {
    test(`the job for ${kind} publishes to this store, and to no other`, async () => {
      const rule = kind === 'azure-devops' ? world.azureRule : world.rule
      const shown = pipelineOf(kind, { url: world.url, rule })
      const { script, variables } = jobIn(kind, shown)
      const machine = await world.newJob()
      const environment = { ...variables, ...(await setting(world, machine)) }
      await world.assertPublished(machine, await machine.run(sh(script), environment))
    })
  }
}

interface ShownJob {
  readonly script: string
  readonly variables: Environment
}

function jobIn(kind: string, shown: string): ShownJob {
  if (kind === 'generic') return { script: shown, variables: {} }
  if (kind === 'jenkins') {
    const [, name = '', value = ''] = /environment \{ (\w+) = '([^']+)' \}/.exec(shown) ?? []
    return { script: /sh '''(.*?)'''/s.exec(shown)?.[1] ?? '', variables: { [name]: value } }
  }
  const job: unknown = parse(shown)
  // Before a shell runs, Buildkite replaces variables with a single dollar sign, and Azure DevOps its own.
  const script = scriptIn(job).replaceAll('$$', '$').replaceAll('$(Pipeline.Workspace)', '/workspace')
  return { script, variables: variablesIn(job) }
}

/** Finds the text, or the list of lines, that has the login. */
function scriptIn(value: unknown): string {
  if (typeof value === 'string') return value.includes('ratafia-login.sh') ? value : ''
  if (Array.isArray(value)) {
    const lines = value.filter((line) => typeof line === 'string')
    if (lines.length > 1 && lines.some((line) => line.includes('ratafia-login.sh'))) return lines.join('\n')
  }
  return typeof value === 'object' && value !== null ? Object.values(value).map(scriptIn).join('') : ''
}

/** Finds RATAFIA_URL, in any of the forms in which platforms set variables. */
function variablesIn(value: unknown): Environment {
  if (typeof value === 'string') {
    const [, set] = /^RATAFIA_URL=(.*)$/.exec(value) ?? []
    return set === undefined ? {} : { RATAFIA_URL: set }
  }
  if (typeof value !== 'object' || value === null) return {}
  const { RATAFIA_URL: set, name, value: said } = value as Record<string, unknown>
  if (typeof set === 'string') return { RATAFIA_URL: set }
  if (name === 'RATAFIA_URL') return { RATAFIA_URL: String(said) }
  return Object.assign({}, ...Object.values(value).map(variablesIn))
}
