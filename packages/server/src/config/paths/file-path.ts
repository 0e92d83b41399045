/** How a path in a variable is read. Nothing expands it: what only a shell replaces is refused. */
import { resolve } from 'node:path'

/** Makes it absolute. Throws an `Error` whose message continues the variable's name. */
export function parseFilePath(value: string): string {
  const problem = pathProblem(value)
  if (problem !== undefined) throw new Error(problem)
  return resolve(value)
}

/** What is wrong with a path, continuing its name, with what was probably meant. Undefined for a usable one. */
export function pathProblem(value: string): string | undefined {
  const shown = JSON.stringify(value)
  const meant = value.trim().replace(/^(["'])(.*)\1$/s, '$2')
  if (/[\r\n]/.test(value.trim()) || value.includes('\0')) {
    return `is ${shown}, which is not a path. Write one path, such as /srv/ratafia.`
  }
  if (value !== value.trim()) {
    return `is ${shown}, with white space at its end or its beginning. Write ${meant} without it.`
  }
  if (/^["']|["']$/.test(value)) {
    return `is ${shown}: nothing takes the quotes away here. Write ${meant} without them.`
  }
  if (value.startsWith('~')) {
    return `is ${value}: only a shell replaces ~. Write the whole path, such as /home/USER${value.replace(/^~[^/]*/, '')}.`
  }
  const [variable] = /\$(\w+|\{\w+\})|^%[hS](?=\/|$)/.exec(value) ?? []
  if (variable !== undefined) return `is ${value}: nothing replaces ${variable} here. Write the whole path.`
  if (/^[a-z][a-z0-9+.-]+:\//i.test(value)) {
    return `is ${value}, which is an address. Write a path${value.startsWith('file:') ? `: ${value.replace(/^file:\/*/, '/')}` : ', such as /srv/ratafia'}.`
  }
  return undefined
}
