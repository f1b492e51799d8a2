// A client for tests: it makes tasks, answers and waits. It sends a request again that a kill has cut off, under the same key.
import { randomUUID } from 'node:crypto'
import type { Question, ServerOptions, TaskRequest, TaskState, TestServer, TestTask } from './types.ts'

/** Milliseconds between two looks at a task. */
const lookMs = 10
const ends = new Set(['completed', 'failed', 'canceled', 'expired'])

type Api = TestServer['request']
type Waiting = TaskState & { input_required?: { call_id: string; name: string; arguments: string } }
type Effect = { call_id: string; name: string }

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** The value of an answer of the server. Throws with its words when it is a refusal. */
const bodyOf = async (answer: Response): Promise<unknown> => {
  const body = (await answer.json()) as { message?: string; data?: unknown }
  if (answer.ok) return body
  throw new Error(`the server answers ${answer.status}: ${body.message} ${JSON.stringify(body.data ?? '')}`)
}

const told = ({ status, error, metadata }: TaskState): string =>
  `it is ${status}${metadata?.reason === undefined ? '' : ` (${metadata.reason})`}${error === undefined || error === null ? '' : `: ${JSON.stringify(error)}`}`

const textOf = ({ output }: TaskState): string => {
  const content = output.findLast(({ type }) => type === 'message')?.message_content ?? ''
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}

/** `api`: sends a request, again when the server is killed meanwhile and starts again. */
export const createTestTasks = (api: Api, onUnknownEffect: ServerOptions['onUnknownEffect']) => {
  const taskOf = (id: string): TestTask => {
    const get = async (): Promise<Waiting> =>
      ((await bodyOf(await api('GET', `/tasks/${id}`))) as { result: Waiting }).result
    const give = (call_id: string, message_content: string) =>
      api('POST', `/tasks/${id}/input`, { tool_results: [{ call_id, message_content }] }).then(bodyOf)

    /** A person looks outside, and says what has happened. */
    const decide = async (task: TaskState): Promise<void> => {
      const effect = task.metadata?.effect as Effect
      const name = effect.name.replace(/^run:/, '')
      if (onUnknownEffect === undefined)
        throw new Error(
          `the task ${id} is paused, since nobody knows whether “${name}” has come to its end: give the server onUnknownEffect, or write {safe: true}`,
        )
      const value = await onUnknownEffect({ task: id, name })
      if (value === undefined) await api('POST', `/tasks/${id}/resume`, {}).then(bodyOf)
      else await give(effect.call_id, JSON.stringify(value))
    }
    const until = async (fits: (task: Waiting) => boolean, what: string): Promise<Waiting> => {
      for (;;) {
        const task = await get()
        if (fits(task)) return task
        if (ends.has(task.status)) throw new Error(`the task ${id} ${what}: ${told(task)}`)
        if (task.status === 'paused' && task.metadata?.reason === 'outcome_unknown') await decide(task)
        await wait(lookMs)
      }
    }
    const question = async (): Promise<Question> => {
      const { input_required } = await until(
        ({ status, input_required: asked }) => status === 'input-required' && asked !== undefined,
        'has ended without a question',
      )
      if (input_required === undefined) throw new Error('unreachable')
      const { call_id, name, arguments: given } = input_required
      return { id: call_id, name, arguments: JSON.parse(given) }
    }
    const ended = () => until(({ status }) => ends.has(status), '')
    return {
      id,
      get,
      until: fits => until(fits, 'has ended, and does not fit'),
      question,
      async answer(value, asked) {
        const { id: call } = asked ?? (await question())
        await give(call, typeof value === 'string' ? value : JSON.stringify(value))
      },
      async send(message) {
        const isEvent = typeof message === 'object' && !Array.isArray(message)
        const body = isEvent ? { event: message } : { content: message }
        await bodyOf(await api('POST', `/tasks/${id}/messages`, body, { 'idempotency-key': randomUUID() }))
      },
      async cancel() {
        await bodyOf(await api('POST', `/tasks/${id}/cancel`, {}))
      },
      ended,
      async result() {
        const task = await ended()
        if (task.status !== 'completed') throw new Error(`the task ${id} has no answer: ${told(task)}`)
        return textOf(task)
      },
      async frames() {
        await ended()
        const answer = await api('GET', `/tasks/${id}/events`, undefined, { accept: 'text/event-stream' })
        return framesIn(await answer.text())
      },
    }
  }
  return async (agent: string, message: unknown, { agent_config, ...more }: TaskRequest = {}) => {
    const body = {
      ...{ user_message_content: message, stream: false, background: true, ...more },
      agent_config: { ...agent_config, agent_id: agent },
    }
    const made = (await bodyOf(await api('POST', '/tasks', body, { 'idempotency-key': randomUUID() }))) as {
      result: { id: string }
    }
    return taskOf(made.result.id)
  }
}

/** The frames in what a stream has sent, by their numbers. A frame that was cut off does not count. */
export const framesIn = (text: string): Map<number, string> =>
  new Map(
    text
      .split('\n\n')
      .slice(0, -1)
      .flatMap(part => {
        const [, id] = part.match(/^id: (\d+)$/m) ?? []
        const at = part.indexOf('"result":') // the envelope before it names the request
        return id === undefined || at < 0
          ? []
          : [[Number(id), part.slice(at + '"result":'.length, -1)] as const]
      }),
  )
