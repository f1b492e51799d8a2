// The classes of the clients' errors, from the table of refusals: the files library/client/refusals.ts and
// python/reprise/refusals.py.
import { type Entry, entries } from '../catalogue.ts'
import { generated } from './typescript.ts'

/**
 * The name of the class for all refusals with a status, and of those that the catalogue does not have. Where a refusal has
 * this name itself, it stands for the others, too.
 */
export const families: Record<number, string> = {
  400: 'BadRequest',
  404: 'NotFound',
  409: 'Conflict',
  429: 'Busy',
  503: 'Unavailable',
}

type Class = { name: string; parent: string; about: string }

/** The classes, each after its parent. */
export const classesOfErrors = (): Class[] => {
  const named = (name: string) => entries.find(entry => entry.name === name)
  const heads = Object.entries(families).map(([status, name]): Class => {
    const entry = named(name)
    return {
      name,
      parent: 'RepriseError',
      about: entry ? aboutOf(entry) : `A refusal with the status ${status}.`,
    }
  })
  const others = entries
    .filter(({ name }) => !heads.some(head => head.name === name))
    .map(
      (entry): Class => ({
        name: entry.name,
        parent: families[entry.http] ?? 'RepriseError',
        about: aboutOf(entry),
      }),
    )
  return [...heads, ...others]
}
const aboutOf = ({ http, code, message }: Entry): string => `${http}, ${code}: ${message}.`

/** The file library/client/refusals.ts. */
export const refusalsFile = (): string => {
  const classes = classesOfErrors()
  const lines = classes.map(
    ({ name, parent, about }) =>
      `/** ${about} */\nexport class ${name} extends ${parent} {\n  override name = '${name}'\n}\n`,
  )
  return `// The refusals of the server, as docs/errors.md has them. ${generated}
import { RepriseError } from './errors.ts'

${lines.join('')}`
}

/** The file library/client/refusal-classes.ts. */
export const refusalClassesFile = (): string => {
  const statuses = Object.entries({ ...soleOf(), ...families })
  const names = classesOfErrors().map(({ name }) => `  ${name},\n`)
  return `// The classes of refusals, by name and by status. ${generated}
import type { RepriseError } from './errors.ts'
import {
${names.join('')}} from './refusals.ts'

/** By the names of the catalogue. */
export const byName: Record<string, typeof RepriseError> = {
${names.join('')}}
/** For refusals whose names the answer does not tell. */
export const byStatus: Record<number, typeof RepriseError> = {
${statuses.map(([status, name]) => `  ${status}: ${name},\n`).join('')}}
`
}

/** The statuses for which there is one refusal only, with its name. */
const soleOf = (): Record<number, string> =>
  Object.fromEntries(
    entries
      .filter(({ http, name }) => entries.every(other => other.http !== http || other.name === name))
      .map(({ http, name }) => [http, name]),
  )

/** The file python/reprise/refusals.py. */
export const pythonRefusalsFile = (): string => {
  const classes = classesOfErrors()
  const lines = classes.map(({ name, parent, about }) => `class ${name}(${parent}):\n    """${about}"""\n`)
  const byStatus = Object.entries({ ...soleOf(), ...families }).map(
    ([status, name]) => `    ${status}: ${name},\n`,
  )
  return `"""The refusals of the server, as docs/errors.md has them. ${generated}"""

from typing import Dict, Type

from .errors import RepriseError

__all__ = [
${classes.map(({ name }) => `    "${name}",\n`).join('')}]


${lines.join('\n\n')}

BY_NAME: Dict[str, Type[RepriseError]] = {
${classes.map(({ name }) => `    "${name}": ${name},\n`).join('')}}
"""The classes by their names in the catalogue."""

BY_STATUS: Dict[int, Type[RepriseError]] = {
${byStatus.join('')}}
"""The classes of refusals whose names the answer does not tell, by status."""
`
}
