// Environments over HTTP: what there is, and the life of an instance: create, step, reset, observe, close.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { jsonLine } from '../bus/told.ts'
import { Refusal } from '../contract/refusals.ts'
import { handedOver } from './delivery.ts'
import type { EnvironmentDoor, Serving } from './doors.ts'
import { errorObjectOf } from './errors.ts'
import { holdStream } from './hold-stream.ts'
import { onAbort } from './on-abort.ts'
import { headersOf } from './pour.ts'
import { readQuery } from './query.ts'
import { type App, faultOf } from './request.ts'
import { isRetry, setRequestId, shortHeader } from './request-id.ts'
import { type Asked, route } from './route.ts'
import { answerWhenReady } from './slow-answer.ts'
import { heartbeat, opening, streamHeaders } from './sse.ts'

/** A step is not given up because its caller, or the server, goes: it is part of the session. */
const neverStops = new AbortController().signal

type Step = FastifyRequest<Asked<'stepEnv'>>

export const environmentRoutes = (app: App, door: EnvironmentDoor, serving: Serving): void => {
  const { sessions, environments } = door
  const { stopping, openStreams } = serving
  const asked = ({ principal, envelopeId }: FastifyRequest) => ({ principal, requestId: envelopeId })
  const text = async (answer: Promise<object>): Promise<string> => JSON.stringify(await answer)
  const answerWith = (request: FastifyRequest, reply: FastifyReply, told: Promise<string>) =>
    answerWhenReady(reply, told, stopping, faultOf(serving, request))
  const noteReplay = (reply: FastifyReply) => void reply.header('idempotency-replayed', 'true')
  /** The text of an answer; one that comes of what was done before says so, unless the headers have left already. */
  const toldOnce = async (
    reply: FastifyReply,
    ask: (began: () => void) => Promise<object>,
  ): Promise<string> => {
    let isNew = false
    const answer = await ask(() => {
      isNew = true
    })
    if (!isNew) noteReplay(reply)
    return JSON.stringify(answer)
  }

  route(app, 'listEnvironments', {
    async handler(request) {
      const q = readQuery(request.query)
      const [after, before] = [q.text('starting_after'), q.text('ending_before')]
      const limit = q.integer('limit', { min: 1, max: 1000, fallback: 100 })
      q.notBoth('starting_after', 'ending_before')
      q.done()
      return { environments: page(await environments.list(), { after, before, limit }) }
    },
  })

  route(app, 'getEnvironment', {
    async handler({ params }) {
      const details = await environments.info(params.env_id)
      if (details.length === 0)
        throw new Refusal('EnvNotFound', undefined, `no environment "${params.env_id}"`)
      return { name: params.env_id, details }
    },
  })

  route(app, 'createEnv', {
    handler: (request, reply) => {
      const told = toldOnce(reply, began =>
        sessions.create(asked(request), request.body, { ...retryOf(request), ...handedOver(reply), began }),
      )
      return answerWith(request, reply, told)
    },
  })

  const retryOf = (request: FastifyRequest) => ({
    idempotencyKey: shortHeader(request, 'idempotency-key'),
    isRetry: isRetry(request),
  })
  type Heard = { began(step: number): void; emit(text: string): void }
  const take = (request: Step, reply: FastifyReply, heard: Heard) => {
    const given = { ...retryOf(request), ...handedOver(reply), ...heard, signal: neverStops }
    return sessions.step(asked(request), request.body, given)
  }

  /** `next`: the number that the step will have, if those before it are taken. */
  const streamStep = async (request: Step, reply: FastifyReply, next: number) => {
    reply.hijack()
    const { raw } = reply
    const { session_id, tool_name, tool_args } = request.body
    const id = JSON.stringify(request.envelopeId)
    let sequence_number = 0
    let step = next
    let hasBegun = false
    const began = (number: number) => {
      if (hasBegun) return
      hasBegun = true
      step = number
      send('step.started', { tool_name, tool_args: tool_args ?? {} })
    }
    const send = (type: string, fields: object) => {
      const frame = { type, sequence_number: sequence_number++, session_id, step, ...fields }
      raw.write(
        `event: ${type}\ndata: ${jsonLine(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(frame)}}`)}\n\n`,
      )
    }
    const cut = () => void raw.destroy()
    const kept = openStreams.add(request, {
      beat: () => void (raw.writableNeedDrain || raw.write(heartbeat)),
      isFull: () => false,
      cut,
    })
    raw.once('close', kept.leave)
    const forget = onAbort(stopping, cut)
    raw.writeHead(200, { ...headersOf(reply), ...streamHeaders(request.raw) })
    raw.write(opening)
    try {
      const emit = (delta: string) => send('step.output.delta', { delta })
      const answer = await take(request, reply, { began, emit })
      began(answer.step) // a step that was taken before
      send('step.completed', answer)
    } catch (error) {
      const { object, fault } = errorObjectOf(error)
      if (fault) faultOf(serving, request)(error)
      send('step.failed', { error: object })
    } finally {
      forget()
      raw.end()
    }
  }

  route(app, 'stepEnv', {
    async handler(request, reply) {
      const { stream, request_id } = request.body
      if (request_id) setRequestId(request, reply, request_id)
      if (stream) {
        const { isKnown, next } = await sessions.mayStep(asked(request), request.body, retryOf(request))
        if (isKnown) noteReplay(reply)
        holdStream(serving, request, reply)
        await streamStep(request, reply, next)
        return reply
      }
      const told = toldOnce(reply, began => take(request, reply, { began, emit() {} }))
      return answerWith(request, reply, told)
    },
  })

  route(app, 'resetEnv', {
    handler(request, reply) {
      const told = toldOnce(reply, began =>
        sessions.reset(asked(request), request.body, { ...retryOf(request), ...handedOver(reply), began }),
      )
      return answerWith(request, reply, told)
    },
  })

  route(app, 'observeEnv', {
    handler: (request, reply) =>
      answerWith(request, reply, text(sessions.observe(asked(request), request.body.session_id))),
  })

  route(app, 'closeEnv', {
    async handler(request) {
      const { session_id } = request.body
      await sessions.close(asked(request), session_id)
      return { status: 'closed', message: `session ${session_id} is closed` }
    },
  })
}

type Named = { name: string }
type Page = { after: string | undefined; before: string | undefined; limit: number }

/** By name; both cursors are exclusive, and the page before one is the nearest to it. */
const page = <N extends Named>(all: N[], { after, before, limit }: Page): N[] => {
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (before !== undefined) return sorted.filter(({ name }) => name < before).slice(-limit)
  return sorted.filter(({ name }) => after === undefined || name > after).slice(0, limit)
}
