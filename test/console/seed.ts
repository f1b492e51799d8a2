// Tasks that show what the console shows: every agent, every status, calls, questions, failures.
import { type Example, examples } from '../../console/home/examples.ts'
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'

/** The example of the console in which an agent asks a person. */
const ask = examples.find(({ title }) => title === 'Ask a person') as Example
const agent_config = { agent_id: ask.agent, ...ask.config }

type Wanted = { message: string; user?: string; script?: object[]; more?: object; background?: boolean }

/** An answer in which is what an answer may have in Markdown. */
export const report = `## What the log says

The server was **slow for 12 minutes**, because of *one* query. Three things to do:

1. Add an index on \`orders (customer, day)\`.
2. Read in pages:
   - 100 rows at a time,
   - newest first.
3. Measure again; see [the manual](https://example.com/indexes).

| Query | Before | After |
|:------|-------:|------:|
| orders of a customer | 4 200 ms | 3 ms |
| orders of a day | 180 ms | 175 ms |

\`\`\`python
def pages(rows, size=100):
    """Yields the rows in pages."""
    for n in range(0, len(rows), size):
        yield rows[n : n + size]  # the last one may be short
\`\`\`

> An index that nobody uses still costs every write.

![The plan](https://elsewhere.example/plan.png)`

/** Creates the tasks, and resolves to the ids of those that have views of their own in the pictures. */
export const seed = async (api: Api) => {
  const create = async ({ message, user = 'ann', script, more = {}, background = false }: Wanted) => {
    const config = script === undefined ? {} : { agent_config: { agent_id: 'script', script } }
    const body = {
      user_message_content: message,
      stream: false,
      user_id: user,
      background,
      ...config,
      ...more,
    }
    return (await read(api('POST', '/tasks', body))).body.result.id
  }
  await create({ message: 'Hello, Reprise', more: { agent_config: { agent_id: 'echo' } } })
  await create({ message: 'What is 2 + 3 * 4?', user: 'bob' })
  const failed = await create({
    message: 'Book the flight to Lisbon',
    script: [
      { reasoning: 'I look for flights first.' },
      { message: 'Let me look for flights.' },
      { fail: { code: -32000, message: 'the airline refused the booking: the fare is no longer offered' } },
    ],
  })
  const written = await create({
    message: 'Why was the shop slow this morning?',
    script: [{ message: report, delta_ms: 2 }],
  })
  await create({ message: 'Summarize the minutes of Monday', user: 'cleo', script: [{ message: 'Done.' }] })
  const tools = await create({
    message: 'Compare the prices of the three offers, and write the result to a file',
    script: [
      { usage: { input_tokens: 1480, output_tokens: 212, total_tokens: 1692 } },
      {
        reasoning:
          'Each offer has a different number of units. I compute the price of one unit for each of them.',
      },
      { message: 'I compute the unit prices.', delta_ms: 4 },
      {
        tools: [
          { tool: 'calculator', arguments: { expression: '1290 / 12' } },
          { tool: 'calculator', arguments: { expression: '890 / 8' } },
          { tool: 'run_javascript', arguments: { code: '[1290 / 12, 890 / 8, 2100 / 21].map(Math.round)' } },
        ],
      },
      { reasoning: 'The third offer is the cheapest.' },
      {
        tool: 'write_file',
        arguments: { path: 'offers.md', content: 'The third offer costs 100 a unit.\n' },
      },
      { subagent: 'demo', input: 'What is 2100 / 21?' },
      { message: 'The third offer is the cheapest: 100 a unit. I wrote it to `offers.md`.', delta_ms: 4 },
    ],
  })
  const question = await create({ message: ask.message, more: { agent_config, ...ask.more } })
  await create({
    message: 'Wait for the night',
    script: [{ pause: 'requested by the script' }, { message: 'Done' }],
  })
  await create({
    message: 'Write a long report about the harbour',
    user: 'bob',
    script: [{ message: 'The harbour opens at six. '.repeat(400), delta_ms: 40 }],
    background: true,
  })
  return { tools, question, failed, written }
}
