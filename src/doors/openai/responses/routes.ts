// The routes of Responses: /v1/responses. A response is a turn of a task.
import type { FastifyRequest } from 'fastify'
import type { TaskEventData } from '../../../contract/events/task-events.ts'
import type { OpenAIResponse } from '../../../contract/openai/responses.ts'
import { Invalid, Refusal } from '../../../contract/refusals.ts'
import { isTerminal, type OutputItem, type ToolResultItem } from '../../../contract/wire.ts'
import type { Pause } from '../../../fairness/slices.ts'
import { inputsOf } from '../../../history/context.ts'
import { sendText } from '../../../http/answer/send-text.ts'
import { parametersOf } from '../../../http/request/parameters.ts'
import { readQuery } from '../../../http/request/query.ts'
import { type App, answersOf, askedOf, faultOf, readBy } from '../../../http/request/request.ts'
import { route } from '../../../http/route.ts'
import { beyond } from '../../../http/routes/task-events.ts'
import { holdStream } from '../../../http/stream/hold-stream.ts'
import { streamHeaders } from '../../../http/stream/sse.ts'
import { only } from '../../../platform/pieces.ts'
import { rowOf } from '../../answers.ts'
import { ask, type DoorDeps, nameTask } from '../../ask.ts'
import { storedBeats } from '../../follow.ts'
import { firstTurn, type TurnId } from '../../ids.ts'
import { answerTurn, eventText, sendTurn } from '../../send.ts'
import { type Beat, hasBegun } from '../../turns.ts'
import { OpenAIProblem } from '../errors.ts'
import { responseId, taskOfResponse } from './ids.ts'
import { answerShown, itemShown } from './input.ts'
import { readResponse } from './request.ts'
import { createTeller, type Teller } from './teller.ts'

const notFound = (id: string) =>
  new OpenAIProblem('response_id', `Response with id '${id}' not found.`, 'response_not_found', 404)

/** An error that names the task names the response instead: another request has deleted it in the meantime. */
const asNotFound =
  (id: string) =>
  (error: unknown): never => {
    throw error instanceof Refusal && error.reason === 'TaskNotFound' ? notFound(id) : error
  }

const noItem = new Invalid([
  { loc: ['query', 'after'], msg: 'The response has no item with this id', type: 'value_error' },
])

/** The stored part of a response, and the number of its events. Throws when there is no such response. */
const storedPart = async (
  { tasks }: DoorDeps,
  id: TurnId,
  created: TaskEventData<'TaskCreated'>,
  pause: Pause,
): Promise<{ response: OpenAIResponse; told: number }> => {
  const teller = createTeller(created, id)
  let told = 0
  for await (const beat of storedBeats(tasks, id.taskId, pause)) told += teller.tell(beat).length
  const response = teller.response()
  if (response === undefined) throw notFound(responseId(id))
  return { response, told }
}
const storedResponse = async (...of: Parameters<typeof storedPart>): Promise<OpenAIResponse> =>
  (await storedPart(...of)).response

/** The results with which a turn begins. */
const answersOfTurn = async (
  { tasks }: DoorDeps,
  { taskId, turn }: TurnId,
  pause: Pause,
): Promise<ToolResultItem[]> => {
  const results: ToolResultItem[] = []
  let isThere = false
  for await (const beat of storedBeats(tasks, taskId, pause)) {
    isThere ||= hasBegun(turn, beat)
    if (beat.turn !== turn || !beat.isAnswer || beat.frame.type !== 'task.output_item.done') continue
    results.push(beat.frame.item as ToolResultItem)
    if (beat.isLastAnswer) return results
  }
  if (isThere) return results
  throw notFound(responseId({ taskId, turn }))
}

const textOf =
  (teller: Teller, after: number) =>
  (beats: Beat[]): string =>
    beats
      .flatMap(teller.tell)
      .filter(({ sequence_number }) => sequence_number > after)
      .map(event => eventText(event, { name: event.type }))
      .join('')

