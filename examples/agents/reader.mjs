// Answers one small question, for the researcher.
import { agent } from 'reprise/agent'

export default agent(
  ctx => ctx.model(`Answer in one sentence: ${ctx.input.text}`, { timeout: 60_000, retries: 2 }),
  { description: 'Answers one question in one sentence.' },
)
