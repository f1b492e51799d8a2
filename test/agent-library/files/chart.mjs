import { createMachine } from 'xstate'

export default createMachine({
  id: 'door',
  initial: 'closed',
  states: { closed: { on: { open: 'opened' } }, opened: { type: 'final' } },
  output: () => 'opened',
})
