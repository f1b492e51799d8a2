// Turns stored text back into an event. Throws DamagedEvent for text that does not match its hashes, so that damaged
// text is never shown.
import { DamagedEvent, type Header, type Recorded } from '../contract/stored.ts'
import { digestOf, leafOf } from './leaf.ts'
import type { Row } from './store.ts'
import { type Upcasters, upcast, upcasters } from './upcast.ts'

export const decode = (row: Row, table: Upcasters = upcasters): Recorded => {
  const { position, payload } = row
  if (payload === null) throw new DamagedEvent(position, 'has no payload')
  if (leafOf(row.header) !== row.leaf) throw new DamagedEvent(position, 'does not match its leaf')
  let header: Header & { digest: string }
  let data: unknown
  try {
    header = JSON.parse(row.header)
    data = JSON.parse(payload)
  } catch {
    throw new DamagedEvent(position, 'is not JSON')
  }
  if (digestOf(row.salt, payload) !== header.digest)
    throw new DamagedEvent(position, 'does not match its digest')
  if (header.stream !== row.stream || header.revision !== row.revision) {
    throw new DamagedEvent(position, 'is stored under another stream or revision than its header says')
  }
  return { position, header, data: upcast(header, data, table) }
}
