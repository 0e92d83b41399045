/** Runs the program `ratafia` like an operator, on the suite's database, in this process or in another. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { after, before } from 'node:test'
import { compiled, ratafiaCommand } from '../../../../tools/test/programs.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Installation } from '../../src/installation.ts'
import { openInstallation } from '../../src/start/installation.ts'
import { run as runInThisProcess } from '../../src/start/run.ts'
import { type RunningService, startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { casesIn, type Words, wordsOf } from './cases.ts'
import { type Fresh, patient } from './databases.ts'
import { cheapPasswords } from './passwords.ts'
import type { TestService } from './service.ts'

const START_DEADLINE_MS = 90_000

export type Variables = Readonly<Record<string, string>>

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly input?: string | Uint8Array
  readonly environment?: Variables
}

interface HereOptions extends CommandOptions {
  /** Runs the commands of another release. Default: those of this checkout. */
  readonly run?: typeof runInThisProcess
}

export interface RunningProgram {
  /** The URL that it prints. */
  readonly baseUrl: string
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Sends the signal and waits until the process has exited. */
  end(signal: NodeJS.Signals): Promise<Finished>
  /** Resolves when the process has exited. */
  readonly finished: Promise<Finished>
}

export interface Program {
  /** The environment that describes the installation. */
  readonly environment: Variables
  /** A directory for the test's files, and the working directory of its processes. */
  readonly directory: string
  /**
   * Runs a command in this process, because starting another costs 0.6 s of CPU. Relative paths start at the test's
   * working directory. Only `serve` gets its own process, because it exits the process in which it runs.
   */
  run(words: Words, options?: CommandOptions): Promise<Finished>
  /** Runs a command in its own process, for tests about the process, its log, or several commands at a time. */
  spawn(words: Words, options?: CommandOptions): Promise<Finished>
  /** Runs a command with `--json` and returns its result. Fails if the command does. A single word is a command line. */
  // biome-ignore lint/suspicious/noExplicitAny: only assertions read it
  json(...words: readonly string[]): Promise<any>
  /** Runs a command that must succeed with only this output, and returns it. */
  says(words: Words, stdout?: RegExp | string, options?: CommandOptions): Promise<string>
  /** Runs a command that must print only this message, and exit with `code` (default: 1). Returns the message. */
  refuses(words: Words, message: RegExp | string, code?: number, options?: CommandOptions): Promise<string>
  /** {@link Program.refuses} for each line of a template: a command line, the code, and a pattern for the message. */
  refusesEach(table: TemplateStringsArray, ...values: readonly unknown[]): Promise<void>
  /** Adds an account, with a password only if given. */
  addAccount(username: string, options?: string, password?: string): Promise<void>
  /** Starts a command in its own process without waiting. */
  launch(words: Words, environment?: Variables): Omit<RunningProgram, 'baseUrl'>
  /** Starts `serve`, or the given command, and waits until it listens. */
  start(environment?: Variables, words?: readonly string[]): Promise<RunningProgram>
  /** Starts the service in this process, for tests that only call it. It is closed after the suite. */
  serve(environment?: Variables): Promise<TestService>
  /** Opens the installation in this process. It is closed after the suite. */
  open(environment?: Variables): Promise<Installation>
}

/**
 * Returns a program for the suite, on the database `fresh` or on a new SQLite database. `command` starts its
 * processes.
 */
