// Sends the messages of the channel `task` on one connection: the frames of the tasks that the client follows. The
// frames of each task are read no faster than the client takes them.
import type { Feed, FoldPlace } from '../../bus/feed.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import type { ClientFields } from '../../contract/socket.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { Serving, TaskDoor } from '../doors.ts'
import type { Outbox } from './outbox.ts'
import { readSince } from './since.ts'
import { writeFrames } from './task-frames.ts'
import { saying } from './words.ts'

/** The most tasks that one connection may follow at a time. */
const maxTasks = 64
/** How the frames after number `after` are sent. The feed takes `place` while it reads stored events. */
type Follow = { after: number; place: FoldPlace; pause: Pause }

type Given = {
  tasks: Pick<TaskDoor, 'queries' | 'streamOf' | 'nextFrame' | 'openFeed'>
  longAnswers: Serving['longAnswers']
  quotas: Pick<Serving['quotas'], 'countRefusal'>
  outbox: Outbox
  onFault: (error: unknown) => void
  /** Called when a task is erased while its frames are sent: the connection must send nothing more of this task. */
  onErased: () => void
}

export const createTaskChannels = ({ tasks, longAnswers, quotas, outbox, onFault, onErased }: Given) => {
  const open = new Map<string, Feed>()
  let isClosed = false

  const pour = async (taskId: string, feed: Feed, follow: Follow): Promise<void> => {
    const isOpen = () => open.get(taskId) === feed
    const target = { outbox, isOpen, place: follow.place, pause: follow.pause }
    let last = follow.after
    try {
      for await (const frames of feed.frames()) {
        if (!(await writeFrames(target, frames))) return
        last = frames.at(-1)?.sequence_number ?? last
      }
      if (!isOpen()) return
      open.delete(taskId)
      outbox.say(saying('ended', undefined, { channel: 'task', task_id: taskId, id: last }))
    } catch (error) {
      if (isOpen()) onFault(error)
    } finally {
      follow.place.release()
      feed.close()
    }
  }

  const mustHaveRoom = (taskId: string): void => {
    if (open.size < maxTasks || open.has(taskId)) return
    quotas.countRefusal('task_channels')
    throw new Refusal('Busy', { quota: 'task_channels', limit: maxTasks })
  }
  const end = (taskId: string): boolean => {
    open.get(taskId)?.close()
    return open.delete(taskId)
  }

  return {
    mustHaveRoom,
    end,
    /** Follows a task, in place of an earlier feed of that task. Resolves when no more frames come. */
    async follow(taskId: string, feed: Feed, follow: Follow): Promise<void> {
      if (isClosed) return feed.close()
      end(taskId)
      open.set(taskId, feed)
      feed.whenErased(onErased)
      return pour(taskId, feed, follow)
    },
    /**
     * Prepares to follow a task. The `begin` of the result starts to send frames. Throws TaskNotFound, Busy or Invalid.
     */
    async subscribe(principal: Principal, { task_id, since }: ClientFields<'subscribe'>) {
      if (!task_id) throw missingTask()
      const stream = tasks.streamOf(tasks.queries.visible(principal, task_id).id)
      mustHaveRoom(task_id)
      const last = (await tasks.nextFrame(stream)) - 1
      const after = readSince(since, { before: -1, end: last, of: 'stream' })
      const position = after ?? -1
      const { pause, place: placeOf } = longAnswers.ofCaller(principal, () => isClosed)
      const place = placeOf()
      const request = { stream, after: position, endsAtWait: false, place }
      return {
        answer: { channels: ['task'], task_id, position, recovered: after !== undefined },
        begin: () => void this.follow(task_id, tasks.openFeed(request), { after: position, place, pause }),
      }
    },
    /** Ends all feeds, including those that have not begun yet. */
    close(): void {
      isClosed = true
      for (const taskId of [...open.keys()]) end(taskId)
    },
  }
}
export type TaskChannels = ReturnType<typeof createTaskChannels>

const missingTask = () => new Invalid([{ loc: ['body', 'task_id'], type: 'missing', msg: 'Field required' }])
