// The messages to the agent after the creation of the task, and the inputs that no step has seen yet.
import type { MessageContent } from '../../contract/wire.ts'
import type { Output } from './output.ts'
import type { Part } from './part.ts'

/** The sender of the messages that the service itself writes to an agent. */
export const system = 'system'

/** A message to the agent after the creation of the task. */
export type Message = {
  id: string
  by: string
  content: MessageContent
  /** The request had an idempotency key. */
  hasKey: boolean
  /** The item of the output before which the agent saw the message; undefined: not seen yet. */
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
    InputAccepted(view, { by, item, idempotency_key }) {
      const id = item.id ?? ''
      view.inbox.push(id)
      if (item.type !== 'message') return
      const hasKey = idempotency_key !== undefined
      view.messages.push({ id, by, content: item.message_content, hasKey, at: undefined })
    },
    InputConsumed(view, { items }) {
      for (const message of view.messages) if (items.includes(message.id)) message.at = view.output.length
      view.inbox = view.inbox.filter(id => !items.includes(id))
    },
  },
}
