// One task through three doors: one client begins it, a client of another protocol watches it, and one of a third answers what it
// asks. Their connections break all the time, and the server is killed in the middle: nothing is lost, said or done twice.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type OpenAI from 'openai'
import t from 'tap'
import { breakingProxy } from '../client/breaking-proxy.ts'
import { type Api, adminToken, spawnServer } from '../support/server.ts'
import { clientOf as a2aClientOf, messageOf, send } from './a2a/clients.ts'
import { cutStream, post, textOf } from './ag-ui/clients.ts'
import { counts, outside, words } from './counts.ts'
import { becomes, messagesTo } from './mcp/messages.ts'
import { clientOf } from './openai/clients.ts'

t.setTimeout(300_000)

type Named = { id: string; session: string }
/** What a watcher saw until the task asks: the numbers of what came, and what the agent said. */
type Seen = { numbers: number[]; text: string }
type Door = {
  begin(url: string, text: string): Promise<Named>
  watch(url: string, task: Named): Promise<Seen>
  answer(url: string, task: Named, text: string): Promise<void>
}

const pause = () => new Promise(resolve => setTimeout(resolve, 100))
/** Tries until it succeeds: the connection may break, and the server may be gone. */
const persist = async <Made>(work: () => Promise<Made>): Promise<Made> => {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if ((error as { status?: number }).status !== undefined) throw error
      await pause()
    }
  }
}

const bodyOf = async (answer: Response) => {
  if (!answer.ok) throw Object.assign(new Error(await answer.text()), { status: answer.status })
  return answer
}

const openAi: Door = {
  async begin(url, text) {
    const client = clientOf(url, { maxRetries: 20 })
    const headers = { 'idempotency-key': `begun by OpenAI for ${text}` }
    const create = { model: 'counts', input: text, background: true }
    const { data, response } = await persist(() =>
      client.responses.create(create, { headers }).withResponse(),
    )
    return { id: data.id.replace('resp_', ''), session: response.headers.get('x-session-id') ?? '' }
  },
  async watch(url, { id }) {
    const client = clientOf(url, { maxRetries: 20 })
    const seen: Seen = { numbers: [], text: '' }
    let isOver = false
    while (!isOver) {
      await persist(async () => {
        const last = seen.numbers.at(-1)
        const after = last === undefined ? {} : { starting_after: last }
        for await (const event of await client.responses.retrieve(`resp_${id}`, {
          stream: true,
          ...after,
        })) {
          seen.numbers.push(event.sequence_number)
          if (event.type === 'response.output_text.delta') seen.text += event.delta
          isOver = event.type === 'response.completed'
        }
      })
    }
    return seen
  },
  async answer(url, { id }, text) {
    const client = clientOf(url, { maxRetries: 20 })
    const { output } = await persist(() => client.responses.retrieve(`resp_${id}`))
    const { call_id } = output.at(-1) as OpenAI.Responses.ResponseFunctionToolCall
    const input = [{ type: 'function_call_output' as const, call_id, output: text }]
    const answered = { previous_response_id: `resp_${id}`, input, background: true }
    await persist(() => client.responses.create({ model: 'counts', ...answered }))
  },
}

const headers = { authorization: `Bearer ${adminToken}` }
type A2AEvent = {
  task?: { artifacts?: { parts: { text?: string }[] }[] }
  artifactUpdate?: { artifact: { parts: { text?: string }[] } }
  statusUpdate?: { status: { state: string } }
}
const textsOf = ({ task, artifactUpdate }: A2AEvent): string =>
  [...(task?.artifacts ?? []), ...(artifactUpdate ? [artifactUpdate.artifact] : [])]
    .flatMap(({ parts }) => parts.map(({ text = '' }) => text))
    .join('')

const a2a: Door = {
  async begin(url, text) {
    // The client of the protocol names no key for retries, so it begins without breaks.
    const client = await a2aClientOf(`${url}/a2a/counts/`, 'JSONRPC')
    const { id, contextId } = await send(client, text, { returnImmediately: true })
    return { id, session: contextId }
  },
  async watch(url, { id }) {
    const seen: Seen = { numbers: [], text: '' }
    let isOver = false
    while (!isOver) {
      await persist(async () => {
        const last = seen.numbers.at(-1)
        const cursor: Record<string, string> = last === undefined ? {} : { 'last-event-id': String(last) }
        const answer = await fetch(`${url}/a2a/counts/tasks/${id}:subscribe`, {
          headers: { ...headers, ...cursor },
        })
        let text = ''
        for await (const piece of (await bodyOf(answer)).body ?? []) {
          text += Buffer.from(piece).toString()
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const block = text.slice(0, end)
            text = text.slice(end + 2)
            const [, number] = /^id: (\d+)$/m.exec(block) ?? []
            if (number === undefined) continue
            const event = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '') as A2AEvent
            seen.numbers.push(Number(number))
            seen.text += textsOf(event)
            if (event.statusUpdate?.status.state !== 'TASK_STATE_INPUT_REQUIRED') continue
            isOver = true
            return
          }
        }
      })
    }
    return seen
  },
  async answer(url, { id }, text) {
    const message = messageOf(text, { taskId: id })
    const client = await persist(() => a2aClientOf(`${url}/a2a/counts/`, 'HTTP+JSON'))
    await persist(() => client.sendMessage(message))
  },
}

