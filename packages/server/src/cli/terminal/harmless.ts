/** Text from elsewhere, made fit for a terminal, and for the log of a CI job. */
import { betweenNeededJoiners } from '../../text/joiners.ts'

// Controls, invisible and bidirectional marks, line separators; and what begins a command to Azure Pipelines
// (`##vso[…]`) or to a runner of GitHub (`##[…]`) wherever it stands in a line.
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|#(?=#(?:vso)?\[)/giu

/** Text from elsewhere (a description, a name) must not steer the terminal it is shown on, nor whoever reads its lines. */
export const harmless = (text: string): string =>
  betweenNeededJoiners(text, (part) => part.replace(STEERING, '?'))

/** JSON keeps its meaning: it has escapes of its own, and JSON.stringify leaves those above ASCII's out. */
export const escaped = (json: string): string =>
  json.replace(STEERING, (mark) =>
    // By code unit: some of the marks take two.
    Array.from({ length: mark.length }, (_, at) => mark.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
