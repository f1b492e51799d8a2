// One text for one value, whatever the order of its keys: what digests of request bodies are made of. Not
// RFC 8785: its libraries refuse lone surrogates, which a content may hold.
import { hash } from 'node:crypto'

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

export const canonical = (value: unknown): string => JSON.stringify(value, sorted)
export const digestOfBody = (value: unknown): string => hash('sha256', canonical(value), 'base64url')
