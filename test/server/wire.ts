// The little of the wire that these tests look at, and readers of it that share nothing with the server.
import { createParser } from 'eventsource-parser'
import type { Api } from '../support/server.ts'

export type Item = {
  type: string
  status?: string
  message_content?: { type: string; text: string }[]
}
export type Task = {
  id: string
  session_id: string
  user_id: string
  status: string
  created_at: number
  previous_task_id?: string
  output: Item[]
  metadata?: Record<string, unknown>
}
export type Frame = { type: string; sequence_number: number; task_id: string; delta?: string }
type Page<T> = { result: T; has_more?: boolean }

export const endings = ['task.completed', 'task.failed', 'task.canceled', 'task.expired']
export const isEnded = ({ status }: Task) => endings.includes(`task.${status}`)

/** Asks for JSON and fails on any other status than 200. */
export const ask = async <T>(
  api: Api,
  method: string,
  where: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<T> => {
  const answer = await api(method, where, body, headers)
  const text = await answer.text()
  if (answer.status !== 200) throw new Refused(answer.status, `${method} ${where}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}
/** The server answered, and said no. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const createTask = async (api: Api, body: object, headers?: Record<string, string>): Promise<Task> =>
  (await ask<Page<Task>>(api, 'POST', '/tasks', { stream: false, ...body }, headers)).result

/** A background task that plays a script. */
export const play = (api: Api, script: object[], body: object = {}): Promise<Task> =>
  createTask(api, {
    user_message_content: 'play',
    background: true,
    agent_config: { agent_id: 'script', script },
    ...body,
  })

export const getTask = async (api: Api, id: string): Promise<Task> =>
  (await ask<Page<Task>>(api, 'GET', `/tasks/${id}`)).result

/** Every task, oldest first, page by page. */
export const allTasks = async (api: Api): Promise<Task[]> => {
  const tasks: Task[] = []
  for (let cursor = ''; ; ) {
    const { result } = await ask<Page<Task[]>>(api, 'GET', `/tasks?order=asc&limit=100${cursor}`)
    tasks.push(...result)
    if (result.length < 100) return tasks
    cursor = `&starting_after=${result.at(-1)?.id}`
  }
}

/** Every frame of a task, read as JSON pages of `limit` frames. */
export const framesOf = async (api: Api, id: string, limit = 1000): Promise<Frame[]> => {
  const frames: Frame[] = []
  for (let after = ''; ; ) {
    const page = await ask<Page<Frame[]>>(api, 'GET', `/tasks/${id}/events?limit=${limit}${after}`)
    frames.push(...page.result)
    if (page.has_more !== true) return frames
    after = `&after=${frames.at(-1)?.sequence_number}`
  }
}

/** Hands over each frame of an event stream as it comes; rejects when the connection breaks. */
export const readStream = async (answer: Response, onFrame: (frame: Frame) => void): Promise<void> => {
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const frame = JSON.parse(data).result as Frame
      if (event !== frame.type) throw new Error(`event ${event} holds ${frame.type}`)
      onFrame(frame)
    },
  })
  const decoder = new TextDecoder()
  if (answer.body === null) return
  for await (const chunk of answer.body) parser.feed(decoder.decode(chunk, { stream: true }))
}

/** The texts of the messages that a task completed, in order. */
export const saidBy = ({ output }: Task): string[] =>
  output
    .filter(({ type, status }) => type === 'message' && status === 'completed')
    .map(({ message_content }) => (message_content ?? []).map(({ text }) => text).join(''))

export const until = async <T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 60_000,
): Promise<T> => {
  const end = performance.now() + ms
  // A look is often a request to the server, so there are fewer and fewer of them.
  for (let wait = 10; ; wait = Math.min(1.2 * wait, 50)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain: ${what}`)
    await sleep(wait)
  }
}
export const untilStatus = (api: Api, id: string, status: string, ms?: number): Promise<Task> =>
  until(
    `task ${id} is ${status}`,
    async () => {
      const task = await getTask(api, id)
      return task.status === status && task
    },
    ms,
  )
export const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
