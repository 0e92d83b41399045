/** Colour where it helps: at a terminal, unless NO_COLOR says otherwise; elsewhere only with FORCE_COLOR. */
import { styleText } from 'node:util'
import type { Streams } from '../context.ts'

type Colour = 'bold' | 'red' | 'green' | 'yellow'

/** Node reads NO_COLOR, FORCE_COLOR and what kind of terminal it is. */
export const coloured = (colour: Colour, text: string, stream: Streams['stdout']): string =>
  styleText(colour, text, { stream })

export const hasColour = (stream: Streams['stdout']): boolean => coloured('bold', 'x', stream) !== 'x'
