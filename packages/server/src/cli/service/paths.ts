/** Where the management API is, below the address of a service. */
export const MANAGEMENT_PATH = '/api/management/v1'
