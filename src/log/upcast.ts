// Upcasts events: old events get the form of today when they are read, and stored events never change. An entry of the
// table turns the data of an event type from one version into the next version.
import type { Header } from '../contract/stored.ts'

export type Upcasters = Record<string, Record<number, (data: unknown, header: Header) => unknown>>

/** None yet: every event type is at its first version. */
export const upcasters: Upcasters = {}

export const upcast = (header: Header, data: unknown, table: Upcasters): unknown => {
  const steps = table[header.type]
  if (steps === undefined) return data
  let lifted = data
  for (let version = header.schema_version; steps[version] !== undefined; version++) {
    lifted = steps[version]?.(lifted, header)
  }
  return lifted
}
