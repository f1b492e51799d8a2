// Repeats the text of the user in one whole message.
import type { Agent, Reply, StepInput } from '../contract/agent.ts'
import { plainText } from '../contract/plain-text.ts'

const reply = ({ asked }: Pick<StepInput, 'asked'>): Reply => ({
  said: [{ say: 'item', item: 'message', part: 'output_text', texts: [plainText(asked, '')] }],
  end: { end: 'answer' },
})

export const echo: Agent = {
  name: 'echo',
  description: 'Needs no model: says the text of the user back.',
  reply,
  async *step(input) {
    const { said, end } = reply(input)
    yield* said
    return end
  },
}
