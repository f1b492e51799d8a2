// Checks the settings of a game, which are kwargs or options of a reset.
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

/** Throws if a field is invalid, or if no move is possible in the position. */
export const settingsOf = (values: OpenObject): Settings => {
  const settings = checked(parameters, values) as Settings
  gameFrom(settings.fen)
  return settings
}
