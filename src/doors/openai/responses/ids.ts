// The ids of responses. A response is a turn of a task: its first one, or the turn after a wait for the client.
import { type TurnId, turnOf, turnText } from '../../ids.ts'

const prefix = 'resp_'

export const responseId = (id: TurnId): string => `${prefix}${turnText(id)}`

/** The turn of a response; undefined: no response has such an id. */
export const taskOfResponse = (id: string): TurnId | undefined =>
  id.startsWith(prefix) && id.length > prefix.length ? turnOf(id.slice(prefix.length)) : undefined
