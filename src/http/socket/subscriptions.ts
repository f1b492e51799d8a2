// Begins and ends the subscriptions of a connection: to channels of public events, and to the frames of tasks.

import type { Reads } from '../../access/reads.ts'
import type { EventChannel } from '../../contract/events/public-events.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid } from '../../contract/refusals.ts'
import type { ClientFields } from '../../contract/socket.ts'
import type { createEventSubscription } from './event-channels.ts'
import type { createTaskChannels } from './task-channels.ts'
import { saying } from './words.ts'

export const invalid = (name: string, type: string, msg: string) =>
  new Invalid([{ loc: ['body', name], type, msg }])

type Deps = {
  events: ReturnType<typeof createEventSubscription>
  tasks: ReturnType<typeof createTaskChannels>
  reads: Pick<Reads, 'begin'>
  say: (text: string) => void
}

export const createSocketSubscriptions = ({ events, tasks, reads, say }: Deps) => {
  const subscribe = async (who: Principal, fields: ClientFields<'subscribe'>, requestId?: string) => {
    const { channels } = fields
    if (channels.length === 0) throw invalid('channels', 'too_short', 'List should not be empty')
    if (!channels.includes('task')) {
      const begun = events.begin(who.userId, [...new Set(channels)] as EventChannel[], fields)
      const shows = reads.begin(who, '/ws subscribe')
      if (fields.filter?.task_id) shows(fields.filter.task_id)
      return say(saying('subscribed', requestId, begun))
    }
    if (channels.length > 1) {
      throw invalid(
        'channels',
        'value_error',
        'The channel task needs a subscribe message of its own, without other channels',
      )
    }
    const { answer, begin } = await tasks.subscribe(who, fields)
    reads.begin(who, '/ws subscribe')(answer.task_id)
    say(saying('subscribed', requestId, answer))
    begin()
  }

  const unsubscribe = ({ channels, task_id }: ClientFields<'unsubscribe'>, requestId?: string) => {
    const named = channels ?? undefined
    if (task_id || named?.includes('task')) {
      if (!task_id) throw invalid('task_id', 'missing', 'Field required')
      const ended = tasks.end(task_id) ? ['task'] : []
      return say(saying('unsubscribed', requestId, { channels: ended, task_id }))
    }
    say(saying('unsubscribed', requestId, { channels: events.end(named as EventChannel[] | undefined) }))
  }
  return { subscribe, unsubscribe }
}
