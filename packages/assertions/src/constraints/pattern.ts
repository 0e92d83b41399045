// The part of Go's RE2 regular expressions that constraints can need, matched in linear time. Both the pattern and the
// text come from strangers, and JavaScript's engine would backtrack.

import { type CharacterTest, classEscape, type PatternCursor, readClass } from './pattern-class.ts'

/** Whether the whole text matches. */
export type Pattern = (text: string) => boolean

/** One step of a program for an automaton that can be in many states at once. */
type Step =
  | { readonly op: 'take'; readonly test: CharacterTest }
  | { readonly op: 'at'; readonly edge: 'start' | 'end' }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'match' }

/** The number of steps left. Several patterns can share a budget. */
export interface Budget {
  steps: number
}

interface Program {
  readonly steps: Step[]
  readonly budget: Budget
}

/** Appends the steps of a part to a program. */
type Part = (program: Program) => void

/** The largest count of a repetition, as in RE2. */
const MAXIMUM_COUNT = 1000
const MAXIMUM_STEPS = 2000
const MAXIMUM_NESTING = 100
/** The longest text that can match, because the work is steps times characters. */
const MAXIMUM_TEXT = 4096

/**
 * Compiles a pattern, anchored at both ends. Accepts literals, `.`, classes, `\d \w \s` and their opposites, groups,
 * `|`, `* + ?`, counts, and `^ $`. Throws `SyntaxError` for anything else.
 */
export function compilePattern(source: string, budget: Budget = { steps: MAXIMUM_STEPS }): Pattern {
  const cursor: PatternCursor = { characters: [...source], at: 0 }
  const part = readAlternatives(cursor, 0)
  if (cursor.at < cursor.characters.length) throw new SyntaxError('unexpected )')
  const program: Program = { steps: [], budget }
  part(program)
  append(program, { op: 'match' })
  return (text) => text.length <= MAXIMUM_TEXT && run(program.steps, [...text])
}

function readAlternatives(cursor: PatternCursor, depth: number): Part {
  if (depth > MAXIMUM_NESTING) throw new SyntaxError('groups nest too deep')
  const alternatives = [readSequence(cursor, depth)]
  while (cursor.characters[cursor.at] === '|') {
    cursor.at += 1
    alternatives.push(readSequence(cursor, depth))
  }
  return either(alternatives)
}

function readSequence(cursor: PatternCursor, depth: number): Part {
  const parts: Part[] = []
  while (cursor.at < cursor.characters.length && !/[|)]/.test(cursor.characters[cursor.at] as string)) {
    parts.push(readRepetition(cursor, readAtom(cursor, depth)))
  }
  return (program) => {
    for (const part of parts) part(program)
  }
}

function readAtom(cursor: PatternCursor, depth: number): Part {
  const character = cursor.characters[cursor.at++] as string
  switch (character) {
    case '(':
      return readGroup(cursor, depth)
    case '[':
      return take(readClass(cursor))
    case '.':
      return take((c) => c !== '\n')
    case '^':
      return (program) => append(program, { op: 'at', edge: 'start' })
    case '$':
      return (program) => append(program, { op: 'at', edge: 'end' })
    case '\\':
      return take(classEscape(cursor).test)
    case '*':
    case '+':
    case '?':
      throw new SyntaxError(`nothing to repeat before ${character}`)
    default:
      return take((c) => c === character)
  }
}

function readGroup(cursor: PatternCursor, depth: number): Part {
  if (cursor.characters[cursor.at] === '?') {
    if (cursor.characters[cursor.at + 1] !== ':') throw new SyntaxError('groups can only begin with ( or (?:')
    cursor.at += 2
  }
  const part = readAlternatives(cursor, depth + 1)
  if (cursor.characters[cursor.at++] !== ')') throw new SyntaxError('missing )')
  return part
}

const REPETITION = /^([*+?]|\{(\d+)(,(\d*))?\})\??/

function readRepetition(cursor: PatternCursor, part: Part): Part {
  const ahead = (): string => cursor.characters.slice(cursor.at, cursor.at + '{1000,1000}?'.length).join('')
  const [found, operator, low = '', comma, high = ''] = REPETITION.exec(ahead()) ?? []
  if (found === undefined) return part
  cursor.at += found.length
  if (REPETITION.test(ahead())) throw new SyntaxError('repetition of a repetition')
  if (operator === '*') return star(part)
  if (operator === '+') return repeat(part, 1, undefined)
  if (operator === '?') return repeat(part, 0, 1)
  const most = comma === undefined ? Number(low) : high === '' ? undefined : Number(high)
  return repeat(part, Number(low), most)
}

function repeat(part: Part, least: number, most: number | undefined): Part {
  if (least > MAXIMUM_COUNT || (most ?? 0) > MAXIMUM_COUNT || (most ?? least) < least) {
    throw new SyntaxError('the counts of a repetition must be in ascending order and at most 1000')
  }
  return (program) => {
    for (let i = 0; i < least; i++) {
      // Each repetition costs a step, even of an empty part, so nested counts reach the limit instead of looping.
      append(program, { op: 'split', to: [program.steps.length + 1] })
      part(program)
    }
    if (most === undefined) star(part)(program)
    for (let i = least; i < (most ?? 0); i++) either([part, () => {}])(program)
  }
}

function take(test: CharacterTest): Part {
  return (program) => append(program, { op: 'take', test })
}

function either(alternatives: readonly Part[]): Part {
  const [first] = alternatives
  if (alternatives.length === 1 && first !== undefined) return first
  return (program) => {
    const to: number[] = []
    append(program, { op: 'split', to })
    const ends: number[][] = []
    for (const alternative of alternatives) {
      to.push(program.steps.length)
      alternative(program)
      const end: number[] = []
      ends.push(end)
      append(program, { op: 'split', to: end })
    }
    for (const end of ends) end.push(program.steps.length)
  }
}

function star(part: Part): Part {
  return (program) => {
    const start = program.steps.length
    const to = [start + 1]
    append(program, { op: 'split', to })
    part(program)
    append(program, { op: 'split', to: [start] })
    to.push(program.steps.length)
  }
}

function append({ steps, budget }: Program, step: Step): void {
  if (steps.length >= MAXIMUM_STEPS || budget.steps <= 0) throw new SyntaxError('the pattern is too large')
  budget.steps -= 1
  steps.push(step)
}

/** Follows all paths through the program at once, in one round for each character of the text. */
function run(program: readonly Step[], characters: readonly string[]): boolean {
  let states = reach(program, [0], true, characters.length === 0)
  for (const [i, character] of characters.entries()) {
    const next: number[] = []
    for (const state of states) {
      const step = program[state]
      if (step?.op === 'take' && step.test(character)) next.push(state + 1)
    }
    if (next.length === 0) return false
    states = reach(program, next, false, i === characters.length - 1)
  }
  return [...states].some((state) => program[state]?.op === 'match')
}

/** Returns all states that can be reached from these without consuming a character. */
function reach(program: readonly Step[], from: readonly number[], start: boolean, end: boolean): Set<number> {
  const reached = new Set<number>()
  const pending = [...from]
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (reached.has(state)) continue
    reached.add(state)
    const step = program[state]
    if (step?.op === 'split') pending.push(...step.to)
    if (step?.op === 'at' && (step.edge === 'start' ? start : end)) pending.push(state + 1)
  }
  return reached
}
