/** Runs the commands and the service of a release by the path of its program. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { compiled } from '../../test/programs.ts'
import type { Driven } from './make.ts'

interface Program {
  /** The path of the one-file program, or of a script for Node. */
  readonly program: string
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
}

export function drive({ program, directory, environment }: Program): Pick<Driven, 'run' | 'start'> {
  const [command, first] = /\.m?js$/.test(program) ? [process.execPath, [program]] : [program, []]
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled(), ...environment }
  return {
    run: async (words, options = {}) => {
      const { status, stdout, stderr } = spawnSync(command, [...first, ...words], {
        ...{ cwd: directory, encoding: 'utf8', input: options.input ?? '' },
        env: { ...env, ...options.environment },
      })
      if (status !== 0) throw new Error(`ratafia ${words.join(' ')} exited with ${status}: ${stderr}`)
      return stdout
    },
    start: async () => {
      const service = spawn(command, [...first, 'serve'], {
        ...{ cwd: directory, env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(service, 'exit')
      const end = () => void service.kill('SIGKILL')
      process.once('exit', end)
      for await (const line of createInterface({ input: service.stdout })) {
        if (!line.startsWith('ratafia listening on ')) continue
        // Read and discard the rest, so that the service never blocks on a full pipe.
        service.stdout.resume()
        return async () => {
          service.kill('SIGTERM')
          const [code] = await ended
          process.off('exit', end)
          if (code !== 0) throw new Error(`The service exited with ${code}.`)
        }
      }
      throw new Error('The service exited before it listened.')
    },
  }
}
