/** The operations of commands that send a file. A module of its own, because the code that sends loads on demand. */
export const IMPORT_OPERATIONS = ['makeJob', 'putJobPart', 'startJob', 'job', 'jobItems'] as const
