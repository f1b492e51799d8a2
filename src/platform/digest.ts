// Makes the digest of a JSON value. The order of the keys in its objects does not matter.
import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { canonical } from '../contract/json/canonical.ts'
import { withoutLeftOut } from '../contract/json/schema-walk.ts'

export const digestOfBody = (value: unknown): string => hash('sha256', canonical(value), 'base64url')

/**
 * The digest of a request with this schema, by which a retry is recognized. An optional field that is null counts as
 * absent. `beside`: further values that identify the request.
 */
export const digestOfRequest = (schema: TSchema, body: unknown, ...beside: unknown[]): string => {
  const lean = withoutLeftOut(schema, body)
  return digestOfBody(beside.length === 0 ? lean : [...beside, lean])
}
