/** The time, as an argument: operations take a clock, which tests can set. */
export type Clock = () => Date
export const systemClock: Clock = () => new Date()
