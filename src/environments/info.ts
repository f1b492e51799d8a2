// Makes one entry of the list of environments, the environment info record of the interface.
import type { OpenObject } from '../contract/environment.ts'
import { type ClassInfo, isObject } from './protocol.ts'

export type Origin = 'builtin' | 'external' | 'local'
/** Every field is a string, as the interface demands. This server adds `description`, `limits` and `error`. */
export type EnvironmentInfo = {
  name: string
  source: string
  module: string
  importable: 'true' | 'false'
  default_params_summary: string
  origin: Origin
  description: string
  /** How much data the environment accepts and keeps, as a text for people. */
  limits?: string
  /** Why the module cannot be imported. */
  error?: string
}

/** `size=5, walls: boolean`: the default of each parameter, else its type. */
const summaryOf = ({ properties }: OpenObject): string =>
  Object.entries(isObject(properties) ? properties : {})
    .map(([name, schema]) => {
      if (!isObject(schema)) return name
      if (schema.default !== undefined) return `${name}=${JSON.stringify(schema.default)}`
      return schema.type === undefined ? name : `${name}: ${schema.type}`
    })
    .join(', ')

/** `source`: where the module comes from, if neither this server nor the operator has it. */
type Place = { name: string; origin: Origin; source?: string }

export const infoOf = (
  { name: module, origin, source = origin === 'builtin' ? 'reprise' : 'ENV_PATH' }: Place,
  { name, parameters = {}, description = '', limits, error }: Partial<ClassInfo>,
): EnvironmentInfo => ({
  name: origin === 'builtin' || name === undefined ? module : `${module}#${name}`,
  source,
  module,
  importable: error === undefined ? 'true' : 'false',
  default_params_summary: summaryOf(parameters),
  origin,
  description,
  ...(limits === undefined ? {} : { limits }),
  ...(error === undefined ? {} : { error }),
})
