// Finds the fields of a body that fit its schema. Rules that no schema can express are checked in these fields only.
import type { Problem } from '../refusals.ts'

/** The fields of the body in which the schema found no problem. */
export const fittingFields = <Body extends object>(body: Body, found: readonly Problem[]): Partial<Body> => {
  const wrong = new Set(found.map(({ loc }) => String(loc[1])))
  return Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name))) as Partial<Body>
}
