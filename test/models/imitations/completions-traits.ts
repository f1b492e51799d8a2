// Changes of chat completions that the traits of several vendors are made of.
import type { Change } from '../../../src/fake-model/change.ts'
import { eachEvent, without } from '../../../src/fake-model/faults/fault.ts'
import { faultNamed } from '../../../src/fake-model/faults/faults.ts'
import { isEvent, type Step } from '../../../src/fake-model/frames.ts'
import type { Event } from '../../../src/fake-model/protocols/protocol.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import type { Trait } from './imitation.ts'

const choicesChanged = (data: unknown, change: (choice: Fields) => Fields): Fields => ({
  ...fieldsOf(data),
  choices: listOf(fieldsOf(data).choices).map(fieldsOf).map(change),
})
/** Changes each choice, streamed or whole, and each chunk or body around it. */
export const eachChoice = (
  choice: (choice: Fields) => Fields,
  around: (chunk: Fields) => Fields = chunk => chunk,
): Change => ({
  steps: eachEvent(event => [
    event.is === 'done' || typeof event.data === 'string'
      ? event
      : { ...event, data: around(choicesChanged(event.data, choice)) },
  ]),
  body: body => around(choicesChanged(body, choice)),
})

/** The steps with these before them. */
export const after = (...first: Step[]): NonNullable<Change['steps']> =>
  function* (steps) {
    yield* first
    yield* steps
  }

const stepsOfFault = (name: string): NonNullable<Change['steps']> => {
  const steps = faultNamed(name)?.steps
  if (steps === undefined) throw new Error(`no fault ${name} changes events`)
  return steps
}
/** Calls come whole, in one piece each, without an index. */
export const wholeCalls: Change = {
  steps: (steps, protocol) =>
    stepsOfFault('index-missing')(stepsOfFault('call-in-one-piece')(steps, protocol), protocol),
}
/** Calls come whole, in one piece each. */
export const callsInOnePiece: Change = { steps: stepsOfFault('call-in-one-piece') }

const pieceIn = ({ data }: Event): Fields =>
  fieldsOf(listOf(fieldsOf(fieldsOf(listOf(fieldsOf(data).choices)[0]).delta).tool_calls)[0])
/** The first piece of a call has the first piece of its arguments too. */
export const argumentsWithName: Change = {
  steps: function* (steps) {
    let head: Event | undefined
    for (const step of steps) {
      if (isEvent(step) && step.is === 'call') {
        head = step
        continue
      }
      if (head !== undefined && isEvent(step) && step.is === 'arguments') {
        const call = pieceIn(head)
        const { arguments: text } = fieldsOf(pieceIn(step).function)
        const joined = { ...call, function: { ...fieldsOf(call.function), arguments: text } }
        const data = choicesChanged(head.data, choice => ({ ...choice, delta: { tool_calls: [joined] } }))
        yield { ...head, data }
      } else {
        if (head !== undefined) yield head
        yield step
      }
      head = undefined
    }
    if (head !== undefined) yield head
  },
}

const unthinking = (choice: Fields): Fields => {
  const hidden = ['reasoning', 'reasoning_content', 'reasoning_details']
  const message = Object.entries(fieldsOf(choice.message)).filter(([name]) => !hidden.includes(name))
  return { ...choice, message: Object.fromEntries(message) }
}
/** Models of OpenAI think, but do not show their thoughts in Chat Completions. */
export const hiddenReasoning: Trait = {
  about: 'no reasoning in Chat Completions, although the model thinks',
  source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens',
  steps: (steps, protocol) => (protocol === 'chat' ? without(['reasoning', 'seal'])(steps, protocol) : steps),
  body: (body, protocol) => (protocol === 'chat' ? choicesChanged(body, unthinking) : body),
}
