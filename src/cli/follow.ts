// A task from its creation to where it ends or waits, over as many connections as that takes.
import { setTimeout as sleep } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Config } from '../config.ts'
import { isTerminal, type Task, type TaskStatus } from '../contract/wire.ts'
import type { Frame } from '../history/frames.ts'
import { NotReached } from './exit.ts'
import { askServer, lookForServer } from './server.ts'

/** How long nobody may answer before a server counts as gone. */
const patienceMs = 60_000
const betweenTriesMs = 250

export const isWait = ({ type }: Frame): boolean => type === 'task.input_required' || type === 'task.paused'
export const isEnd = ({ type }: Frame): boolean => isTerminal(type.slice('task.'.length) as TaskStatus)

/** The frames of one connection; a connection that breaks has simply no more of them. */
async function* framesOf({ body }: Response): AsyncGenerator<Frame> {
  const events = body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  try {
    for (;;) {
      const event = await events?.read().catch(() => undefined)
      if (event?.value === undefined) return
      yield (JSON.parse(event.value.data) as { result: Frame }).result
    }
  } finally {
    await events?.cancel().catch(() => {})
  }
}

export type Followed = {
  config: Config
  url: string
  /** Hears the task's id as soon as it is known. */
  onTask: (id: string) => void
  onBroken: () => void
}

/**
 * Creates a task and gives each of its frames once. A stream that breaks is taken up again, wherever the server
 * then listens. Throws NotReached when there is none for a minute, else as `askServer` does.
 */
export async function* followTask(
  { config, url, onTask, onBroken }: Followed,
  body: object,
): AsyncGenerator<Frame> {
  let response = await askServer(config, url, 'POST', '/v1/tasks', { body })
  const id = response.headers.get('x-task-id') ?? ''
  const path = `/v1/tasks/${encodeURIComponent(id)}`
  onTask(id)

  /** Whoever was waited for may have come by now. */
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
    for await (const frame of framesOf(response)) {
      last = frame.sequence_number
      yield frame
      if (isEnd(frame) || (isWait(frame) && (await stillWaits().catch(() => true)))) return
    }
    onBroken()
    response = await takeUp(last)
  }
}
