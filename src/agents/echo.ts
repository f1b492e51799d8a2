// Repeats the text of the user in one whole message.
import type { Agent } from '../contract/agent.ts'
import { plainText } from './text.ts'

export const echo: Agent = {
  name: 'echo',
  description: 'Needs no model: says the text of the user back.',
  async *step({ asked }) {
    yield { say: 'item', item: 'message', part: 'output_text', texts: [plainText(asked, '')] }
    return { end: 'answer' }
  },
}
