// The same conversation by curl, by our clients, by those of OpenAI, by AG-UI and by A2A, side by side. Their connections break all the time, and the
// server is killed in the middle: each of them has one task, and nothing is done or said twice.
import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type OpenAI from 'openai'
import t, { type Test } from 'tap'
import { breakingProxy } from '../client/breaking-proxy.ts'
import { clients } from '../client/clients.ts'
import { pythonWith } from '../support/python-packages.ts'
import { noReader } from '../support/reader.ts'
import { type Api, adminToken, spawnServer } from '../support/server.ts'
import { type Event as AgUiEvent, cutStream, post, resultOf, user } from './ag-ui/clients.ts'
import { counts, outside, words } from './counts.ts'
import { clientOf } from './openai/clients.ts'

t.setTimeout(300_000)

/** What a client saw: the numbers of what came, and what the agent said. */
type Seen = { numbers: number[][]; text: string }
type Conversation = (t: Test, url: string, text: string) => Promise<Seen>

/** Runs a program to its end, and reads what it prints. */
const printedBy = async (t: Test, command: string, args: string[], env: NodeJS.ProcessEnv, cwd: string) => {
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit']
  const child = spawn(command, args, { env: { ...process.env, ...env }, cwd, stdio, detached: true })
  t.teardown(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL') // with everything that it has started
    } catch {
      // It has ended.
    }
  })
  let printed = ''
  child.stdout?.on('data', piece => (printed += piece))
  await once(child, 'close')
  return printed
}

const byCurl: Conversation = async (t, url, text) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-curl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const program = `
api() { curl -sf --max-time 60 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }
until made=$(api -H 'Idempotency-Key: by curl' -d "$BODY" "$URL/v1/tasks"); do sleep 0.1; done
id=$(sed -E 's/.*"id":"(task_[^"]+)".*/\\1/' <<< "$made")
waiting() { api "$URL/v1/tasks/$id" | sed -nE 's/.*"input_required":\\{[^}]*"call_id":"([^"]+)".*/\\1/p'; }
answers() {
  until call=$(waiting) && [ -n "$call" ]; do sleep 0.4; done
  until api -o answer -d '{"tool_results":[{"call_id":"'$call'","message_content":"42"}]}' "$URL/v1/tasks/$id/input"; do sleep 0.4; done
}
answers &
touch frames
until grep -q '^event: task.completed' frames; do
  last=$(sed -n 's/^id: //p' frames | tail -1)
  api -N \${last:+-H "Last-Event-ID: $last"} -H 'Accept: text/event-stream' "$URL/v1/tasks/$id/events" |
    awk '{ event = event $0 "\\n" } $0 == "" { printf "%s", event; event = "" }' >> frames
  sleep 0.4
done
cat frames`
  const body = { user_message_content: text, client_id: 'counts', stream: false, background: true }
  const env = { URL: url, TOKEN: adminToken, BODY: JSON.stringify(body) }
  const printed = await printedBy(t, 'bash', ['-c', program], env, folder)
  const numbers = [...printed.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
  const deltas = [...printed.matchAll(/"type":"task\.text\.delta".*?"delta":"([^"]*)"/g)]
  return { numbers: [numbers], text: deltas.map(([, delta]) => delta).join('') }
}

const byOurs =
  (start: (typeof clients)[number]['start']): Conversation =>
  async (t, url, text) => {
    const outcome = await start(t)(url, {
      patience: 240,
      token: adminToken,
      run: { user_message_content: text, client_id: 'counts' },
      tools: { ask_user: { returns: '42' } },
    })
    t.equal(outcome.error, undefined)
    t.equal((outcome.called as string[]).length, 1, 'the tool is called once')
    return { numbers: [outcome.frames as number[]], text: (outcome.deltas as string[]).join('') }
  }

const tool = { type: 'function' as const, name: 'ask_user', parameters: {}, strict: false }

