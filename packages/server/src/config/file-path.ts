/** Parses a path in a variable. Refuses text that only a shell would expand. */
import { resolve } from 'node:path'

/** Returns the absolute path. Throws an `Error` whose message follows the variable's name. */
export function parseFilePath(value: string): string {
  const problem = pathProblem(value)
  if (problem !== undefined) throw new Error(problem)
  return resolve(value)
}

/** Returns what is wrong with a path, to follow its name, with the probable intention; undefined for a usable path. */
export function pathProblem(value: string): string | undefined {
  const shown = JSON.stringify(value)
  const meant = value.trim().replace(/^(["'])(.*)\1$/s, '$2')
  if (/[\r\n]/.test(value.trim()) || value.includes('\0')) {
    return `is ${shown}, which is not a path. Write one path, such as /srv/ratafia.`
  }
  if (value !== value.trim()) {
    return `is ${shown}, with leading or trailing white space. Write ${meant} without it.`
  }
  if (/^["']|["']$/.test(value)) {
    return `is ${shown}, with quotes that are not removed here. Write ${meant} without them.`
  }
  if (value.startsWith('~')) {
    return `is ${value}, but only a shell expands ~. Write the whole path, such as /home/USER${value.replace(/^~[^/]*/, '')}.`
  }
  const [variable] = /\$(\w+|\{\w+\})|^%[hS](?=\/|$)/.exec(value) ?? []
  if (variable !== undefined)
    return `is ${value}, but ${variable} is not expanded here. Write the whole path.`
  if (/^[a-z][a-z0-9+.-]+:\//i.test(value)) {
    return `is ${value}, which is a URL. Write a path${value.startsWith('file:') ? `: ${value.replace(/^file:\/*/, '/')}` : ', such as /srv/ratafia'}.`
  }
  return undefined
}
