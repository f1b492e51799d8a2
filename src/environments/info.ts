// One entry in the list of environments: the environment info record of the interface.
import type { OpenObject } from '../contract/environment.ts'
import { type ClassInfo, isObject } from './protocol.ts'

export type Origin = 'builtin' | 'external' | 'local'
/** Every field is a string, as the interface demands; `description`, `limits` and `error` are additions of ours. */
export type EnvironmentInfo = {
  name: string
  source: string
  module: string
  importable: 'true' | 'false'
  default_params_summary: string
  origin: Origin
  description: string
  /** The amount of data that it accepts and keeps, for people. */
  limits?: string
  /** Why it cannot be imported. */
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

type Place = { name: string; origin: Origin }

export const infoOf = (
  { name: module, origin }: Place,
  { name, parameters = {}, description = '', limits, error }: Partial<ClassInfo>,
): EnvironmentInfo => ({
  name: origin === 'builtin' || name === undefined ? module : `${module}#${name}`,
  source: origin === 'builtin' ? 'reprise' : 'ENV_PATH',
  module,
  importable: error === undefined ? 'true' : 'false',
  default_params_summary: summaryOf(parameters),
  origin,
  description,
  ...(limits === undefined ? {} : { limits }),
  ...(error === undefined ? {} : { error }),
})
