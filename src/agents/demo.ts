// Needs no model: thinks aloud about what it was asked and answers, slowly enough to be watched.
import type { Agent, StepPart } from '../contract/agent.ts'
import type { Timers } from '../contract/ports.ts'
import type { ItemKind, PartKind } from '../contract/task-events.ts'
import { sleep } from './sleep.ts'
import { textOf, words } from './text.ts'

/** Slow enough to watch, fast enough to test. */
const wordMs = 15

const short = (text: string, most = 200) => (text.length > most ? `${text.slice(0, most)}…` : text)

export const demo = (timers: Timers): Agent => ({
  name: 'demo',
  async *step({ request, history, signal }) {
    const asked = textOf(request.user_message_content)
    const count = words(asked).length
    const seen = (await history()).length - 1

    async function* say(item: ItemKind, part: PartKind, text: string): AsyncGenerator<StepPart> {
      for (const word of words(text)) {
        yield { say: 'delta', item, part, text: word }
        await sleep(timers, wordMs, signal)
      }
    }
    const before =
      seen === 0 ? 'This is the first message here.' : `I see ${seen} earlier items in this session.`
    yield* say(
      'reasoning',
      'summary_text',
      `The user wrote ${count} ${count === 1 ? 'word' : 'words'}. ${before}`,
    )
    yield* say(
      'message',
      'output_text',
      `You said: “${short(asked)}”. I am the demo agent and work without a model. Every word of this answer is an ` +
        'event in the log: cut the connection, or kill the server, and read on where you were.',
    )
    return { end: 'answer' }
  },
})
