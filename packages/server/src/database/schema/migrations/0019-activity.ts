import type { Migration } from '../migration.ts'
import { shardedTable } from '../statements/sharded.ts'

/** When devices were last seen, and how many there are of each kind: what lists of a large register are made from. */
export const activity: Migration = {
  name: '0019-activity',
  statements: (words) => {
    const { bytewise, instant, integer, smallInteger, strict } = words
    return [
      // "last_seen_at" is null for a device that has evidence of a clone and was never seen. "address_key" has the 32
      // hexadecimal digits of "address" as IPv6, so a block of addresses is a range of keys. "evidence_at" is when
      // evidence was last seen, as long as there is any.
      ...shardedTable(
        {
          name: 'device_activity',
          by: 'bucket',
          columns: `
      device_id text not null,
      bucket ${smallInteger} not null,
      brand_id text not null,
      last_seen_at ${instant},
      address text,
      address_key text,
      evidence_at ${instant},
      constraint device_activity_device_id_bucket_key primary key (device_id, bucket),
      constraint device_activity_device_fk
        foreign key (device_id, bucket) references device (id, bucket) on delete cascade
    `,
        },
        words,
      ),
      // Addresses come with the next session: those of IPv6 have no simple expression here.
      `insert into device_activity (device_id, bucket, brand_id, last_seen_at, evidence_at)
        select id, bucket, brand_id, last_seen_at, evidence_at from (
          select id, bucket, brand_id,
            coalesce(
              (select max(opened_at) from device_session
                where device_session.device_id = device.id and device_session.bucket = device.bucket),
              last_session_at,
              case when origin <> 'import' then registered_at end
            ) as last_seen_at,
            (select max(last_seen_at) from clone_evidence
              where clone_evidence.device_id = device.id and clone_evidence.bucket = device.bucket) as evidence_at
          from device where removed_at is null
        ) as found where last_seen_at is not null or evidence_at is not null`,
      'create index device_activity_seen on device_activity (last_seen_at, device_id)',
      `create index device_activity_address on device_activity (address_key${bytewise}, device_id)`,
      `create index device_activity_evidence on device_activity (evidence_at, device_id)
        where evidence_at is not null`,
      // Whoever may see one brand alone looks at no row of another.
      'create index device_activity_brand_seen on device_activity (brand_id, last_seen_at, device_id)',
      `create index device_activity_brand_address
        on device_activity (brand_id, address_key${bytewise}, device_id)`,
      `create index device_activity_brand_evidence on device_activity (brand_id, evidence_at, device_id)
        where evidence_at is not null`,

      // Few devices wait, or are in quarantine: these are counted when somebody asks.
      "create index device_waiting on device (brand_id, id) where status = 'pending'",
      'create index device_brand_quarantined on device (brand_id, id) where quarantined_at is not null',
      // Counted again each minute, and never while a list is read.
      `create table device_count (
        brand_id text not null,
        model text not null,
        status text not null,
        devices ${integer} not null,
        counted_at ${instant} not null,
        constraint device_count_brand_id_model_status_key primary key (brand_id, model, status)
      )${strict}`,
    ]
  },
}
