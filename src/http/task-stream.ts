// Sends a task's frames as server-sent events, on the connection that created the task or on a later one.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed, FoldPlace } from '../bus/feed.ts'
import { DamagedEvent } from '../contract/stored.ts'
import type { Pause } from '../fairness/slices.ts'
import type { Frame } from '../history/frames.ts'
import { isLong, type Piece } from '../platform/pieces.ts'
import { isHeavy } from './frame-text.ts'
import { writeHead } from './head.ts'
import { onAbort } from './on-abort.ts'
import type { OpenStreams } from './open-streams.ts'
import { breakOff, pour } from './pour.ts'
import { sharedText } from './shared-text.ts'
import { frameEvent, heartbeat, opening, streamHeaders } from './sse.ts'

type Stream = {
  feed: Feed
  /** The place of the feed. The stream also holds it while a long frame is made. */
  place: FoldPlace
  pause: Pause
  envelopeId: string
  /** True: frames have a line `id:`, so that a client may continue with Last-Event-ID. */
  withIds: boolean
  stopping: AbortSignal
  openStreams: OpenStreams
  onFault: (error: unknown) => void
}

/** The number of characters at which the short frames collected so far are sent. */
const togetherAtMost = 64 * 1024

async function* textOf({ feed, place, pause, envelopeId, withIds }: Stream): AsyncGenerator<Piece> {
  const id = JSON.stringify(envelopeId)
  async function* alone(frame: Frame): AsyncGenerator<Piece> {
    const isTaken = place.isTaken()
    await place.enter()
    await pause()
    const text = frameEvent(frame, id, withIds)
    if (isLong(text)) yield* text
    else yield text
    if (!isTaken) place.leave()
  }
  yield opening
  for await (const frames of feed.frames()) {
    const shared = sharedText(frames, `${withIds} ${id}`, frame => String(frameEvent(frame, id, withIds)))
    if (shared !== undefined) {
      yield shared
      continue
    }
    let together = ''
    for (const frame of frames) {
      const heavy = isHeavy(frame)
      if (!heavy) together += frameEvent(frame, id, withIds)
      if (together !== '' && (heavy || together.length > togetherAtMost)) {
        yield together
        together = ''
        await pause()
      }
      if (heavy) yield* alone(frame)
    }
    if (together !== '') yield together
  }
}

/**
 * Resolves when the stream is over. True: the socket has taken the last byte. False: the connection ended before. When
 * the server stops, it breaks the connection, so that the client reconnects.
 */
export const sendTaskStream = async (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Stream,
): Promise<boolean> => {
  reply.hijack()
  const { raw } = reply
  const { feed, stopping } = stream
  const end = () => {
    feed.close()
    breakOff(raw)
  }
  const kept = stream.openStreams.add(request, {
    beat: () => void (raw.writableNeedDrain || raw.write(heartbeat)),
    isFull: () => false, // frames are read no faster than the client takes them, so nothing piles up
    cut: end,
  })
  const closed = () => feed.close()
  raw.on('close', closed)
  raw.on('error', closed)
  const forget = onAbort(stopping, end)
  try {
    if (stopping.aborted || raw.destroyed) end()
    request.raw.socket.setNoDelay(true)
    writeHead(reply, streamHeaders(request.raw))
    await pour(raw, textOf(stream))
  } catch (error) {
    // The head has been sent, so the server can report the error only by breaking the connection.
    if (!(error instanceof DamagedEvent) || !raw.destroyed) stream.onFault(error)
    breakOff(raw)
  } finally {
    feed.close()
    stream.place.leave()
    kept.leave()
    forget()
  }
  return raw.writableEnded && !raw.errored
}
