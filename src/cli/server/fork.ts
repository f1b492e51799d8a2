// reprise fork: makes a task with the past of another task. It asks a server.
import type { ForkTaskBody } from '../../../library/client/index.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { type Asking, ask, print, printJson } from './ask.ts'

type ForkOptions = Asking & {
  at: string
  model?: string
  agent?: string
  message?: string
  pause?: true
  taskId?: string
}

/** Makes a fork, and prints its id. */
export const forkTask = async (id: string, options: ForkOptions): Promise<void> => {
  const { at: frame, model, agent, message, pause, taskId, json } = options
  if (!/^\d{1,15}$/.test(frame)) throw new CannotStart(`--at ${frame} is not the number of a frame`)
  const body: ForkTaskBody = {
    at: Number(frame),
    agent: agent ?? null,
    model: model ?? null,
    message: message ?? null,
    pause: pause ?? null,
    task_id: taskId ?? null,
  }
  const task = await ask(options, ({ tasks }) => tasks.fork(id, body))
  if (json) printJson(task)
  else print(task.id)
}
