// A named schema of the documents: a TypeBox value of the contract, what it is, and what its fields say.
import type { TSchema } from 'typebox'

export type Component = {
  schema: TSchema
  about: string
  /** What its fields say; every field that is there has a word. */
  fields?: Record<string, string>
  /** Other fields than these may be there. */
  open?: true
}
export type Components = Record<string, Component>
