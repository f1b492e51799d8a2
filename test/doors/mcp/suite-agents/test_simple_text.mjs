import { agent } from 'reprise/agent'

export default agent(async () => 'This is a simple text response for testing.', {
  description: 'Answers with a text.',
  parameters: { type: 'object' },
})
