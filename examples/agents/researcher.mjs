// Splits a question, lets an agent answer each part at the same time, and writes one answer.
import { agent } from 'reprise/agent'

const schema = {
  type: 'object',
  properties: { questions: { type: 'array', items: { type: 'string' } } },
  required: ['questions'],
}

export default agent(
  async ctx => {
    const split = `Split this question into at most four smaller ones: ${ctx.input.text}`
    const { questions } = await ctx.model(split, { schema, silent: true })
    // Each call is a task of its own. One that fails does not stop the others.
    const answers = await Promise.allSettled(questions.map(question => ctx.agent('reader', question)))
    const notes = answers.map(({ value, reason }, n) => `${questions[n]} ${value ?? `(${reason.message})`}`)
    return ctx.model(`Answer from these notes: ${ctx.input.text}\n${notes.join('\n')}`)
  },
  { description: 'Answers a question with several agents at the same time.' },
)
