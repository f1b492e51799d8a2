import { createMachine, fromCallback } from 'xstate'

export default createMachine({
  id: 'listens',
  initial: 'on',
  states: { on: { invoke: { src: fromCallback(() => {}) } } },
})
