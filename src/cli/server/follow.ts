// Prints a task while it runs, for `reprise try` and `reprise tasks watch`.
import type { Task, TaskFrame } from '../../../library/client/index.ts'
import type { Printer } from '../terminal/printer.ts'
import { plural } from '../terminal/terminal.ts'
import type { Connection } from './connection.ts'
import { createShow, failureOf } from './show.ts'

/** True for the frame of a task that waits for somebody. */
export const isWait = ({ type }: TaskFrame): boolean =>
  type === 'task.input_required' || type === 'task.paused'

const summaryOf = ({ status, usage, id }: Task, steps: number, ms: number): string => {
  const tokens = Number(usage?.total_tokens ?? 0)
  const parts = [status, plural(steps, 'step'), ...(tokens > 0 ? [plural(tokens, 'token')] : [])]
  return [...parts, `${(ms / 1000).toFixed(1)} s`, id].join(', ')
}

export type Shown = {
  server: Connection
  printer: Printer
  /** Whether to print each frame as a line of JSON, and nothing else. */
  json: boolean
  /** The number of the last frame that is not to be printed. */
  after?: number | undefined
  /** Whether to go on while the task waits, until it has ended. */
  untilEnd?: boolean
  /** Each frame is printed when this has resolved. */
  beforeFrame?: () => Promise<void>
  /** Called when the task waits, and not for a wait of the past. Resolves with true when it has got what it waits for. */
  onWait?: (task: Task) => Promise<boolean>
  /** Called when all frames are printed, before the line about the task. */
  atEnd?: (task: Task) => void
}

/** Resolves with the task when it has ended, or waits. */
export const showTask = async (id: string, shown: Shown): Promise<Task> => {
  const { server, printer, json, untilEnd = false, beforeFrame, onWait, atEnd } = shown
  const began = performance.now()
  const show = createShow(printer)
  const onBroken = () => printer.line('(the connection broke; reconnecting)')
  let last: TaskFrame | undefined

  /** Whether there is a frame after this one: the task no longer waits. A server that is away does not say so. */
  const isOver = async ({ sequence_number: after }: TaskFrame): Promise<boolean> => {
    const path = `/v1/tasks/${encodeURIComponent(id)}/events`
    const request = { method: 'GET', path, query: { after, limit: 1 } } as const
    const answer = server.ask(client => client.request<{ result: TaskFrame[] }>(request))
    return answer.then(({ result }) => result.length > 0).catch(() => false)
  }

  const read = (after: number | undefined): Promise<{ task: Task; after: number }> =>
    server.follow(id, { after, untilEnd, onBroken }, async run => {
      for await (const frame of run) {
        await beforeFrame?.()
        if (json) process.stdout.write(`${JSON.stringify(frame)}\n`)
        else show.frame(frame)
        last = frame
        if (onWait && untilEnd && isWait(frame) && !(await isOver(frame)))
          await onWait((frame as { task: Task }).task)
      }
      await beforeFrame?.()
      return { task: await run.result(), after: run.last }
    })

  let rest = await read(shown.after)
  while (!untilEnd && (await onWait?.(rest.task)) === true) rest = await read(rest.after)
  const { task } = rest
  const failure = last && failureOf(last)
  if (failure !== undefined) printer.line(`reprise: ${failure}`, 'red')
  atEnd?.(task)
  if (!json) printer.line(summaryOf(task, show.steps(), performance.now() - began))
  return task
}
