/** The user of the browser that a client opens, and the pages that the user saw. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientPaths } from './paths.ts'

export interface Person {
  readonly username: string
  readonly password: string
  /** The button they press. */
  readonly button: 'Approve login' | 'Reject login'
  /** They wait until this file exists. */
  readonly comesWhen?: string
  /** Every page they saw, one JSON line each; the file `${notes}.done` is created when they leave. */
  readonly notes: string
}

export interface Seen {
  readonly status: number
  readonly title: string
  readonly text: string
}

/**
 * Returns the variables that make a client open this person's browser. `seen` waits until the person has left,
 * because a client may have its token before the browser has the next page.
 */
export async function browserOf(
  directory: string,
  person: Pick<Person, 'username' | 'password'> & Partial<Person>,
): Promise<{ readonly environment: Record<string, string>; seen(): Promise<Seen[]> }> {
  const file = join(directory, `person-${crypto.randomUUID()}.json`)
  const notes = `${file}.notes`
  await writeFile(file, JSON.stringify({ button: 'Approve login', notes, ...person } satisfies Person))
  return {
    environment: {
      INTEROP_PERSON: file,
      // The "&" means for the webbrowser module that it does not wait for the browser to close.
      BROWSER: `${process.execPath} ${clientPaths.person} %s &`,
    },
    seen: async () => {
      while (!existsSync(`${notes}.done`)) await sleep(50)
      const lines = (await readFile(notes, 'utf8')).trim().split('\n')
      return lines.map((line) => JSON.parse(line) as Seen)
    },
  }
}
