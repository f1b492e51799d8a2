// POST /env/step: one step of an instance, as one answer or as server-sent events.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { jsonLine } from '../../bus/published.ts'
import { onAbort } from '../../platform/on-abort.ts'
import { attemptOf } from '../answer/delivery.ts'
import { answerWith } from '../answer/env-answers.ts'
import { errorObjectOf, isFault } from '../answer/errors.ts'
import { writeHead } from '../answer/head.ts'
import type { EnvironmentDoor, Serving } from '../doors.ts'
import { type App, askedOf, faultOf } from '../request/request.ts'
import { noteReplay, retryOf, setRequestId } from '../request/request-id.ts'
import { type Asked, route } from '../route.ts'
import { holdStream } from '../stream/hold-stream.ts'
import { heartbeat, opening, streamHeaders } from '../stream/sse.ts'

/**
 * A signal that never aborts. A step is part of its session, so it continues when its caller disconnects and when the
 * server begins to stop.
 */
const neverStops = new AbortController().signal

type Step = FastifyRequest<Asked<'stepEnv'>>
type Sessions = EnvironmentDoor['sessions']
type Listener = { began(step: number): void; emit(text: string): void }

const take = (sessions: Sessions, request: Step, reply: FastifyReply, listener: Listener) =>
  sessions.step(askedOf(request), request.body, {
    ...attemptOf(request, reply),
    ...listener,
    signal: neverStops,
  })

/**
 * Writes the numbered events of one step. `next` is the number that the step gets if no other step is waiting before
 * it.
 */
const createStepEvents = ({ raw }: FastifyReply, request: Step, next: number) => {
  const { session_id, tool_name, tool_args } = request.body
  const id = JSON.stringify(request.envelopeId)
  let sequence_number = 0
  let step = next
  let hasBegun = false
  const send = (type: string, fields: object): void => {
    const frame = { type, sequence_number: sequence_number++, session_id, step, ...fields }
    raw.write(
      `event: ${type}\ndata: ${jsonLine(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(frame)}}`)}\n\n`,
    )
  }
  return {
    send,
    began(number: number): void {
      if (hasBegun) return
      hasBegun = true
      step = number
      send('step.started', { tool_name, tool_args: tool_args ?? {} })
    },
  }
}

/**
 * Sends the head and keeps the stream open with heartbeats until the response closes. When the server stops, the
 * connection is broken; the returned function prevents that.
 */
const openStream = (serving: Serving, request: Step, reply: FastifyReply): (() => void) => {
  reply.hijack()
  const { raw } = reply
  const cut = () => void raw.destroy()
  const kept = serving.openStreams.add(request, {
    beat: () => void (raw.writableNeedDrain || raw.write(heartbeat)),
    isFull: () => false,
    cut,
  })
  raw.once('close', kept.closed)
  const forget = onAbort(serving.stopping, cut)
  writeHead(reply, streamHeaders(request.raw))
  raw.write(opening)
  return forget
}

export const envStepRoutes = (
  app: App,
  { sessions }: Pick<EnvironmentDoor, 'sessions'>,
  serving: Serving,
): void => {
  const streamStep = async (request: Step, reply: FastifyReply, next: number): Promise<void> => {
    const forget = openStream(serving, request, reply)
    const { send, began } = createStepEvents(reply, request, next)
    try {
      const emit = (delta: string) => send('step.output.delta', { delta })
      const answer = await take(sessions, request, reply, { began, emit })
      began(answer.step) // for a step that was taken earlier
      send('step.completed', answer)
    } catch (error) {
      if (isFault(error)) faultOf(serving, request)(error)
      send('step.failed', { error: errorObjectOf(error, serving) })
    } finally {
      forget()
      reply.raw.end()
    }
  }

  route(app, 'stepEnv', {
    async handler(request, reply) {
      const { stream, request_id } = request.body
      if (request_id) setRequestId(request, reply, request_id)
      if (!stream) {
        return answerWith(serving, request, reply, began =>
          take(sessions, request, reply, { began, emit() {} }),
        )
      }
      const { isKnown, next } = await sessions.mayStep(askedOf(request), request.body, retryOf(request))
      if (isKnown) noteReplay(reply)
      holdStream(serving, request, reply)
      await streamStep(request, reply, next)
      return reply
    },
  })
}
