// What works with each dialect, tried against the strict imitation of its vendor. Each cell is a task, and says in a few
// words what came of it. The table stands in docs/models.md: `node test/models/matrix.ts` writes it there.
import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { between } from '../../src/documents/between.ts'
import type { Answer } from '../../src/fake-model/answer.ts'
import { type AgentTask, callId, result, type Tasks, tasksOf, textsOf, tool } from '../http/agent-tasks.ts'
import { serveHere } from '../support/server.ts'
import { framesOf } from '../support/sse.ts'
import { type ImitationName, imitations } from './imitations/all.ts'
import { key } from './imitations/imitation.ts'
import { serveImitation } from './imitations/serve.ts'

/** A row: how an operator sets the endpoint. `path`: the end of the base URL, if the dialect has another one. */
type Row = { dialect: string; imitation: ImitationName; path?: string }
export const rows: Row[] = [
  { dialect: 'openai', imitation: 'openai' },
  { dialect: 'openai-responses', imitation: 'openai', path: '/v1' },
  { dialect: 'azure', imitation: 'azure' },
  { dialect: 'anthropic', imitation: 'anthropic' },
  { dialect: 'gemini', imitation: 'gemini' },
  { dialect: 'mistral', imitation: 'mistral' },
  { dialect: 'deepseek', imitation: 'deepseek' },
  { dialect: 'openrouter', imitation: 'openrouter' },
  { dialect: 'vllm', imitation: 'vllm' },
  { dialect: 'llama.cpp', imitation: 'llama.cpp' },
  { dialect: 'ollama', imitation: 'ollama' },
]

/** `sent`: the bodies that were sent for the cell so far. */
type Tried = Tasks & { ask: (body: object) => Promise<AgentTask>; sent: () => string[] }
type Cell = { title: string; script: Answer[]; try: (tried: Tried) => Promise<string> }

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = 'JVBERi0xLjQKJSVFT0YK'
const note = '# The sky'
const add = (expression: string) => ({ name: 'calculator', arguments: { expression } })
const schema = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
}

/** Throws unless the task has completed with this text. */
const answered = (task: AgentTask, text: string): void => {
  const said = textsOf(task).at(-1)
  if (task.status === 'completed' && said === text) return
  throw new Error(`${task.status}: ${task.error?.message ?? `the answer is ${said}`}`)
}
const last = ({ sent }: Tried): string => sent().at(-1) ?? ''
const inOrder = (text: string, ...words: string[]): boolean => {
  const places = words.map(word => text.lastIndexOf(word))
  return places.every((place, n) => place >= 0 && place > (places[n - 1] ?? -1))
}

