// What was written to the agent after the task was created, and which inputs no step has seen yet.
import type { MessageContent } from '../../contract/wire.ts'
import type { Output } from './output.ts'
import type { Part } from './part.ts'

/** Who wrote what the service itself says to an agent. */
export const system = 'system'

/** Something that somebody wrote to the agent after the task was created. */
export type Message = {
  id: string
  by: string
  content: MessageContent
  /** It came with a key of its own. */
  hasKey: boolean
  /** Before which item of the output the agent saw it; undefined: not yet. */
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