const agUi: Door = {
  async begin(url, text) {
    const named = { id: 'begun-by-ag-ui', session: 'thread of AG-UI'.replaceAll(' ', '-') }
    const messages = [{ id: 'u1', role: 'user', content: text }]
    const answer = await persist(() =>
      post(url, 'counts', { threadId: named.session, runId: named.id, messages }).then(bodyOf),
    )
    await answer.body?.cancel()
    return named
  },
  async watch(url, { id, session }) {
    const body = { threadId: session, runId: id, messages: [], protocolVersion: '1.0' }
    const seen: Seen = { numbers: [], text: '' }
    let isOver = false
    while (!isOver) {
      await persist(async () => {
        const last = seen.numbers.at(-1)
        const cursor: Record<string, string> = last === undefined ? {} : { 'last-event-id': String(last) }
        const sent = await cutStream(await bodyOf(await post(url, 'counts', body, cursor)), () => {})
        seen.numbers.push(...sent.map(({ id }) => id))
        seen.text += textOf(sent)
        isOver = sent.at(-1)?.event.type === 'RUN_FINISHED'
      })
    }
    return seen
  },
  async answer(url, { id, session }, text) {
    const asked = { threadId: session, runId: id, messages: [], protocolVersion: '1.0' }
    const interrupts = await persist(async () => {
      const sent = await cutStream(await bodyOf(await post(url, 'counts', asked)), () => {})
      const last = sent.at(-1)?.event
      if (last?.type !== 'RUN_FINISHED') throw new Error('it was cut')
      return (last as unknown as { outcome: { interrupts: { id: string }[] } }).outcome.interrupts
    })
    const resume = interrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved',
      payload: text,
    }))
    const body = { ...asked, runId: `${id}-2`, resume }
    await persist(async () => (await bodyOf(await post(url, 'counts', body))).body?.cancel())
  },
}

/** A host of MCP polls a task, so it watches no words. */
const mcp: Omit<Door, 'watch'> = {
  async begin(url, text) {
    const called = { name: 'agent_counts', arguments: { input: text } }
    const { result, headers } = await messagesTo(url)('tools/call', called)
    return { id: String(result?.taskId), session: headers.get('x-session-id') ?? '' }
  },
  async answer(url, { id: taskId }, answer) {
    const call = messagesTo(url)
    const { inputRequests = {} } = await persist(() => becomes(call, taskId, 'input_required'))
    const given = { action: 'accept', content: { answer } }
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, given]))
    await persist(() => call('tasks/update', { taskId, inputResponses }))
  },
}

/** In each row: who begins, who watches, who answers. */
const rows = [
  { name: 'a2a-openai-ag-ui', begins: a2a, watches: openAi, answers: agUi },
  { name: 'openai-ag-ui-a2a', begins: openAi, watches: agUi, answers: a2a },
  { name: 'ag-ui-a2a-openai', begins: agUi, watches: a2a, answers: openAi },
  { name: 'mcp-openai-a2a', begins: mcp, watches: openAi, answers: a2a },
  { name: 'openai-a2a-mcp', begins: openAi, watches: a2a, answers: mcp },
]

type Shown = { id: string; status: string; output: { type: string; message_content?: { text: string }[] }[] }
const tasksOf = async (api: Api): Promise<Shown[]> =>
  ((await (await api('GET', '/tasks?limit=100')).json()) as { result: Shown[] }).result
const saysOf = ({ output }: Shown): number => output.filter(({ type }) => type === 'message').length

t.test('one task is begun through a door, watched through another, and answered through a third', async t => {
  const world = await outside(t)
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-same-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = { AGENT_PATH: t.testdir({ 'counts.mjs': counts }), ENV_UID_BASE: '0', MCP_TASK_AFTER_MS: '100' }
  const first = await spawnServer(t, dataDir, env)
  const proxies = await Promise.all(rows.map(() => breakingProxy(t, first.url, n => 700 + 300 * n)))
  const begun = await Promise.all(
    rows.map(({ name, begins }) => begins.begin(first.url, `${world.url}/${name}`)),
  )
  const watched = Promise.all(
    rows.map(({ watches }, n) => watches.watch(proxies[n]?.url ?? '', begun[n] as Named)),
  )
  while (!(await tasksOf(first.api)).every(task => saysOf(task) > 1)) await pause()
  await first.end('SIGKILL')
  const again = await spawnServer(t, dataDir, { ...env, PORT: new URL(first.url).port })
  world.open()
  for (const [n, { numbers, text }] of (await watched).entries()) {
    const name = rows[n]?.name
    t.equal(text, words.join(''), `${name}: the watcher hears everything once`)
    t.same(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      `${name}: and sees each number once, in order`,
    )
    t.ok((proxies[n]?.cuts() ?? 0) > 0, `${name}: it was cut ${proxies[n]?.cuts()} times`)
  }
  await Promise.all(rows.map(({ answers }, n) => answers.answer(again.url, begun[n] as Named, '42')))
  while (!(await tasksOf(again.api)).every(({ status }) => status === 'completed')) await pause()

  const tasks = await tasksOf(again.api)
  t.same(tasks.map(({ id }) => id).toSorted(), begun.map(({ id }) => id).toSorted(), 'each row has one task')
  for (const { output } of tasks) {
    const said = output
      .filter(({ type }) => type === 'message')
      .flatMap(({ message_content }) => message_content?.map(({ text }) => text) ?? [])
    t.same(said.join(''), [...words, 'It is 42.'].join(''))
  }
  t.same(
    world.done.toSorted(),
    rows.flatMap(({ name }) => [`${name} begin`, `${name} end`]).toSorted(),
    'nothing is done twice',
  )
})
