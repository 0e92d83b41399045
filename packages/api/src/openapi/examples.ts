import type { Described } from './describe.ts'
export const withExamples = (described: Described): Described => described
