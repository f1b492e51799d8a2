// Sends a task's frames as server-sent events, on the connection that created the task or on a later one.
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed, FoldPlace } from '../../bus/feed.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { Frame } from '../../history/frames.ts'
import { onAbort } from '../../platform/on-abort.ts'
import { isLong, type Piece } from '../../platform/pieces.ts'
import { breakOff, handOver, room } from '../answer/pour.ts'
import { prepared } from '../answer/prepared.ts'
import { isHeavy } from './frame-text.ts'
import type { OpenStreams } from './open-streams.ts'
import { createSharedText } from './shared-text.ts'
import { frameEvent } from './sse.ts'
import { type Body, openBody } from './stream-body.ts'

/** An open answer that is made from the frames of a task. */
export type Held = {
  feed: Pick<Feed, 'close' | 'whenErased'>
  /** The feed takes this place while it reads stored events, and the stream while it makes a long frame. */
  place: FoldPlace
  stopping: AbortSignal
  openStreams: OpenStreams
  onFault: (error: unknown) => void
}
type Stream = Held & {
  feed: Feed
  pause: Pause
  envelopeId: string
  /** True: frames have a line `id:`, so that a client may continue with Last-Event-ID. */
  withIds: boolean
}

/** The number of characters at which the short frames collected so far are sent. */
const togetherAtMost = 64 * 1024

const sharedText = createSharedText(prepared)

/** Yields the texts of frames that are too long to be shared: short frames together, each long frame alone. */
async function* textOf(
  { place, pause, withIds }: Stream,
  { unbroken }: Body,
  id: string,
  frames: readonly Frame[],
): AsyncGenerator<Piece> {
  async function* alone(frame: Frame): AsyncGenerator<Piece> {
    const isTaken = place.isTaken()
    await place.acquire()
    await pause()
    const text = frameEvent(frame, id, withIds)
    if (isLong(text)) yield* unbroken(text)
    else yield text
    if (!isTaken) place.release()
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

const sendFrames = async (raw: ServerResponse, body: Body, stream: Stream): Promise<void> => {
  const { feed, withIds } = stream
  const id = JSON.stringify(stream.envelopeId)
  const form = `${withIds} ${id}`
  const shortText = (frame: Frame) => String(frameEvent(frame, id, withIds))
  const shared = (frames: readonly Frame[]) => sharedText(frames, form, shortText)
  const writeAtOnce = (frames: readonly Frame[]): boolean => {
    const bytes = raw.destroyed || body.isFull() ? undefined : shared(frames)
    if (bytes !== undefined) body.write(bytes)
    return bytes !== undefined
  }
  for await (const frames of feed.frames(writeAtOnce)) {
    if (body.isFull()) await room(raw)
    if (raw.destroyed) return
    const bytes = shared(frames)
    if (bytes === undefined) await handOver(raw, textOf(stream, body, id, frames))
    else if (feed.isAtEnd()) body.writeLast(bytes)
    else body.write(bytes)
  }
  if (!raw.destroyed) raw.end()
}

/**
 * Opens the body of a stream, and closes it when `send` has sent everything. Resolves when the stream is over. True: the
 * response was given its last byte. False: the connection ended before. When the server stops, it breaks the connection, so
 * that the client reconnects.
 */
export const sendHeld = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { feed, place, stopping, openStreams, onFault }: Held,
  send: (raw: ServerResponse, body: Body) => Promise<void>,
): Promise<boolean> => {
  const { raw } = reply
  const body = openBody(request, reply)
  const end = () => {
    feed.close()
    breakOff(raw)
  }
  const kept = openStreams.add(request, {
    beat: body.beat,
    isFull: () => false, // frames are read no faster than the client takes them, so nothing piles up
    cut: end,
  })
  const closed = () => feed.close()
  raw.on('close', closed)
  raw.on('error', closed)
  const forget = onAbort(stopping, end)
  feed.whenErased(end) // the client reconnects, and gets 404
  try {
    if (stopping.aborted || raw.destroyed) end()
    await send(raw, body)
  } catch (error) {
    // The head has been sent, so the server can report the error only by breaking the connection.
    if (!(error instanceof DamagedEvent) || !raw.destroyed) onFault(error)
    breakOff(raw)
  } finally {
    feed.close()
    place.release()
    kept.closed()
    forget()
  }
  return raw.writableEnded && !raw.errored
}

/** Sends the frames of a task, as `sendHeld`. */
export const sendTaskStream = (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Stream,
): Promise<boolean> => sendHeld(request, reply, stream, (raw, body) => sendFrames(raw, body, stream))
