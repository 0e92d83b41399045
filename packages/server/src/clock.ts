/** The time, as an argument: operations take a clock, so that tests can move it. */
export type Clock = () => Date
export const systemClock: Clock = () => new Date()
