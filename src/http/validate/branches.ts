// Finds the branches of a union, and the field `type` by which its objects are distinguished.
import type { WireSchema } from '../../contract/wire-schema.ts'

export const flatten = (anyOf: readonly WireSchema[]): WireSchema[] =>
  anyOf.flatMap(branch => (branch.anyOf ? flatten(branch.anyOf) : [branch]))

export const tagsOf = (branch: WireSchema): readonly unknown[] => {
  const type = branch.properties?.type
  return type?.enum ?? (type && 'const' in type ? [type.const] : [])
}
export const isTagged = (branch: WireSchema): boolean =>
  branch.required?.includes('type') === true && tagsOf(branch).length > 0
