import { agent } from 'reprise/agent'

export default agent(async () => process.exit(1), {
  description: 'Ends its process.',
  parameters: { type: 'object' },
  task_support: 'required',
})