export function testProgram(fresh?: Pick<Fresh, 'target'>, command = ratafiaCommand()): Program {
  const state: { environment?: Variables; directory?: string } = {}
  const children = new Set<ChildProcess>()
  const installations: Installation[] = []
  const services: RunningService[] = []
  before(async () => {
    state.directory = await mkdtemp(join(tmpdir(), 'ratafia-program-'))
    state.environment = {
      RATAFIA_PORT: '0',
      RATAFIA_WORKERS: '1',
      // The tests send as many requests from one address as a thousand clients.
      RATAFIA_RATE_LIMITS: 'off',
      ...(await installation(state.directory, fresh)),
    }
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const service of services) await service.close()
    for (const installation of installations) await installation.close()
    if (state.directory === undefined) return
    await rm(state.directory, { recursive: true, force: true, maxRetries: 5 })
  })
  const ready = <T>(value: T | undefined): T =>
    value ?? assert.fail('the program runs only while the tests of its suite do')

  const launch = (words: readonly string[], environment: Variables = {}) => {
    const [file, ...first] = command
    const child = spawn(file, [...first, ...words], {
      // As from PATH, which the one-file program prints in its messages.
      argv0: 'ratafia',
      cwd: ready(state.directory),
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: compiled(),
        ...ready(state.environment),
        ...environment,
      },
    })
    children.add(child)
    const received = { stdout: '', stderr: '' }
    // From a checkout, printed commands begin with more words.
    const shown = (text: string) => text.replaceAll('npx --no-install ratafia', 'ratafia')
    const output = {
      get stdout() {
        return shown(received.stdout)
      },
      get stderr() {
        return shown(received.stderr)
      },
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      received.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      received.stderr += text
    })
    // A command that fails immediately does not read its input.
    child.stdin.on('error', () => {})
    const finished = once(child, 'close').then(([code]: (number | null)[]) => {
      children.delete(child)
      return { code: code ?? null, ...output }
    })
    return { child, output, finished }
  }

  const spawnCommand = (words: Words, { input = '', environment }: CommandOptions = {}) => {
    const { child, finished } = launch(wordsOf(words), environment)
    child.stdin.end(input)
    return finished
  }

  const options = (environment?: Variables) => {
    const config = readConfig({ ...ready(state.environment), ...environment })
    return {
      config: { ...config, database: patient(config.database) },
      log: createLog({ level: 'silent', pretty: false }),
      passwords: cheapPasswords(),
    }
  }

  const program: Program = {
    get environment() {
      return ready(state.environment)
    },
    get directory() {
      return ready(state.directory)
    },
    run: async (given, options = {}) => {
      const words = wordsOf(given)
      if (words.includes('serve')) return spawnCommand(words, options)
      return runHere(words, {
        ...options,
        environment: { ...ready(state.environment), ...options.environment },
      })
    },
    spawn: spawnCommand,
    launch: (words, environment) => {
      const { child, output, finished } = launch(wordsOf(words), environment)
      child.stdin.end()
      return {
        child,
        finished,
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        end: (signal) => {
          child.kill(signal)
          return finished
        },
      }
    },
    json: async (...words) => {
      const [line = '', ...others] = words
      const stdout = await program.says([...(others.length === 0 ? wordsOf(line) : words), '--json'])
      assert.match(stdout, /^[^\n]+\n$/, 'one document on one line')
      return JSON.parse(stdout)
    },
    says: async (words, expected, options) => {
      const { code, stdout, stderr } = await program.run(words, options)
      const said = stderr.replaceAll(CREATED, '')
      assert.deepEqual({ code, said }, { code: 0, said: '' })
      if (expected !== undefined) matches(stdout, expected)
      return stdout
    },
    refuses: async (words, message, code = 1, options) => {
      const refused = await program.run(words, options)
      assert.deepEqual(
        [refused.code, refused.stdout],
        [code, ''],
        `${wordsOf(words).join(' ')}: ${refused.stderr}`,
      )
      matches(refused.stderr, message)
      return refused.stderr
    },
    refusesEach: async (table, ...values) => {
      for (const [words, code, message = ''] of casesIn(String.raw(table, ...values))) {
        await program.refuses(words, new RegExp(message), Number(code))
      }
    },
    addAccount: async (username, options = '', password) => {
      const words = `accounts add ${username} --email ${username}@example.org --name ${username} ${options}`
      await program.says(`${words} ${password ? '--password-stdin' : '--no-password'}`, undefined, {
        input: password ?? '',
      })
    },
    start: async (environment, words = ['serve']) => {
      const { child, output, finished } = launch(words, environment)
      child.stdin.end()
      const listening = /^ratafia listening on (https?:\/\/\S+)\n/m
      const deadline = performance.now() + START_DEADLINE_MS
      while (!listening.test(output.stdout)) {
        if (child.exitCode !== null) assert.fail(`it exited with ${child.exitCode}: ${output.stderr}`)
        if (performance.now() > deadline) assert.fail(`it does not listen: ${output.stderr}`)
        await deadlineOf(20)
      }
      const [, baseUrl = ''] = listening.exec(output.stdout) ?? []
      return {
        baseUrl,
        child,
        finished,
        stdout: () => output.stdout,
        stderr: () => output.stderr,
        end: (signal) => {
          child.kill(signal)
          return finished
        },
      }
    },
    serve: async (environment) => {
      const service = await startService(options(environment))
      services.push(service)
      return {
        baseUrl: service.origin,
        installation: service.installation,
        now: () => new Date(),
        advance: () => assert.fail('This service uses the real clock, which cannot be advanced.'),
      }
    },
    open: async (environment) => {
      const installation = await openInstallation(options(environment))
      installations.push(installation)
      return installation
    },
  }
  return program
}

/** Lines that the first command of a suite can print, which creates the database. */
const CREATED = /^(\{.*"msg":"brought the database up to date"\}|ratafia: Created the database .*)\n/gm

function matches(text: string, expected: RegExp | string): void {
  if (typeof expected === 'string') assert.equal(text, expected)
  else assert.match(text, expected)
}

// Commands run one after the other: in a single thread, a SQLite connection that waits for another blocks that one.
let last: Promise<unknown> = Promise.resolve()

/**
 * The warnings that a command prints if it waits for over a second, on a very busy machine. No test of commands in this
 * process expects them.
 */
const BUSY = /^ratafia: warning: waiting for (PostgreSQL, which does not answer|a lock on .*)\n/gm
const BUSY_AFTER_MS = 1_000

/** Runs a command in this process, with only this environment. */
export function runHere(words: Words, options: HereOptions = {}): Promise<Finished> {
  const finished = last.then(async () => {
    const { input = '', environment = {}, run = runInThisProcess } = options
    const stdout = captured()
    const stderr = captured()
    const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)])
    const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
    const began = performance.now()
    const code = await run(['node', 'ratafia', ...wordsOf(words)], {
      environment,
      streams,
      passwords: cheapPasswords(),
    })
    // A command that took less than a second must not print the warnings.
    const isBusy = performance.now() - began >= BUSY_AFTER_MS
    const said = stderr.text()
    return { code, stdout: stdout.text(), stderr: isBusy ? said.replaceAll(BUSY, '') : said }
  })
  last = finished.catch(() => undefined)
  return finished
}

function captured(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

async function installation(directory: string, fresh: Pick<Fresh, 'target'> | undefined): Promise<Variables> {
  const target = await fresh?.target()
  if (target?.kind === 'postgres') {
    return {
      RATAFIA_DATA_DIR: join(directory, 'data'),
      RATAFIA_DATABASE_URL: target.url,
      RATAFIA_SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
    }
  }
  return { RATAFIA_DATA_DIR: target ? dirname(target.file) : join(directory, 'data') }
}

const deadlineOf = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds)
  })
