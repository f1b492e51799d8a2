// What the tests of agents at work have in common: tasks that play a script, and what must hold for every task.
import type { Test } from 'tap'
import { type Item, read, type TaskJson, until } from '../support/http.ts'
import type { Api } from '../support/server.ts'
import { blocks, dataLines, type Frame, follow, framesOf } from '../support/sse.ts'
import { lawful } from './lawful.ts'

export type AgentTask = TaskJson & {
  input_required?: Item
  rollouts?: Record<string, unknown>[]
  error?: { code: number; message: string; data?: unknown }
  metadata?: Record<string, unknown> & { pending_inputs?: Item[] }
}

/** A tool that the client has. */
export const tool = (name: string, parameters: object = { type: 'object' }) => ({
  type: 'function',
  function: { name, parameters, description: '', strict: false },
})
export const script = (...steps: object[]) => ({ agent_id: 'script', script: steps })
export const result = (call_id: string, message_content: unknown, more: object = {}) => ({
  type: 'tool_result',
  call_id,
  message_content,
  block_list: [],
  ...more,
})

export const tasksOf = (api: Api) => {
  /** A create that blocks, unless it says otherwise. */
  const post = (body: object, headers: Record<string, string> = {}) =>
    read(api('POST', '/tasks', { user_message_content: 'x', stream: false, ...body }, headers))
  const play = async (steps: object[], more: object = {}): Promise<AgentTask> => {
    const { status, body, text } = await post({ agent_config: script(...steps), ...more })
    if (status !== 200) throw new Error(`${status} ${text}`)
    return body.result as AgentTask
  }
  const stream = (body: object, headers: Record<string, string> = {}) =>
    follow(api('POST', '/tasks', { user_message_content: 'x', stream: true, ...body }, headers))
  const get = async (id: string, query = ''): Promise<AgentTask> =>
    (await read(api('GET', `/tasks/${id}${query}`))).body.result as AgentTask
  const frames = async (id: string): Promise<Frame[]> =>
    (await read(api('GET', `/tasks/${id}/events?limit=1000`))).body.result as unknown as Frame[]
  const act = (id: string, verb: string, body?: unknown, headers: Record<string, string> = {}) =>
    read(api('POST', `/tasks/${id}/${verb}`, body, headers))
  const answer = (id: string, ...tool_results: object[]) => act(id, 'input', { tool_results })
  const becomes = async (id: string, ...statuses: string[]): Promise<AgentTask> => {
    let last: AgentTask | undefined
    const isThere = async () => {
      last = await get(id)
      return statuses.includes(last.status)
    }
    await until(isThere).catch(cause => {
      throw new Error(`the task is not ${statuses.join(' or ')}: ${JSON.stringify(last)}`, { cause })
    })
    return get(id)
  }
  return { api, post, play, stream, get, frames, act, answer, becomes }
}
export type Tasks = ReturnType<typeof tasksOf>

export const callsOf = ({ output }: { output: Item[] }) => output.filter(({ type }) => type === 'tool_call')
export const resultsOf = ({ output }: { output: Item[] }) =>
  output.filter(({ type }) => type === 'tool_result')
/** The text of each assistant's message. */
export const textsOf = ({ output }: { output: Item[] }): string[] =>
  output.flatMap(item =>
    item.type === 'message'
      ? [(item.message_content as { text: string }[]).map(({ text }) => text).join('')]
      : [],
  )
/** An output as one line an item. */
export const outline = ({ output }: { output: Item[] }): string[] =>
  output.map(item => `${item.type}${item.name === undefined ? '' : ` ${item.name}`} ${item.status}`)
export const callId = (task: AgentTask, n = 0): string => String(callsOf(task)[n]?.call_id)

const sse = { accept: 'text/event-stream' }

/** What holds for every task, whatever happened to it; `posted`: what its create streamed. */
export const holds = async (
  t: Test,
  { api, get, frames: pagesOf, act }: Tasks,
  id: string,
  posted?: string,
) => {
  const frames = await pagesOf(id)
  t.same(lawful(frames), [], 'the frames are lawful')
  const task = await get(id)
  const done = frames.filter(({ type }) => type === 'task.output_item.done').map(({ item }) => item as Item)
  const added = frames.flatMap(({ type, item }) =>
    type === 'task.output_item.added' ? [(item as Item).id] : [],
  )
  t.same(
    added.map(one => done.findLast(item => item.id === one)),
    task.output,
    'the items done are the output, in the order in which they began',
  )
  const replay = await act(id, 'replay')
  t.match(replay.body, { task_id: id, matches: true, mismatches: [] }, 'a replay says the same')

  const ended = ['completed', 'failed', 'canceled', 'expired'].includes(task.status)
  if (ended) {
    t.same(frames.at(-1)?.task, task, 'the last frame holds the task as it is')
    /** A busy server may send a heartbeat between two frames. */
    const streamed = async (headers: Record<string, string>) =>
      (await (await api('GET', `/tasks/${id}/events`, undefined, headers)).text()).replace(
        /^: heartbeat\n/gm,
        '',
      )
    const whole = await streamed(sse)
    t.same(framesOf(whole), frames, 'the stream and the pages are one')
    if (posted !== undefined)
      t.same(dataLines(posted), dataLines(whole), 'and so is what the create streamed')
    const parts = blocks(whole.slice(': open\n'.length))
    const wrong: number[] = []
    for (const n of parts.keys()) {
      if (n === parts.length - 1) continue
      const again = await streamed({ ...sse, 'last-event-id': `${n}` })
      if (again !== `: open\n${parts.slice(n + 1).join('')}`) wrong.push(n)
    }
    t.same(wrong, [], 'taken up again after any frame it is the same to the byte')
  }
  for (const { sequence_number, task: then, type } of frames) {
    if (then !== undefined) t.same(await get(id, `?as_of=${sequence_number}`), then, `as of ${type}`)
  }
  return { task, frames }
}
