// The metadata of a task that a door makes. A door keeps what only it knows under one key of its own.
import { reservedMetadata } from '../contract/wire.ts'

/**
 * Keys that the service writes itself mean nothing in another protocol, so the caller's own values of them are kept apart, in
 * `<own>.metadata`. `facts`: what the door stores with the request.
 */
export const metadataOf = (
  own: string,
  metadata: Record<string, unknown> | null | undefined,
  facts: Record<string, unknown>,
): Record<string, unknown> => {
  const entries = Object.entries(metadata ?? {})
  const isApart = ([key]: [string, unknown]) => key === own || reservedMetadata.has(key)
  const apart = entries.filter(isApart)
  const known = { ...facts, ...(apart.length === 0 ? {} : { metadata: Object.fromEntries(apart) }) }
  return {
    ...Object.fromEntries(entries.filter(entry => !isApart(entry))),
    ...(Object.keys(known).length === 0 ? {} : { [own]: known }),
  }
}

/** What a door has stored with a request, and the caller's metadata. A task that was made otherwise has no facts. */
export const storedMetadata = <Facts extends { metadata?: Record<string, unknown> }>(
  own: string,
  all: Record<string, unknown> | null | undefined,
): { facts: Partial<Facts>; metadata: Record<string, unknown> } => {
  const { [own]: known, ...metadata } = all ?? {}
  const facts: Partial<Facts> = typeof known === 'object' && known !== null ? known : {}
  return { facts, metadata: { ...metadata, ...facts.metadata } }
}
