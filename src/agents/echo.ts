// Says what it was told: one message, whole.
import type { Agent } from '../contract/agent.ts'
import { textOf } from './text.ts'

export const echo: Agent = {
  name: 'echo',
  async *step({ request }) {
    yield { say: 'item', item: 'message', part: 'output_text', texts: [textOf(request.user_message_content)] }
    return { end: 'answer' }
  },
}
