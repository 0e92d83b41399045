/** The rule for an agent's name, which is the `username` it logs in with. */
import { invalidField } from '../../errors.ts'

const AGENT_NAME = /^[a-z0-9](?:[a-z0-9._@+-]{0,62}[a-z0-9])?$/
export const isAgentName = (text: string): boolean => AGENT_NAME.test(text)

/** Returns the name. Throws `invalid-field` if it is not valid. */
export function checkAgentName(text: string): string {
  if (isAgentName(text)) return text
  throw invalidField(
    'An agent\'s name has 1 to 64 characters of a-z, 0-9 and "._@+-", and begins and ends with a letter or digit.',
    { field: 'name' },
  )
}
