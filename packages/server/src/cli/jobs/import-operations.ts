/** What commands that send a file ask of a service. Its own module: what sends it loads when it is wanted. */
export const IMPORT_OPERATIONS = ['makeJob', 'putJobPart', 'startJob', 'job', 'jobItems'] as const
