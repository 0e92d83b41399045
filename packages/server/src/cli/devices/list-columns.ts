/** The columns of lists of devices: their own module, as a list from a service needs nothing of the register. */
export const DEVICE_LIST_COLUMNS = [
  'id',
  'brand_id',
  'model',
  'serial',
  'status',
  'registered_at',
  'quarantined_at',
]

/** Of devices that wait: what helps to decide. */
export const WAITING_LIST_COLUMNS = ['id', 'brand_id', 'model', 'serial', 'address', 'registered_at']