const cells: Cell[] = [
  {
    title: 'stream',
    script: [{ text: 'hello you' }],
    async try({ stream, get }) {
      const [first] = framesOf(await (await stream({})).rest())
      answered(await get(first?.task_id ?? ''), 'hello you')
      return 'yes'
    },
  },
  {
    title: 'tools',
    script: [{ tool_calls: [add('40+2')] }, { text: 'forty-two' }],
    async try(tried) {
      answered(await tried.ask({}), 'forty-two')
      if (!last(tried).includes('42')) throw new Error('the result was not sent')
      return 'yes'
    },
  },
  {
    title: 'parallel',
    script: [{ tool_calls: [add('700+1'), add('800+1')] }, { text: 'both' }],
    async try(tried) {
      answered(await tried.ask({}), 'both')
      if (!inOrder(last(tried), '701', '801'))
        throw new Error('the results are not in the order of the calls')
      return 'yes'
    },
  },
  {
    title: 'thinking',
    script: [{ reasoning: 'let me add', tool_calls: [add('1+1')] }, { text: 'two' }],
    async try(tried) {
      const task = await tried.ask({})
      answered(task, 'two')
      const isShown = JSON.stringify(task.output).includes('let me add')
      if (last(tried).includes('let me add')) return 'shown, goes back'
      return isShown ? 'shown' : 'the endpoint shows none'
    },
  },
  {
    title: 'image of a user',
    script: [{ text: 'a dot' }],
    async try(tried) {
      const image_url = { url: `data:image/png;base64,${png}` }
      answered(
        await tried.ask({
          user_message_content: [
            { type: 'text', text: 'what is this?' },
            { type: 'image_url', image_url },
          ],
        }),
        'a dot',
      )
      return last(tried).includes(png) ? 'yes' : 'a note'
    },
  },
  {
    title: 'image of a tool',
    script: [{ tool_calls: [{ name: 'look', arguments: {} }] }, { text: 'a dot' }],
    async try(tried) {
      const asked = await tried.ask({ client_tools: [tool('look')] })
      const image_url = { url: `data:image/png;base64,${png}` }
      await tried.answer(asked.id, result(callId(asked), [{ type: 'image_url', image_url }]))
      answered(await tried.becomes(asked.id, 'completed', 'failed'), 'a dot')
      return last(tried).includes(png) ? 'yes' : 'a note'
    },
  },
  {
    title: 'files (PDF, text)',
    script: [{ text: 'seen' }],
    async try(tried) {
      const file = (filename: string, type: string, base64: string) => ({
        type: 'file',
        file: { filename, file_data: `data:${type};base64,${base64}` },
      })
      const text = Buffer.from(note).toString('base64')
      answered(
        await tried.ask({
          user_message_content: [
            { type: 'text', text: 'read' },
            file('a.pdf', 'application/pdf', pdf),
            file('b.md', 'text/markdown', text),
          ],
        }),
        'seen',
      )
      const body = last(tried)
      const isText = body.includes(note) ? 'yes' : 'a note'
      return `${body.includes(pdf) ? 'yes' : 'a note'}, ${body.includes(text) ? 'yes' : isText}`
    },
  },
  {
    title: 'structured output',
    script: [{ text: '{"sum":5}' }],
    async try(tried) {
      answered(await tried.ask({ structured_output: schema }), '{"sum":5}')
      const body = last(tried)
      if (/"json_schema"/.test(body)) return 'by schema'
      return body.includes('json_object') ? 'JSON, schema in words' : 'in words'
    },
  },
  {
    title: 'cut',
    script: [{ text: 'hello you', finish_reason: 'length' }],
    async try({ ask }) {
      const task = await ask({})
      answered(task, 'hello you')
      const { reason } = (task.metadata?.incomplete_details ?? {}) as { reason?: string }
      if (reason !== 'length') throw new Error(`the answer is not incomplete: ${reason}`)
      return 'shown'
    },
  },
  {
    title: 'error',
    script: [{ error: { status: 400, message: 'the sky is green' } }],
    async try({ ask }) {
      const { status, error } = await ask({})
      if (status !== 'failed' || !error?.message.includes('the sky is green')) {
        throw new Error(`the reason was not told: ${status} ${error?.message}`)
      }
      return 'told'
    },
  },
]
const whole: Cell = {
  title: 'text',
  script: [{ text: 'hello you' }],
  async try({ ask, sent }) {
    answered(await ask({}), 'hello you')
    if (!/"stream":false/.test(sent().at(-1) ?? '')) throw new Error('the answer was asked for as a stream')
    return 'yes'
  },
}
export const titles = [whole, ...cells].map(({ title }) => title)

/** Tries these cells one after another at one endpoint, which plays their scripts. */
const trial = async (t: Test, { dialect, imitation: name, path }: Row, tried: Cell[], env = {}) => {
  const imitation = await serveImitation(
    t,
    name,
    tried.flatMap(({ script }) => script),
  )
  const server = await serveHere(t, {
    MODEL_BASE_URL: path === undefined ? imitation.url : `${imitation.origin}${path}`,
    MODEL: imitation.model,
    MODEL_API_KEY: key,
    MODEL_DIALECT: dialect,
    ...env,
  })
  const tasks = tasksOf(server.api)
  const ask = async (body: object): Promise<AgentTask> => {
    const { status, body: answer, text } = await tasks.post(body)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return answer.result as AgentTask
  }
  const told: string[] = []
  for (const cell of tried) {
    const before = imitation.requests.length
    const sent = () => imitation.requests.slice(before).map(({ raw }) => raw)
    told.push(await cell.try({ ...tasks, ask, sent }).catch(({ message }: Error) => `no: ${message}`))
  }
  return { told, refusals: imitation.refusals }
}

/** A row of the table, and what the vendor would have refused, which is nothing. */
export const tryRow = async (t: Test, row: Row) => {
  const first = await trial(t, row, [whole], { MODEL_SWITCHES: 'stream=off' })
  const others = await trial(t, row, cells)
  return { told: [...first.told, ...others.told], refusals: [...first.refusals, ...others.refusals] }
}

const line = (words: string[]): string => `| ${words.join(' | ')} |`
export const tableOf = (told: Map<Row, string[]>): string =>
  [
    line(['Dialect', ...titles]),
    line(['---', ...titles.map(() => '---')]).replaceAll(' ', ''),
    ...[...told].map(([{ dialect, imitation }, words]) =>
      line([`\`${dialect}\` (${imitations[imitation].title})`, ...words]),
    ),
  ].join('\n')

export const page = 'docs/models.md'
export const withMatrix = (text: string, told: Map<Row, string[]>): string =>
  between(text, page, 'matrix', tableOf(told))

if (import.meta.main) {
  t.test('writes the matrix', async t => {
    const told = new Map<Row, string[]>()
    for (const row of rows) told.set(row, (await tryRow(t, row)).told)
    writeFileSync(page, withMatrix(readFileSync(page, 'utf8'), told))
  })
}
