// A task's frames as server-sent events, on the connection that created it or on a later one.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed } from '../bus/feed.ts'
import { DamagedEvent } from '../contract/stored.ts'
import type { OpenStreams } from './open-streams.ts'
import { headersOf } from './slow-answer.ts'
import { frameText, heartbeat, opening, pour, streamHeaders } from './sse.ts'

type Stream = {
  feed: Feed
  envelopeId: string
  /** Lines `id:` where a client may come back with Last-Event-ID. */
  withIds: boolean
  stopping: AbortSignal
  openStreams: OpenStreams
  onFault: (error: unknown) => void
}

async function* textOf({ feed, envelopeId, withIds }: Stream): AsyncGenerator<string> {
  const id = JSON.stringify(envelopeId)
  yield opening
  for await (const frames of feed.frames()) yield frames.map(frame => frameText(frame, id, withIds)).join('')
}

/**
 * Resolves when the stream is over: true when its last byte was handed over, false when the connection ended
 * before. When the server goes down the connection is broken, so that the client comes back.
 */
export const sendTaskStream = async (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: Stream,
): Promise<boolean> => {
  reply.hijack()
  const { raw } = reply
  const { feed, stopping } = stream
  const breakOff = () => {
    feed.close()
    raw.destroy()
  }
  const kept = stream.openStreams.add(request, {
    beat: () => void (raw.writableNeedDrain || raw.write(heartbeat)),
    isFull: () => false, // it is read no faster than its reader takes it
    cut: breakOff,
  })
  const closed = () => feed.close()
  raw.on('close', closed)
  raw.on('error', closed)
  stopping.addEventListener('abort', breakOff, { once: true })
  try {
    if (stopping.aborted || raw.destroyed) breakOff()
    request.raw.socket.setNoDelay(true)
    raw.writeHead(200, { ...headersOf(reply), ...streamHeaders(request.raw) })
    await pour(raw, textOf(stream))
  } catch (error) {
    // The head is out: all that is left is to break the connection.
    if (!(error instanceof DamagedEvent) || !raw.destroyed) stream.onFault(error)
    raw.destroy()
  } finally {
    feed.close()
    kept.leave()
    stopping.removeEventListener('abort', breakOff)
  }
  return raw.writableEnded && !raw.errored
}
