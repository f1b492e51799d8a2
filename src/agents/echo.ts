// Says what it was told: one message, whole.
import type { Agent } from '../contract/agent.ts'
import { textOf } from './text.ts'

export const echo: Agent = {
  name: 'echo',
  description: 'Needs no model: says the text of the user back.',
  async *step({ asked }) {
    yield { say: 'item', item: 'message', part: 'output_text', texts: [textOf(asked, '')] }
    return { end: 'answer' }
  },
}