export const responseRoutes = (app: App, openAi: DoorDeps): void => {
  const { tasks, agents, serving } = openAi

  /** The turn and the task of the response in a path, for a caller who may see them. */
  const found = async (request: FastifyRequest, responseId: string) => {
    const id = taskOfResponse(responseId)
    const row = id && rowOf(tasks, request.principal, id.taskId)
    if (id === undefined || row === undefined) throw notFound(responseId)
    return { id, row, created: await tasks.createdOf(tasks.streamOf(row.id)) }
  }

  route(app, 'createResponse', {
    bodyLimit: tasks.bodyLimit,
    async handler(request, reply) {
      const { body, principal } = request
      if (body.stream) holdStream(serving, request, reply)
      const own = answersOf(serving, request, reply)
      const { pause } = own
      const asked = await readResponse(body, principal, { tasks, agents, pause })
      const { id, created } = await ask(openAi, request, reply, asked)
      const teller = createTeller(created, id)
      if (body.stream) return sendTurn(openAi, request, reply, id, { textOf: textOf(teller, -1) })
      if (!body.background) {
        const finish = () => teller.response() as OpenAIResponse
        return answerTurn(openAi, request, reply, id, { take: teller.tell, finish })
      }
      const response = await storedResponse(openAi, id, created, pause)
      return sendText(reply, own.holding(JSON.stringify(response)), faultOf(serving, request))
    },
  })

  route(app, 'getResponse', {
    async handler(request, reply) {
      const q = readQuery(request.query)
      const { stream, startingAfter } = parametersOf('getResponse', q)
      q.done()
      const { id, created } = await found(request, request.params.response_id)
      const own = answersOf(serving, request, reply)
      const shown = async (pause: Pause) => {
        const part = await storedPart(openAi, id, created, pause)
        readBy(serving, request)(id.taskId)
        nameTask(reply, created)
        return part
      }
      if (!stream) {
        const textOfPart = async (pause: Pause) => JSON.stringify((await shown(pause)).response)
        const response = own.folding(pause => only(textOfPart(pause)))
        return sendText(reply, response, faultOf(serving, request))
      }
      const { told } = await shown(own.pause) // a response that does not exist is a 404, and no stream
      if (startingAfter !== undefined && startingAfter >= told) throw beyond(['query', 'starting_after'])
      if (request.method === 'HEAD') return reply.headers(streamHeaders(request.raw)).send()
      holdStream(serving, request, reply)
      const teller = createTeller(created, id)
      return sendTurn(openAi, request, reply, id, { textOf: textOf(teller, startingAfter ?? -1) })
    },
  })

  route(app, 'cancelResponse', {
    async handler(request, reply) {
      const { id, row, created } = await found(request, request.params.response_id)
      const { principal, requestId } = askedOf(request)
      const own = answersOf(serving, request, reply)
      await storedResponse(openAi, id, created, own.pause)
      if (!isTerminal(row.status)) {
        await tasks.commands.cancel(principal, row.id, requestId).catch(error => {
          // It has ended by itself in the meantime.
          if (!(error instanceof Refusal) || error.reason !== 'NotCancelable') throw error
        })
      }
      readBy(serving, request)(row.id)
      nameTask(reply, created)
      const response = await storedResponse(openAi, id, created, own.pause)
      return sendText(reply, own.holding(JSON.stringify(response)), faultOf(serving, request))
    },
  })

  route(app, 'deleteResponse', {
    async handler(request, reply) {
      const { response_id } = request.params
      const { row, created } = await found(request, response_id)
      const { principal, requestId } = askedOf(request)
      await tasks.commands.remove(principal, row.id, requestId).catch(asNotFound(response_id))
      nameTask(reply, created)
      return { id: response_id, object: 'response', deleted: true }
    },
  })

  route(app, 'listResponseInputItems', {
    async handler(request, reply) {
      const q = readQuery(request.query)
      const { limit, order, after } = parametersOf('listResponseInputItems', q)
      q.done()
      const { id, created } = await found(request, request.params.response_id)
      const own = answersOf(serving, request, reply)
      const items =
        id.turn === firstTurn
          ? inputsOf(created)
              .filter(hasContent)
              .map(item => itemShown(item, id.taskId))
          : (await answersOfTurn(openAi, id, own.pause)).map(item => answerShown(item, id.taskId))
      readBy(serving, request)(id.taskId)
      nameTask(reply, created)
      if (order === 'desc') items.reverse()
      const from = after === undefined ? 0 : items.findIndex(item => item.id === after) + 1
      if (after !== undefined && from === 0) throw noItem
      const data = items.slice(from, from + limit)
      const list = {
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: from + limit < items.length,
      }
      return sendText(reply, own.holding(JSON.stringify(list)), faultOf(serving, request))
    },
  })
}

/** A task whose conversation does not end with its user has an empty message there. */
const hasContent = (item: OutputItem): boolean => item.type !== 'message' || item.message_content.length > 0
