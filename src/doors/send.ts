// Sends what a task tells: as events while they come, or as one object at the end of what is wanted.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FoldPlace } from '../bus/feed.ts'
import { jsonLine } from '../bus/published.ts'
import { Refusal } from '../contract/refusals.ts'
import { handOver } from '../http/answer/pour.ts'
import { answerWhenReady } from '../http/answer/slow-answer.ts'
import { answersOf, faultOf } from '../http/request/request.ts'
import { sendHeld } from '../http/stream/task-stream.ts'
import { only } from '../platform/pieces.ts'
import type { DoorDeps } from './ask.ts'
import { type Followed, followTurn } from './follow.ts'
import type { TurnId } from './ids.ts'
import type { Beat } from './turns.ts'

/** The text of a server-sent event. */
export const eventText = (value: object, { name, id }: { name?: string; id?: number } = {}): string =>
  `${name === undefined ? '' : `event: ${name}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${jsonLine(JSON.stringify(value))}\n\n`

/** Begins to follow a task. */
export type Follow<Told> = (place: FoldPlace) => Followed<Told>

/** Sends events as they come. `first`: what comes before them; `textOf`: a list as text; `last`: what follows. */
export const sendFollowed = async <Told>(
  { serving }: Pick<DoorDeps, 'serving'>,
  request: FastifyRequest,
  reply: FastifyReply,
  follow: Follow<Told>,
  { first = '', textOf, last = '' }: { first?: string; textOf: (list: Told[]) => string; last?: string },
): Promise<FastifyReply> => {
  const { stopping, openStreams } = serving
  const place = answersOf(serving, request, reply).place()
  const { feed, lists } = follow(place)
  const held = { feed, place, stopping, openStreams, onFault: faultOf(serving, request) }
  await sendHeld(request, reply, held, async (raw, body) => {
    const send = (text: string) => (text === '' ? undefined : handOver(raw, body.unbroken(only(text))))
    await send(first)
    for await (const list of lists()) {
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

/** Follows a task as far as it is wanted, then answers with what `finish` makes. */
export const answerFollowed = <Told>(
  { serving }: Pick<DoorDeps, 'serving'>,
  request: FastifyRequest,
  reply: FastifyReply,
  follow: Follow<Told>,
  { take, finish, type }: { take: (told: Told) => void; finish: () => object; type?: string },
): Promise<unknown> => {
  const own = answersOf(serving, request, reply)
  const place = own.place()
  const { feed, lists, isOver } = follow(place)
  const ready = async () => {
    for await (const list of lists()) for (const told of list) take(told)
    place.release()
    if (!isOver()) throw reply.raw.destroyed ? gone() : new Refusal('TaskNotFound') // the task was erased
    return own.holding(JSON.stringify(finish()))
  }
  // The caller may have disconnected while its task was being stored.
  if (reply.raw.closed || reply.raw.destroyed) feed.close()
  else reply.raw.once('close', feed.close)
  return answerWhenReady(reply, ready(), serving.stopping, faultOf(serving, request), type)
}

/** Sends the events of a turn as they come. */
export const sendTurn = (
  deps: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  id: TurnId,
  how: { textOf: (beats: Beat[]) => string; last?: string },
): Promise<FastifyReply> => sendFollowed(deps, request, reply, followTurn(deps.tasks, id), how)

/** Follows a turn to its end, then answers with what `finish` makes. */
export const answerTurn = (
  deps: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  id: TurnId,
  how: { take: (beat: Beat) => void; finish: () => object },
): Promise<unknown> => answerFollowed(deps, request, reply, followTurn(deps.tasks, id), how)
