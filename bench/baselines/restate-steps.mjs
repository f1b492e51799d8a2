// The function of twenty steps as a service of Restate. Runs in a folder that has the package @restatedev/restate-sdk. Prints a line
// when it listens at PORT.
import { serve, service } from '@restatedev/restate-sdk'
import { twenty } from './twenty-steps.ts'

const steps = service({
  name: 'twenty',
  handlers: { run: ctx => twenty({ run: (name, step) => ctx.run(name, step) }) },
})
await serve({ services: [steps], port: Number(process.env.PORT) })
