/** Commands in the messages of this program and of the service. */
import type { Streams } from './context.ts'

/**
 * Writes the commands in `text` as this user can type them. Text names commands as `` `ratafia …` ``, or on a line of
 * their own, indented by two spaces or more.
 */
export const typed = (text: string, { calledAs = 'ratafia' }: Pick<Streams, 'calledAs'>): string =>
  text.replaceAll(/(`|^ {2,})ratafia (?=[a-z])/gm, (_all, before: string) => `${before}${calledAs} `)
