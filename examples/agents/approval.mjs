// An approval as a statechart: it waits for a week for somebody who approves or refuses, and books what is approved.
import { machineAgent } from 'reprise/agent'
import { assign, setup } from 'xstate'

const day = 86_400_000

/** A side effect of our own. It gets what the chart gives, and runs once. */
const book = async ({ url, what }) => {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ what }) })
  if (!answer.ok) throw new Error(`the booking answers ${answer.status}`)
  return answer.json()
}

const says =
  word =>
  ({ event }) =>
    event.text.startsWith(word)

const chart = setup({ delays: { week: ({ context }) => context.days * day } }).createMachine({
  id: 'approval',
  context: ({ input: { text, config } }) => ({
    what: text,
    days: config.days ?? 7,
    url: config.url,
    answer: '',
  }),
  initial: 'waiting',
  states: {
    waiting: {
      // A message of the user is the event `message`.
      on: {
        message: [
          { guard: says('approve'), target: 'booking' },
          { guard: says('refuse'), target: 'over', actions: assign({ answer: 'Refused.' }) },
        ],
      },
      after: { week: { target: 'over', actions: assign({ answer: 'Nobody has answered.' }) } },
    },
    booking: {
      invoke: {
        src: 'run:book',
        input: ({ context: { url, what } }) => ({ url, what }),
        onDone: {
          target: 'over',
          actions: assign({ answer: ({ event }) => `Booked: ${event.output.number}` }),
        },
        onError: {
          target: 'over',
          actions: assign({ answer: ({ event }) => `Not booked: ${event.error.message}` }),
        },
      },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => context.answer,
})

export default machineAgent(chart, {
  run: { book },
  description: 'Books what somebody approves within a week.',
})
