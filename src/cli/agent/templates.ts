// The files that `reprise agent new` writes. Each of them runs as it is, and says in comments what may be changed.

const ofFunction = (
  name: string,
): string => `// The agent ${name}. The server stores each call of ctx before it is made, and each result before this code gets it. After a crash
// the code runs again from its beginning, gets the stored results, and goes on.
import { agent } from 'reprise/agent'

export default agent(
  async ctx => {
    // A model answers. Its text appears in the output while it comes.
    const draft = await ctx.model(\`Answer in one sentence: \${ctx.input.text}\`)

    // A side effect of your own runs once, and its result is stored. With { safe: true } it may run twice after a crash:
    // write this for what only reads.
    const number = await ctx.run('note', () => draft.length, { safe: true })

    // A question to a human or a program. The answer may take days: no process needs to run meanwhile.
    const answer = await ctx.ask('may_i_send', { draft, number })

    return answer === 'yes' ? draft : 'Nothing was sent.'
  },
  { description: 'Writes an answer, and asks a human before it is given.' },
)
`

const ofMachine = (
  name: string,
): string => `// The agent ${name}, as a statechart of XState. The server stores each of its moves, so it goes on after a crash where it was. A delay
// is a timer that no restart stops.
import { machineAgent } from 'reprise/agent'
import { assign, setup } from 'xstate'

// A side effect of your own: it runs once, and its result is stored.
const note = ({ draft }) => ({ length: draft.length })

const chart = setup({}).createMachine({
  id: '${name}',
  context: ({ input }) => ({ question: input.text, draft: '' }),
  initial: 'writing',
  states: {
    // A model answers.
    writing: {
      invoke: {
        src: 'model',
        input: ({ context }) => \`Answer in one sentence: \${context.question}\`,
        onDone: { target: 'noting', actions: assign({ draft: ({ event }) => event.output }) },
      },
    },
    noting: {
      invoke: { src: 'run:note', input: ({ context }) => ({ draft: context.draft }), onDone: 'asking' },
    },
    // A human answers within a week, or nothing is sent.
    asking: {
      invoke: {
        src: 'ask:may_i_send',
        input: ({ context }) => ({ draft: context.draft }),
        onDone: [{ guard: ({ event }) => event.output === 'yes', target: 'sent' }, { target: 'kept' }],
      },
      after: { 604800000: 'kept' },
    },
    sent: { type: 'final' },
    kept: { type: 'final', entry: assign({ draft: 'Nothing was sent.' }) },
  },
  output: ({ context }) => context.draft,
})

export default machineAgent(chart, {
  run: { note },
  description: 'Writes an answer, and asks a human before it is given.',
})
`

const ofPython = (
  name: string,
): string => `"""The agent ${name}. The server stores each call of ctx before it is made, and each result before this code gets it. After a crash
the code runs again from its beginning, gets the stored results, and goes on."""

from reprise_agent import agent


@agent(description="Writes an answer, and asks a human before it is given.")
async def main(ctx):
    # A model answers. Its text appears in the output while it comes.
    draft = await ctx.model(f"Answer in one sentence: {ctx.input.text}")

    # A side effect of your own runs once, and its result is stored. With safe=True it may run twice after a crash: write
    # this for what only reads.
    number = await ctx.run("note", lambda: len(draft), safe=True)

    # A question to a human or a program. The answer may take days: no process needs to run meanwhile.
    answer = await ctx.ask("may_i_send", {"draft": draft, "number": number})

    return draft if answer == "yes" else "Nothing was sent."
`

/** The forms of a new agent, with the ending of the file. */
export const templates = {
  function: { ending: '.mjs', text: ofFunction },
  machine: { ending: '.mjs', text: ofMachine },
  python: { ending: '.py', text: ofPython },
} as const
