/** Colours at a terminal, unless NO_COLOR is set; elsewhere only with FORCE_COLOR. */
import { styleText } from 'node:util'
import type { Streams } from '../context.ts'

type Colour = 'bold' | 'red' | 'green' | 'yellow'

/** Colours text. Node reads NO_COLOR, FORCE_COLOR and the kind of terminal. */
export const coloured = (colour: Colour, text: string, stream: Streams['stdout']): string =>
  styleText(colour, text, { stream })

export const hasColour = (stream: Streams['stdout']): boolean => coloured('bold', 'x', stream) !== 'x'
