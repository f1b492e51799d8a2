// The part of a task's view with the messages to the agent after the creation of the task, and with the inputs that no
// step has seen yet.
import type { MessageContent } from '../../contract/wire.ts'
import type { Output } from './output.ts'
import type { Part } from './part.ts'

/** The sender of the messages that Reprise itself writes to an agent. */
export const system = 'system'

/** A message to the agent after the creation of the task. */
export type Message = {
  id: string
  by: string
  content: MessageContent
  /** The message is this event for the statechart of the agent. */
  event: { type: string } | undefined
  /** Whether the request with the message had an idempotency key. */
  hasKey: boolean
  /** The number of output items that the agent saw before the message; undefined: it has not seen the message. */
  at: number | undefined
}

export type Messages = {
  messages: Message[]
  /** Ids of accepted inputs that no step has seen. */
  inbox: string[]
}

export const messages: Part<Messages, Output> = {
  begin(view) {
    view.messages = []
    view.inbox = []
  },
  folds: {
    InputAccepted(view, { by, item, event, idempotency_key }) {
      const id = item.id ?? ''
      view.inbox.push(id)
      if (item.type !== 'message') return
      const hasKey = idempotency_key !== undefined
      view.messages.push({ id, by, content: item.message_content, event, hasKey, at: undefined })
    },
    InputConsumed(view, { items }) {
      for (const message of view.messages) if (items.includes(message.id)) message.at = view.output.length
      view.inbox = view.inbox.filter(id => !items.includes(id))
    },
  },
}
