/** Makes foreign text safe for a terminal and for the log of a CI job. */
import { betweenNeededJoiners } from '../../text/joiners.ts'

// Controls, invisible and bidirectional marks, line separators; and the beginning of a command to Azure
// Pipelines (`##vso[…]`) or to a GitHub runner (`##[…]`), anywhere in a line.
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|#(?=#(?:vso)?\[)/giu

/** Replaces characters in foreign text, such as a name, that could control a terminal or a program that reads it. */
export const harmless = (text: string): string =>
  betweenNeededJoiners(text, (part) => part.replace(STEERING, '?'))

/** Escapes the same characters in JSON without changing its meaning; JSON.stringify escapes only those of ASCII. */
export const escaped = (json: string): string =>
  json.replace(STEERING, (mark) =>
    // One escape per code unit: some of the marks have two.
    Array.from({ length: mark.length }, (_, at) => mark.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
