import { agent } from 'reprise/agent'

export default agent(async () => 'Nothing is logged to clients.', {
  description: 'Answers without log messages.',
  parameters: { type: 'object' },
})
