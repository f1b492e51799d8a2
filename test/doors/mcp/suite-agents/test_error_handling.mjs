import { agent } from 'reprise/agent'

export default agent(
  async () => {
    throw new Error('This tool intentionally returns an error for testing')
  },
  { description: 'Fails.', parameters: { type: 'object' } },
)
