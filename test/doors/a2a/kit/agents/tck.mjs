// What the public kit of A2A wants of an agent: the beginning of a message's id says what it does. The kit's proxy (proxy.ts)
// puts the id into the message.
import { agent } from 'reprise/agent'

/** The id that the proxy put into a content, which may be quoted once more. */
const idIn = content => /message_id[^\w-]+([\w-]+)/.exec(JSON.stringify(content))?.[1] ?? ''

const texts = {
  'tck-artifact-text': ['Generated text content'],
  'tck-artifact-data': ['{"key": "value", "count": 42}'],
  'tck-stream-001': ['Stream hello from TCK'],
  'tck-stream-003': ['Stream task lifecycle'],
  'tck-stream-ordering-001': ['Ordered output'],
  'tck-stream-artifact-text': ['Streamed text content'],
  'tck-stream-artifact-chunked': ['chunk-1 ', 'chunk-2'],
}

export default agent(
  async ctx => {
    let id = idIn(ctx.input.content)
    while (id.startsWith('tck-input-required')) id = idIn(await ctx.ask('more', { question: 'What else?' }))
    if (id.startsWith('tck-reject-task')) throw new Error('rejected')
    if (id.startsWith('test-resubscribe-message-id')) await ctx.sleep(5000)
    const [, pieces = ['Hello from TCK']] =
      Object.entries(texts).find(([prefix]) => id.startsWith(prefix)) ?? []
    for (const piece of pieces.slice(0, -1)) ctx.say(piece)
    return pieces.at(-1)
  },
  { description: 'The agent of the public kit.' },
)
