// Follows a task from its creation until it ends or waits. A connection that breaks is replaced by a new one.

import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Config } from '../../config.ts'
import { readJson } from '../../contract/json/exact-json.ts'
import { isTerminal, type Task, type TaskStatus } from '../../contract/wire.ts'
import type { Frame } from '../../history/frames.ts'
import { NotReached } from '../terminal/exit.ts'
import { askServer, lookForServer } from './server.ts'

/** The server counts as stopped when it has not answered for this many milliseconds. */
const patienceMs = 60_000
/** Milliseconds between two attempts to connect. */
const betweenTriesMs = 250

export const isWait = ({ type }: Frame): boolean => type === 'task.input_required' || type === 'task.paused'
export const isEnd = ({ type }: Frame): boolean => isTerminal(type.slice('task.'.length) as TaskStatus)

/** The frames of one connection. When the connection breaks, the frames end without an error. */
async function* framesOf({ body }: Response): AsyncGenerator<Frame> {
  const events = body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  try {
    for (;;) {
      const event = await events?.read().catch(() => undefined)
      if (event?.value === undefined) return
      yield (readJson(event.value.data) as { result: Frame }).result
    }
  } finally {
    await events?.cancel().catch(() => {})
  }
}

export type Followed = {
  config: Config
  url: string
  /** Called with the task's id as soon as it is known. */
  onTask: (id: string) => void
  onBroken: () => void
  /** Called when the task waits. Resolves with true when it has got what it waits for. Absent: the frames end then. */
  onWait?: (frame: Frame) => Promise<boolean>
}

/**
 * Creates a task and yields each of its frames once. When the connection breaks, a new connection continues the stream,
 * even if a restart has changed the server's address. Throws NotReached when no server answers for a minute, and the
 * errors of `askServer`.
 */
export async function* followTask(
  { config, url, onTask, onBroken, onWait }: Followed,
  body: object,
): AsyncGenerator<Frame> {
  let response = await askServer(config, url, 'POST', '/v1/tasks', { body })
  const id = response.headers.get('x-task-id') ?? ''
  const path = `/v1/tasks/${encodeURIComponent(id)}`
  onTask(id)

  /** Whether the task still waits. It is read again, because the result for which it waited may have arrived. */
  const stillWaits = async (): Promise<boolean> => {
    const answer = await askServer(config, (await lookForServer(config)) ?? url, 'GET', path)
    const { status } = ((await answer.json()) as { result: Task }).result
    return status === 'input-required' || status === 'paused'
  }

  const takeUp = async (last: number): Promise<Response> => {
    const headers = { accept: 'text/event-stream', ...(last < 0 ? {} : { 'last-event-id': String(last) }) }
    for (const until = Date.now() + patienceMs; ; ) {
      await sleep(betweenTriesMs)
      const there = await lookForServer(config)
      try {
        if (there !== undefined) return await askServer(config, there, 'GET', `${path}/events`, { headers })
      } catch (error) {
        if (!(error instanceof NotReached)) throw error
      }
      if (Date.now() > until) {
        throw new NotReached(
          `the server at ${url} has stopped; the task ${id} continues when the server is back`,
        )
      }
    }
  }

  for (let last = -1; ; ) {
    let goesOn = false
    for await (const frame of framesOf(response)) {
      last = frame.sequence_number
      yield frame
      if (isEnd(frame)) return
      if (!isWait(frame) || !(await stillWaits().catch(() => true))) continue
      goesOn = (await onWait?.(frame)) === true
      if (!goesOn) return
    }
    if (!goesOn) onBroken() // the stream of a task that waits has ended
    response = await takeUp(last)
  }
}
