// The function of twenty steps as a workflow of DBOS on PostgreSQL. Runs in a folder that has the package @dbos-inc/dbos-sdk. For each
// line of standard input, a number of milliseconds, it runs workflows for so long and prints how many there were.
import { createInterface } from 'node:readline'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { twenty } from './twenty-steps.ts'

const { DBOS_URL: systemDatabaseUrl, AT_ONCE: atOnce = '16' } = process.env
DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error', runAdminServer: false })
const workflow = DBOS.registerWorkflow(() => twenty({ run: (name, step) => DBOS.runStep(step, { name }) }), {
  name: 'twenty',
})
await DBOS.launch()
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  let count = 0
  const until = performance.now() + Number(line)
  await Promise.all(
    Array.from({ length: Number(atOnce) }, async () => {
      for (; performance.now() < until; count++) await workflow()
    }),
  )
  process.stdout.write(`${count}\n`)
}
process.exit(0)
