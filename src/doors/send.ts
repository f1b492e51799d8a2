// Sends a turn of a task: as events while they come, or as one object at its end.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { jsonLine } from '../bus/published.ts'
import { Refusal } from '../contract/refusals.ts'
import { handOver } from '../http/answer/pour.ts'
import { answerWhenReady } from '../http/answer/slow-answer.ts'
import { answersOf, faultOf } from '../http/request/request.ts'
import { sendHeld } from '../http/stream/task-stream.ts'
import { only } from '../platform/pieces.ts'
import type { DoorDeps } from './ask.ts'
import { followTurn } from './follow.ts'
import type { TurnId } from './ids.ts'
import type { Beat } from './turns.ts'

/** The text of a server-sent event. `id`: clients may continue after it with Last-Event-ID. */
export const eventText = (value: object, { name, id }: { name?: string; id?: number } = {}): string =>
  [
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${jsonLine(JSON.stringify(value))}\n\n`,
  ].join('\n')

/** Sends the events of a turn as they come. `textOf`: the events of these frames as text; `last`: what follows them. */
export const sendTurn = async (
  { tasks, serving }: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { taskId, turn }: TurnId,
  { textOf, last = '' }: { textOf: (beats: Beat[]) => string; last?: string },
): Promise<FastifyReply> => {
  const { stopping, openStreams } = serving
  const place = answersOf(serving, request, reply).place()
  const { feed, beats } = followTurn(tasks, taskId, turn, place)
  const held = { feed, place, stopping, openStreams, onFault: faultOf(serving, request) }
  await sendHeld(request, reply, held, async (raw, body) => {
    const send = (text: string) => (text === '' ? undefined : handOver(raw, body.unbroken(only(text))))
    for await (const list of beats()) {
      await send(textOf(list))
      if (raw.destroyed) return
    }
    await send(last)
    if (!raw.destroyed) raw.end()
  })
  return reply
}

/** The error when the caller has disconnected. */
const gone = () => Object.assign(new Error('the caller went away'), { code: 'ECONNRESET' })

/** Follows a turn to its end, then answers with what `finish` makes. */
export const answerTurn = (
  { tasks, serving }: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { taskId, turn }: TurnId,
  { take, finish }: { take: (beat: Beat) => void; finish: () => object },
): Promise<unknown> => {
  const own = answersOf(serving, request, reply)
  const place = own.place()
  const { feed, beats, isOver } = followTurn(tasks, taskId, turn, place)
  const follow = async () => {
    for await (const list of beats()) for (const beat of list) take(beat)
    place.release()
    if (!isOver()) throw reply.raw.destroyed ? gone() : new Refusal('TaskNotFound') // the task was erased
    return own.holding(JSON.stringify(finish()))
  }
  // The caller may have disconnected while its task was being stored.
  if (reply.raw.closed || reply.raw.destroyed) feed.close()
  else reply.raw.once('close', feed.close)
  return answerWhenReady(reply, follow(), serving.stopping, faultOf(serving, request))
}
