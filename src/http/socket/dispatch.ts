// Carries out a message of the client: authentication, a subscription, or a command. Turns an error into a message
// `error`.
import { may, roleRefused } from '../../access/roles.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import type { Text } from '../../platform/pieces.ts'
import { isFault } from '../answer/errors.ts'
import { type Closing, endOfStranger } from './closing.ts'
import { type Command, createSocketCommands } from './commands.ts'
import type { Door } from './connection-deps.ts'
import type { createHeldTasks } from './held-tasks.ts'
import type { End, Identity } from './identity.ts'
import type { Message } from './inbox.ts'
import type { Outbox } from './outbox.ts'
import { openMessage, type Said, type Unread } from './read-message.ts'
import { type createSocketSubscriptions, invalid } from './subscriptions.ts'
import type { TaskChannels } from './task-channels.ts'
import { errorText, resultText, saying } from './words.ts'

const subscribesOnly = 'this ticket only allows subscriptions'
const forCommands = 'To send commands, request a ticket with `{"for": "socket"}`.'

/** Whether the error concerns only the request id. A connection may try to authenticate again after this error. */
const isOfRequestId = (error: unknown): boolean =>
  error instanceof Invalid && error.problems.every(({ loc }) => loc[1] === 'request_id')

type Pieces = {
  identity: Identity
  closing: Pick<Closing, 'isOver'>
  end: End
  fault: (error: unknown) => void
  held: Pick<ReturnType<typeof createHeldTasks>, 'hold'>
  outbox: Pick<Outbox, 'say' | 'tell'>
  subscriptions: ReturnType<typeof createSocketSubscriptions>
  tasks: TaskChannels
}

/** Makes the function that carries out one command. It ends the connection if the caller's role may not write. */
const createCommand = (door: Door, { identity, closing, end, held, outbox, tasks }: Pieces) => {
  const { serving, sessions } = door.deps
  const carryOut = createSocketCommands(door.calls, sessions.sessions, tasks, serving.quotas)
  return (who: Principal, said: Command, free: () => void): Promise<void> | undefined => {
    const { requestId } = said
    if (!may(who.role, 'write')) return void end('forbidden', roleRefused(who.role, 'write'), requestId)
    if (!identity.mayCommand())
      throw new Refusal('Forbidden', undefined, subscribesOnly, { hint: forCommands })
    const own = serving.longAnswers.ofCaller(who, closing.isOver)
    const result = async (data: Text, replayed: boolean): Promise<boolean> => {
      await outbox.tell(own.holding(resultText(requestId, data, replayed)))
      return !closing.isOver()
    }
    const hold = (taskId: string, asked: string) => held.hold(who, taskId, asked)
    const caller = { principal: who, requestId: requestId ?? serving.newId() }
    return door.admission.run(who, async () => {
      if (closing.isOver()) return
      const shows = (taskId: string) => serving.reads.begin(who, `/ws ${said.type}`)(taskId)
      await carryOut(said, caller, { result, shows, hold, free, place: own.place(), pause: own.pause })
    })
  }
}

/** Makes the function that handles one message. It calls `free` when the message no longer counts as running. */
export const createDispatch = (door: Door, pieces: Pieces) => {
  const { serving } = door.deps
  const { identity, end, fault, outbox, subscriptions } = pieces
  const command = createCommand(door, pieces)

  const refuse = (type: string, error: unknown, requestId: string | undefined) => {
    const isOurs = isFault(error)
    // An error that the server's stop causes is expected, so it is not reported.
    if (isOurs && !serving.stopping.aborted) fault(error)
    door.count(type, isOurs ? 'failed' : 'refused')
    outbox.say(errorText(error, requestId, serving))
  }

  const authenticate = (message: Unread) => {
    const { type, fields, requestId } = door.read(message)
    if (type !== 'auth') throw new Refusal('Unauthenticated')
    const who = identity.enterWith(fields.token)
    if (who === undefined) return
    outbox.say(saying('authenticated', requestId, { user_id: who.userId ?? null, role: who.role }))
  }

  const answer = (who: Principal, said: Said, free: () => void): Promise<void> | undefined => {
    const { requestId } = said
    switch (said.type) {
      case 'ping':
        return void outbox.say(saying('pong', requestId))
      case 'auth':
        throw invalid('type', 'value_error', 'This connection has authenticated already')
      case 'subscribe':
        return subscriptions.subscribe(who, said.fields, requestId)
      case 'unsubscribe':
        return void subscriptions.unsubscribe(said.fields, requestId)
      default:
        return command(who, said, free)
    }
  }

  return async (message: Message, free: () => void): Promise<void> => {
    let type = 'unknown'
    let requestId: string | undefined
    const principal = identity.principal()
    try {
      const unread = openMessage(message)
      requestId = unread.requestId
      if (principal === undefined) return authenticate(unread)
      const said = door.read(unread)
      type = said.type
      // The token may have expired or been revoked since the connection authenticated.
      if (serving.principals.current(principal.id) === undefined) {
        return end('unauthenticated', new Refusal('Unauthenticated'), requestId)
      }
      const answered = answer(principal, said, free)
      if (answered !== undefined) await answered
      door.count(type, 'ok')
    } catch (error) {
      const mayStay = identity.principal() !== undefined || isOfRequestId(error)
      if (mayStay) refuse(type, error, requestId)
      else end(endOfStranger(error), error as Error, requestId)
    } finally {
      free()
    }
  }
}
