// Checks the settings of a workspace, which are kwargs or options of a reset.
import path from 'node:path'
import type { OpenObject } from '../../../contract/environment.ts'
import { checked, type ObjectSchema } from '../shared/schema.ts'

export const parameters: ObjectSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    files: {
      type: 'object',
      additionalProperties: { type: 'string' },
      default: {},
      description: 'Text files to begin with: contents by path, relative to the workspace.',
    },
  },
}

/** The files to begin with. Throws if a path does not name a file below the workspace. */
export const filesOf = (values: OpenObject): Record<string, string> => {
  const { files } = checked(parameters, values) as { files: Record<string, string> }
  for (const name of Object.keys(files)) {
    const below = path.normalize(name)
    const isBelow = !path.isAbsolute(below) && !/^\.\.?(?:$|[/\\])/.test(below) && !/[/\\]$|\0/.test(below)
    if (!isBelow || name === '')
      throw new Error(`files.${name} must be the path of a file below the workspace`)
  }
  return files
}

/** Throws if a process cannot have these variables. */
export const unlessEnv = (vars: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(vars)) {
    if (name === '' || /[=\0]/.test(name)) throw new Error('env_vars must have names without = and NUL')
    if (value.includes('\0')) throw new Error(`env_vars.${name} cannot hold a NUL character`)
  }
}
