// What a game can be told: its kwargs, which are also its reset's options.
import type { OpenObject } from '../../../contract/environment.ts'
import { checked, type ObjectSchema } from '../shared/schema.ts'
import { DEFAULT_POSITION, gameFrom, type Side } from './position.ts'

export const parameters: ObjectSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    fen: {
      type: 'string',
      maxLength: 100,
      default: DEFAULT_POSITION,
      description: 'The position to begin with, in Forsyth-Edwards Notation. Default: that of a new game.',
    },
    side: {
      type: 'string',
      enum: ['white', 'black'],
      default: 'white',
      description: 'The side of the agent, whose result the reward tells.',
    },
    opponent: {
      type: 'string',
      enum: ['random', 'none'],
      default: 'random',
      description: 'Who moves for the other side: random legal moves, or the agent as well.',
    },
  },
}
export type Settings = { fen: string; side: Side; opponent: 'random' | 'none' }

/** Throws when a field does not fit, or when nobody can move from the position. */
export const settingsOf = (given: OpenObject): Settings => {
  const settings = checked(parameters, given) as Settings
  gameFrom(settings.fen)
  return settings
}
