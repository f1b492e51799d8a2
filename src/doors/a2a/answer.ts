// Answers a call in the words of its binding.
import type { A2AStreamResponse } from '../../contract/a2a/objects.ts'
import { sendText } from '../../http/answer/send-text.ts'
import { answersOf, faultOf } from '../../http/request/request.ts'
import { followTask } from '../follow.ts'
import { answerFollowed, eventText, type Follow, sendFollowed } from '../send.ts'
import type { Call, Told } from './call.ts'
import type { Outcome } from './methods.ts'

/** How a binding writes a result, and the content type of its answers. */
export type Binding = { wrap: (result: object) => object; type: string }

type Event = { id: number; event: A2AStreamResponse }

/** Follows a task from the frame on that comes after the last one which the teller has heard. */
const follow =
  ({ deps }: Call, { taskId, teller, last }: Told, isLast: () => boolean): Follow<Event[]> =>
  place => {
    const tell = (frame: Parameters<typeof teller.tell>[0]): Event[] =>
      teller.tell(frame).map(event => ({ id: frame.sequence_number, event }))
    return followTask(deps.tasks, taskId, { after: last, tell, isLast }, place)
  }

async function* nothing(): AsyncGenerator<never> {}
/** A stream in which nothing more comes. */
const over: Follow<Event[]> = () => ({
  feed: { close() {}, whenErased() {} },
  lists: nothing,
  isOver: () => true,
})

const sendResult = ({ deps: { serving }, request, reply }: Call, result: object, { wrap, type }: Binding) => {
  const text = JSON.stringify(wrap(result))
  return sendText(reply, answersOf(serving, request, reply).holding(text), faultOf(serving, request), {
    type,
  })
}

export const answer = (call: Call, outcome: Outcome, binding: Binding): Promise<unknown> => {
  const { deps, request, reply } = call
  const { wrap, type } = binding
  if ('result' in outcome) return sendResult(call, outcome.result, binding)
  if ('rest' in outcome) {
    const { rest, shown } = outcome
    const finish = () => ({ task: rest.teller.task(shown) })
    if (rest.teller.isAtRest()) return sendResult(call, finish(), binding)
    const how = { take: () => {}, finish: () => wrap(finish()), type }
    return answerFollowed(deps, request, reply, follow(call, rest, rest.teller.isAtRest), how)
  }
  const { stream, first, isLast } = outcome
  const textOf = (events: Event[]) => events.map(({ id, event }) => eventText(wrap(event), { id })).join('')
  const rest = isLast() ? over : follow(call, stream, isLast)
  return sendFollowed(deps, request, reply, rest, {
    first: textOf(first),
    textOf: lists => textOf(lists.flat()),
  })
}