/** As the page of OpenAI says: a stream that broke is asked for again, after the last event. */
const byOpenAi: Conversation = async (_, url, text) => {
  const client = clientOf(url, { maxRetries: 20 })
  const seen: Seen = { numbers: [], text: '' }
  const response = async (
    body: Partial<OpenAI.Responses.ResponseCreateParams>,
    key: string,
  ): Promise<OpenAI.Responses.Response> => {
    const numbers: number[] = []
    seen.numbers.push(numbers)
    let id: string | undefined
    for (;;) {
      try {
        const create = { model: 'counts', background: true, ...body, stream: true as const }
        const stream =
          id === undefined
            ? await client.responses.create(create, { headers: { 'idempotency-key': key } })
            : await client.responses.retrieve(id, { stream: true, starting_after: numbers.at(-1) ?? -1 })
        for await (const event of stream) {
          numbers.push(event.sequence_number)
          if (event.type === 'response.created') id = event.response.id
          if (event.type === 'response.output_text.delta') seen.text += event.delta
          if (event.type === 'response.completed') return event.response
        }
      } catch (error) {
        if ((error as { status?: number }).status) throw error
      }
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  const first = await response({ input: text, tools: [tool] }, 'openai first')
  const call = first.output.at(-1) as OpenAI.Responses.ResponseFunctionToolCall
  const input = [{ type: 'function_call_output' as const, call_id: call.call_id, output: '42' }]
  await response({ previous_response_id: first.id, input }, 'openai second')
  return seen
}

const openAiInPython = pythonWith('openai==3.57.0')
const byOpenAiInPython: Conversation = async (t, url, text) => {
  const program = `
import json, os, time
from openai import OpenAI

client = OpenAI(max_retries=20)
seen = {"numbers": [], "text": ""}

def response(key, **body):
    numbers, id = [], None
    seen["numbers"].append(numbers)
    while True:
        try:
            if id is None:
                headers = {"idempotency-key": key}
                stream = client.responses.create(model="counts", stream=True, background=True, extra_headers=headers, **body)
            else:
                stream = client.responses.retrieve(id, stream=True, starting_after=numbers[-1])
            for event in stream:
                numbers.append(event.sequence_number)
                if event.type == "response.created":
                    id = event.response.id
                if event.type == "response.output_text.delta":
                    seen["text"] += event.delta
                if event.type == "response.completed":
                    return event.response
        except Exception as error:
            if getattr(error, "status_code", None):
                raise
        time.sleep(0.1)

first = response("python first", input=os.environ["TEXT"], tools=[${JSON.stringify(tool).replace('false', 'False')}])
answer = {"type": "function_call_output", "call_id": first.output[-1].call_id, "output": "42"}
response("python second", input=[answer], previous_response_id=first.id)
print(json.dumps(seen))
`
  const env = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: adminToken, TEXT: text }
  return JSON.parse(await printedBy(t, openAiInPython ?? '', ['-c', program], env, tmpdir())) as Seen
}

/** As the page of AG-UI says: a stream that broke is asked for by the same request, after the last event. */
const byAgUi: Conversation = async (_, url, text) => {
  const seen: Seen = { numbers: [], text: '' }
  const run = async (body: object): Promise<AgUiEvent> => {
    const numbers: number[] = []
    seen.numbers.push(numbers)
    for (;;) {
      const after = numbers.at(-1)
      const cursor: Record<string, string> = after === undefined ? {} : { 'last-event-id': String(after) }
      const answer = await post(url, 'counts', body, cursor).catch(() => undefined)
      if (answer !== undefined && answer.status >= 400 && answer.status < 500)
        throw new Error(await answer.text())
      for (const { id, event } of answer?.ok ? await cutStream(answer) : []) {
        numbers.push(id)
        if (event.type === 'TEXT_MESSAGE_CONTENT') seen.text += event.delta
        if (event.type === 'RUN_FINISHED') return event
      }
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  const body = { threadId: 'ag-ui-thread', protocolVersion: '1.0' }
  const messages = [user(text)]
  const tools = [{ name: 'ask_user', description: 'Asks the user.' }]
  const { outcome } = await run({ ...body, runId: 'ag-ui-1', messages, tools })
  const [call = ''] = (outcome as { pendingToolCallIds?: string[] }).pendingToolCallIds ?? []
  await run({ ...body, runId: 'ag-ui-2', messages: [...messages, resultOf(call, '42')], tools })
  return seen
}

type A2AEvent = {
  task?: { id: string; status: { state: string }; artifacts?: { parts: { text: string }[] }[] }
  statusUpdate?: { status: { state: string } }
  artifactUpdate?: { artifact: { parts: { text: string }[] } }
}

/** As the page of A2A says: a stream that broke is taken up after the last event that came whole. */
const byA2A: Conversation = async (_, url, text) => {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const seen: Seen = { numbers: [], text: '' }
  let last = -1
  let taskId: string | undefined
  let state = ''
  const take = (id: number, { task, statusUpdate, artifactUpdate }: A2AEvent): void => {
    if (id <= last) throw Object.assign(new Error(`the event ${id} comes after ${last}`), { status: 1 })
    last = id
    taskId ??= task?.id
    state = (task ?? statusUpdate)?.status.state ?? state
    const artifacts = task?.artifacts ?? (artifactUpdate ? [artifactUpdate.artifact] : [])
    seen.text += artifacts.flatMap(({ parts }) => parts.map(part => part.text)).join('')
  }
  /** Reads a stream until it ends or breaks, or the task is in this state. */
  const read = async (response: Response, wanted: string): Promise<void> => {
    if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status })
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      rest += decoder.decode(bytes as Uint8Array, { stream: true })
      const events = rest.split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const [, id = '', data = ''] = /^id: (\d+)\ndata: (.*)$/m.exec(event) ?? []
        if (data !== '') take(Number(id), JSON.parse(data) as A2AEvent)
        if (state === wanted) return
      }
    }
  }
  const until = async (wanted: string): Promise<void> => {
    while (state !== wanted) {
      const message = { messageId: 'a2a first', role: 'ROLE_USER', parts: [{ text }] }
      try {
        const response =
          taskId === undefined
            ? await fetch(`${url}/a2a/counts/message:stream`, {
                method: 'POST',
                headers: { ...headers, 'idempotency-key': 'a2a first' },
                body: JSON.stringify({ message }),
              })
            : await fetch(`${url}/a2a/counts/tasks/${taskId}:subscribe`, {
                headers: { ...headers, 'last-event-id': String(last) },
              })
        await read(response, wanted)
      } catch (error) {
        const { status } = error as { status?: number }
        if (status !== undefined && status < 500) throw error
      }
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  await until('TASK_STATE_INPUT_REQUIRED')
  const answer = { messageId: 'a2a second', taskId, role: 'ROLE_USER', parts: [{ text: '42' }] }
  const body = JSON.stringify({ message: answer, configuration: { returnImmediately: true } })
  for (let isTaken = false; !isTaken; ) {
    const sent = fetch(`${url}/a2a/counts/message:send`, { method: 'POST', headers, body })
    isTaken = await sent.then(response => response.json().then(() => response.ok)).catch(() => false)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  await until('TASK_STATE_COMPLETED')
  return seen
}

const [typescript, python] = clients
const conversations: Record<string, Conversation> = {
  ...(noReader === false ? { curl: byCurl } : {}),
  ...(typescript ? { typescript: byOurs(typescript.start) } : {}),
  ...(python?.skip === false ? { python: byOurs(python.start) } : {}),
  openai: byOpenAi,
  'ag-ui': byAgUi,
  a2a: byA2A,
  ...(openAiInPython === undefined ? {} : { 'openai-in-python': byOpenAiInPython }),
}

type Task = { id: string; status: string; output: { type: string; message_content?: { text: string }[] }[] }
const tasksOf = async (api: Api): Promise<Task[]> =>
  ((await (await api('GET', '/tasks?limit=100')).json()) as { result: Task[] }).result
const saysOf = ({ output }: Task): number => output.filter(({ type }) => type === 'message').length

t.test('the same conversation by every client', async t => {
  const names = Object.keys(conversations)
  t.comment(names.join(', '))
  const world = await outside(t)
  const agents = t.testdir({ 'counts.mjs': counts })
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-same-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = { AGENT_PATH: agents, ENV_UID_BASE: '0' }
  const first = await spawnServer(t, dataDir, env)
  const proxies = await Promise.all(names.map(() => breakingProxy(t, first.url, n => 700 + 300 * n)))
  const all = Promise.all(
    names.map((name, n) =>
      (conversations[name] as Conversation)(t, proxies[n]?.url ?? '', `${world.url}/${name}`),
    ),
  )
  const haveBegun = (tasks: Task[]) => tasks.length === names.length && tasks.every(task => saysOf(task) > 1)
  while (!haveBegun(await tasksOf(first.api))) await new Promise(resolve => setTimeout(resolve, 50))
  await first.end('SIGKILL')
  const again = await spawnServer(t, dataDir, { ...env, PORT: new URL(first.url).port })
  world.open()
  const seen = await all

  const expected = [...words, 'It is 42.'].join('')
  for (const [n, { numbers, text }] of seen.entries()) {
    t.equal(text, expected, `${names[n]} hears everything once`)
    for (const list of numbers)
      t.same(
        list,
        list.map((_, at) => at),
        `${names[n]} sees each number once`,
      )
    t.ok((proxies[n]?.cuts() ?? 0) > 0, `${names[n]} was cut ${proxies[n]?.cuts()} times`)
  }
  const tasks = await tasksOf(again.api)
  t.same(
    tasks.map(({ status }) => status),
    names.map(() => 'completed'),
    'each client has one task',
  )
  t.same(
    world.done.toSorted(),
    names.flatMap(name => [`${name} begin`, `${name} end`]).toSorted(),
    'nothing is done twice',
  )
})
