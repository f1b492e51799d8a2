// Checks the settings of a grid world, which are kwargs or options of a reset, and makes the map that they describe.
import type { OpenObject } from '../../../contract/environment.ts'
import { randomFrom } from '../shared/random.ts'
import { checked, type ObjectSchema } from '../shared/schema.ts'
import { generate, maxKeys, type Size } from './generate.ts'
import { type GridMap, parseMap } from './map.ts'
import { solve } from './solve.ts'

export const parameters: ObjectSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    width: {
      type: 'integer',
      minimum: 4,
      maximum: 50,
      default: 9,
      description: 'Columns, outer walls included.',
    },
    height: {
      type: 'integer',
      minimum: 4,
      maximum: 50,
      default: 9,
      description: 'Rows, outer walls included.',
    },
    walls: {
      type: 'number',
      minimum: 0,
      maximum: 0.6,
      default: 0.2,
      description:
        'The share of the floor that becomes inner walls, as far as every cell stays within reach.',
    },
    keys: {
      type: 'integer',
      minimum: 0,
      maximum: 6,
      description:
        'How many locked doors stand between the start and the goal; each has a key of its own. Default: 1, none on ' +
        'a map too small for it.',
    },
    max_steps: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'Steps until the episode is truncated. Default: 4 × width × height.',
    },
    view_radius: {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 2,
      description: 'How many cells the agent sees in each direction; walls do not hide what is behind them.',
    },
    map: {
      type: 'string',
      maxLength: 3_000,
      description:
        'A map instead of a generated one, a line a row: # wall, . floor, @ start, G goal, a-f keys, A-F their doors.',
    },
  },
}

export type Settings = Size & { max_steps?: number; view_radius: number; map?: string }

export const settingsOf = (values: OpenObject): Settings => {
  const settings = checked(parameters, values) as Omit<Settings, 'keys'> & { keys?: number }
  const max = maxKeys(settings)
  const { width, height, map, keys = Math.min(1, max) } = settings
  if (map === undefined && keys > max) {
    throw new Error(`keys must be at most ${max} on a map of ${width} × ${height}`)
  }
  return { ...settings, keys }
}

export const mapOf = (settings: Settings, seed: number): GridMap => {
  if (settings.map === undefined) return generate(settings, randomFrom(seed))
  const map = parseMap(settings.map)
  if (solve(map) === undefined) throw new Error('map must have a goal, G, that can be reached from @')
  return map
}
