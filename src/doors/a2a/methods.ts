// The methods of A2A. Each of them answers with an object, with a task when it rests, or with a stream.
import type { TSchema } from 'typebox'
import { may, roleRefused } from '../../access/roles.ts'
import type { A2AStreamResponse, A2ATask } from '../../contract/a2a/objects.ts'
import {
  CreatePushConfigRequest,
  ExtendedCardRequest,
  GetTaskRequest,
  ListPushConfigsRequest,
  ListTasksRequest,
  OnePushConfigRequest,
  OneTaskRequest,
  SendMessageRequest,
} from '../../contract/a2a/requests.ts'
import { Invalid } from '../../contract/refusals.ts'
import { isTerminal } from '../../contract/wire.ts'
import { askedOf } from '../../http/request/request.ts'
import { bodyValidator } from '../../http/request/validate.ts'
import { holdStream } from '../../http/stream/hold-stream.ts'
import { nameTask } from '../ask.ts'
import { type Call, pauseOf, rowOfTask, type Told, tellTask } from './call.ts'
import { A2AProblem } from './errors.ts'
import { listTasks } from './list.ts'
import { takeMessage } from './message.ts'
import { type Method, methods } from './names.ts'
import { createPush, deletePush, getPush, listPushes } from './push.ts'
import type { Shown } from './teller.ts'

/**
 * How a call is answered. `rest`: with the task when it has ended or waits for its client. `stream`: with its events; `first`
 * come before those of further frames, and the stream ends when `isLast` is true after a frame.
 */
export type Outcome =
  | { result: object }
  | { rest: Told; shown: Shown }
  | { stream: Told; first: { id: number; event: A2AStreamResponse }[]; isLast: () => boolean }

const inStream = ({ teller, last }: Told) => [{ id: last, event: { task: teller.task() } }]

/** The number in `Last-Event-ID`, after which a stream goes on; undefined: it begins with the task. */
const lastSeen = ({ request: { headers } }: Call): number | undefined => {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given)
  const msg = 'Give the id of an event of this stream'
  throw new Invalid([{ loc: ['header', 'last-event-id'], msg, type: 'value_error' }])
}

/** Tells a task that the answer names in its headers. */
const toldOf = async (call: Call, id: string, until?: number): Promise<Told> => {
  const told = await tellTask(call, id, pauseOf(call), until)
  const { contextId: session_id } = told.teller.task({ historyLength: 0, withArtifacts: false })
  nameTask(call.reply, { task_id: id, session_id })
  return told
}

const subscribe = async (call: Call, { id }: OneTaskRequest): Promise<Outcome> => {
  const { deps, request, reply } = call
  const row = rowOfTask(call, id)
  const seen = lastSeen(call)
  if (seen === undefined && isTerminal(row.status))
    throw new A2AProblem(
      'UNSUPPORTED_OPERATION',
      `The task is ${row.status}: get it, nothing more will come`,
      {
        taskId: id,
      },
    )
  holdStream(deps.serving, request, reply)
  const told = await toldOf(call, id, seen)
  return { stream: told, first: seen === undefined ? inStream(told) : [], isLast: told.teller.isOver }
}

const cancel = async (call: Call, { id }: OneTaskRequest): Promise<A2ATask> => {
  const row = rowOfTask(call, id)
  if (isTerminal(row.status))
    throw new A2AProblem('TASK_NOT_CANCELABLE', `The task is ${row.status} already`, { taskId: id })
  const { principal, requestId } = askedOf(call.request)
  await call.deps.tasks.commands.cancel(principal, id, requestId)
  return (await toldOf(call, id)).teller.task()
}

const noExtendedCard = (): never => {
  throw new A2AProblem('UNSUPPORTED_OPERATION', 'Agents have no extended cards: the card says everything')
}

/** A method with the schema of its parameters. */
const defined = <S extends TSchema>(
  schema: S,
  run: (call: Call, params: ReturnType<typeof read<S>>) => Promise<Outcome>,
) => {
  const check = bodyValidator(schema)
  return { schema, run: (call: Call, params: unknown): Promise<Outcome> => run(call, check(params)) }
}
const read = <S extends TSchema>(schema: S) => bodyValidator(schema)({})
const result = async (found: Promise<object>): Promise<Outcome> => ({ result: await found })

export const definitions: Record<Method, ReturnType<typeof defined>> = {
  SendMessage: defined(SendMessageRequest, async (call, body) => {
    const told = await takeMessage(call, body)
    const { historyLength, returnImmediately } = body.configuration ?? {}
    if (returnImmediately) return { result: { task: told.teller.task({ historyLength }) } }
    return { rest: told, shown: { historyLength } }
  }),
  SendStreamingMessage: defined(SendMessageRequest, async (call, body) => {
    holdStream(call.deps.serving, call.request, call.reply)
    const told = await takeMessage(call, body)
    return { stream: told, first: inStream(told), isLast: told.teller.isAtRest }
  }),
  GetTask: defined(GetTaskRequest, async (call, { id, historyLength }) => {
    rowOfTask(call, id)
    return { result: (await toldOf(call, id)).teller.task({ historyLength }) }
  }),
  ListTasks: defined(ListTasksRequest, (call, query) => result(listTasks(call, query))),
  CancelTask: defined(OneTaskRequest, (call, asked) => result(cancel(call, asked))),
  SubscribeToTask: defined(OneTaskRequest, subscribe),
  CreateTaskPushNotificationConfig: defined(CreatePushConfigRequest, (call, config) =>
    result(createPush(call, config)),
  ),
  GetTaskPushNotificationConfig: defined(OnePushConfigRequest, (call, asked) => result(getPush(call, asked))),
  ListTaskPushNotificationConfigs: defined(ListPushConfigsRequest, (call, asked) =>
    result(listPushes(call, asked)),
  ),
  DeleteTaskPushNotificationConfig: defined(OnePushConfigRequest, (call, asked) =>
    result(deletePush(call, asked)),
  ),
  GetExtendedAgentCard: defined(ExtendedCardRequest, noExtendedCard),
}

/** Runs a method for a caller whose role allows it. */
export const run = (call: Call, method: Method, params: unknown): Promise<Outcome> => {
  const access = methods[method]
  const { role } = call.request.principal
  if (!may(role, access)) throw roleRefused(role, access)
  lastSeen(call) // also where it has no effect: a wrong one is a mistake
  return definitions[method].run(call, params)
}
