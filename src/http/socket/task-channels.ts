// The channel `task` on one connection: the frames of some tasks, each read no faster than they are taken.
import type { Feed } from '../../bus/feed.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import type { ClientFields } from '../../contract/socket.ts'
import type { Principal } from '../../contract/token-events.ts'
import type { Frame } from '../../history/frames.ts'
import type { Parts } from '../parts.ts'
import type { Outbox } from './outbox.ts'
import { readSince } from './since.ts'
import { textFrame } from './text-frame.ts'
import { saying } from './words.ts'

const mostTasks = 64
/** Frames are written together up to about so many bytes. */
const togetherAtMost = 64 * 1024

const frameText = (frame: Frame): string => {
  const { type, sequence_number } = frame
  const timestamp = 'timestamp' in frame ? `,"timestamp":${JSON.stringify(frame.timestamp)}` : ''
  return `{"channel":"task","type":"${type}","data":${JSON.stringify(frame)}${timestamp},"id":${sequence_number}}`
}

/** Frames as bytes, in pieces that are not too long. */
function* bytesOf(frames: readonly Frame[]): Generator<Buffer> {
  let piece: Buffer[] = []
  let length = 0
  for (const frame of frames) {
    const bytes = textFrame(frameText(frame))
    piece.push(bytes)
    length += bytes.length
    if (length < togetherAtMost) continue
    yield Buffer.concat(piece)
    piece = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(piece)
}

type Given = {
  parts: Pick<Parts, 'queries' | 'streamOf' | 'nextFrame' | 'openFeed'>
  outbox: Outbox
  onFault: (error: unknown) => void
}

export const createTaskChannels = ({ parts, outbox, onFault }: Given) => {
  const open = new Map<string, Feed>()
  let isClosed = false

  const pour = async (taskId: string, feed: Feed, after: number): Promise<void> => {
    let last = after
    try {
      for await (const frames of feed.frames()) {
        for (const bytes of bytesOf(frames)) {
          if (open.get(taskId) !== feed) return
          outbox.write(bytes)
          await outbox.room()
        }
        last = frames.at(-1)?.sequence_number ?? last
      }
      if (open.get(taskId) !== feed) return
      open.delete(taskId)
      outbox.say(saying('ended', undefined, { channel: 'task', task_id: taskId, id: last }))
    } catch (error) {
      if (open.get(taskId) === feed) onFault(error)
    } finally {
      feed.close()
    }
  }

  const mustHaveRoom = (taskId: string): void => {
    if (open.size >= mostTasks && !open.has(taskId)) throw new Refusal('Busy', { tasks: mostTasks })
  }
  const end = (taskId: string): boolean => {
    open.get(taskId)?.close()
    return open.delete(taskId)
  }

  return {
    mustHaveRoom,
    end,
    /** Takes the place of what was followed of this task before. Resolves when nothing more comes. */
    async follow(taskId: string, feed: Feed, after: number): Promise<void> {
      if (isClosed) return feed.close()
      end(taskId)
      open.set(taskId, feed)
      return pour(taskId, feed, after)
    },
    /** Throws TaskNotFound, Busy or Invalid; `begin` lets the frames come. */
    async subscribe(principal: Principal, { task_id, since }: ClientFields<'subscribe'>) {
      if (!task_id) throw missingTask()
      const stream = parts.streamOf(parts.queries.visible(principal, task_id).id)
      mustHaveRoom(task_id)
      const last = (await parts.nextFrame(stream)) - 1
      const after = readSince(since, { before: -1, end: last, of: 'stream' })
      const position = after ?? -1
      return {
        answer: { channels: ['task'], task_id, position, recovered: after !== undefined },
        begin: () => void this.follow(task_id, parts.openFeed(stream, position, false), position),
      }
    },
    /** Ends all, and those that would still begin. */
    close(): void {
      isClosed = true
      for (const taskId of [...open.keys()]) end(taskId)
    },
  }
}
export type TaskChannels = ReturnType<typeof createTaskChannels>

const missingTask = () => new Invalid([{ loc: ['body', 'task_id'], type: 'missing', msg: 'Field required' }])
