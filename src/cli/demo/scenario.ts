// The task of the demo: its agent calls a tool that writes a line each time it runs, then says sentences word by word.
import type { Frame } from '../../history/frames.ts'

export const traces = 'ran.txt'

const sentences = [
  'Every word that you read was in the log before you read it.',
  'Kill my server in the middle of a sentence: I say it again.',
  'What was done is never done twice.',
]
const wordMs = 60

export const task = {
  user_message_content: 'leave a trace, then talk',
  agent_config: {
    agent_id: 'script',
    script: [
      { reasoning: 'I leave a trace in a file, then I talk.' },
      { tool: 'write_file', arguments: { path: traces, content: 'ran\n', append: true } },
      ...sentences.map(message => ({ message, delta_ms: wordMs })),
    ],
  },
}

const sentenceAtCrash = 2
const wordsBeforeCrash = 6

/** Returns a function that gets each frame and says whether to kill the server now: in the middle of a sentence. */
export const crashPoint = () => {
  let sentence = 0
  let words = 0
  return ({ type, item }: Frame): boolean => {
    if (type === 'task.output_item.added' && (item as { type: string }).type === 'message') sentence++
    if (type !== 'task.text.delta' || sentence !== sentenceAtCrash) return false
    return ++words === wordsBeforeCrash
  }
}
