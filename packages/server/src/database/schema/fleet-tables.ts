/** The tables about a whole register of devices: see `schema.ts`. */
export interface FleetTables {
  device_activity: {
    device_id: string
    bucket: number
    brand_id: string
    last_seen_at: number | null
    address: string | null
    address_key: string | null
    evidence_at: number | null
  }
  device_count: {
    brand_id: string
    model: string
    status: string
    devices: number
    counted_at: number
  }
}
