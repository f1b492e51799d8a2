// A named schema of the documents: a TypeBox value of the contract, its description, and the descriptions of its
// fields.
import type { TSchema } from 'typebox'

export type Component = {
  schema: TSchema
  about: string
  /** Descriptions of the fields; every field that exists needs one. */
  fields?: Record<string, string>
  /** Further fields are allowed. */
  open?: true
}
export type Components = Record<string, Component>
