// Carries out the commands that come on one WebSocket connection. They use the operations that HTTP uses, and give the
// same answers without the envelope.
import type { FoldPlace } from '../../bus/feed.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { Delivery } from '../../once/once.ts'
import type { Text } from '../../platform/pieces.ts'
import type { Serving, SessionDoor } from '../doors.ts'
import type { Caller, TaskCalls } from '../routes/task-calls.ts'
import type { Said } from './read-message.ts'
import type { TaskChannels } from './task-channels.ts'

/**
 * The most creates of one connection that may wait for their tasks. Creates with `stream` or `background` do not wait
 * and do not count.
 */
const maxWaiting = 256
/** A signal that never aborts. A step is part of its session, so it continues when its caller disconnects. */
const neverStops = new AbortController().signal

export type Command = Extract<
  Said,
  { type: 'create' | 'answer' | 'approve' | 'message' | 'cancel' | 'pause' | 'resume' | 'step' }
>

type Ports = {
  /** Sends a result. Resolves with false if the connection has ended. `data` is JSON text. */
  result: (data: Text, replayed: boolean) => Promise<boolean>
  /** Records that the result shows a task which this command did not create. */
  shows: (taskId: string) => void
  /** Cancels the task if the caller disconnects before the returned function is called. */
  hold: (taskId: string, requestId: string) => () => void
  /** A feed that the command opens takes this place while it reads stored events. */
  place: FoldPlace
  pause: Pause
  /** The command calls this when it should no longer count as running. */
  free: () => void
}

type Of<Type extends Command['type']> = Extract<Command, { type: Type }>

const takeStep = async (
  { step }: Pick<SessionDoor['sessions'], 'step'>,
  { fields: { idempotency_key, ...body } }: Of<'step'>,
  caller: Caller,
  { result }: Pick<Ports, 'result'>,
): Promise<void> => {
  let isNew = false
  let tell = (_whole: boolean) => {}
  const delivery: Delivery = {
    onEnd(hear) {
      tell = hear
    },
  }
  const answer = await step(caller, body, {
    key: idempotency_key ?? undefined,
    isRetry: false,
    delivery,
    began() {
      isNew = true
    },
    emit() {},
    signal: neverStops,
  })
  tell(await result(JSON.stringify(answer), !isNew))
}

export const createSocketCommands = (
  calls: TaskCalls,
  sessions: SessionDoor['sessions'],
  tasks: TaskChannels,
  quotas: Pick<Serving['quotas'], 'countRefusal'>,
) => {
  let waiting = 0

  const create = async (
    // The request id names only this message: a client may repeat the request in a message with another id.
    { fields: { request_id: _, idempotency_key, ...body } }: Of<'create'>,
    caller: Caller,
    { result, shows, hold, free, place, pause }: Ports,
  ): Promise<void> => {
    if (body.stream) tasks.mustHaveRoom(body.task_id ?? '')
    const retry = { key: idempotency_key ?? undefined, isRetry: false }
    const task = await calls.create({ ...caller, place }, { body }, retry, false)
    if (task.replayed || !task.made) shows(task.taskId)
    const isCanceled = body.on_disconnect === 'cancel' && (body.stream || !body.background)
    const release = isCanceled ? hold(task.taskId, caller.requestId) : () => {}
    if (!body.stream) {
      free() // a create that waits for its task must not delay other commands
      return void (await task
        .rested()
        .then(text => result(text, task.replayed))
        .finally(release))
    }
    const feed = await task.feed()
    const text = await task.now().catch(error => {
      feed.close()
      throw error
    })
    await result(text, task.replayed)
    void tasks.follow(task.taskId, feed, { after: -1, place, pause }).finally(release)
  }
  const createInTurn: typeof create = async (said, caller, ports) => {
    const { stream, background } = said.fields
    if (stream || background) return create(said, caller, ports)
    if (waiting >= maxWaiting) {
      quotas.countRefusal('waiting_creates')
      throw new Refusal('Busy', { quota: 'waiting_creates', limit: maxWaiting })
    }
    waiting++
    return create(said, caller, ports).finally(() => waiting--)
  }

  return async (said: Command, caller: Caller, ports: Ports): Promise<void> => {
    const tell = async (taskId: string, text: Text, replayed = false): Promise<void> => {
      ports.shows(taskId)
      await ports.result(text, replayed)
    }
    switch (said.type) {
      case 'create':
        return createInTurn(said, caller, ports)
      case 'answer': {
        const { task_id } = said.fields
        return tell(task_id, await calls.answer(caller, task_id, said.fields))
      }
      case 'approve': {
        const { task_id, request_id: _, ...body } = said.fields
        return tell(task_id, await calls.decide(caller, task_id, body))
      }
      case 'message': {
        const { task_id, idempotency_key, ...body } = said.fields
        const retry = { key: idempotency_key ?? undefined, isRetry: false }
        const { text, replayed } = await calls.message(caller, task_id, body, retry)
        return tell(task_id, text, replayed)
      }
      case 'cancel':
      case 'pause':
      case 'resume': {
        const { task_id } = said.fields
        return tell(task_id, await calls.move(said.type, caller, task_id))
      }
      case 'step':
        return takeStep(sessions, said, caller, ports)
    }
  }
}
