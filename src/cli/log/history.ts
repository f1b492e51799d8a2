// reprise history: prints the stored events of one task, environment session, webhook or cron job from the log file,
// one event on each line.
import { readConfig } from '../../config.ts'
import { cronStream } from '../../contract/events/cron-events.ts'
import { envSessionStream } from '../../contract/events/env-session-events.ts'
import { webhookStream } from '../../contract/events/webhook-events.ts'
import type { Recorded } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { fitted, type Printer, type Style } from '../terminal/printer.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { openLogOf } from './folder.ts'
import { readingOf } from './reading.ts'

const styles: Record<string, Style> = { TaskFailed: 'red', AgentError: 'red', AgentStepAbandoned: 'red' }

const rowOf = (printer: Printer, event: Recorded): string => {
  const { position, header } = event
  const { revision, time, type } = header
  const place = `${String(position).padStart(7)} ${String(revision).padStart(5)}  ${time}  `
  const name = type.padEnd(18)
  const reading = fitted(`${place}${name}  `, readingOf(event), process.stdout)
  return `${printer.paint(place, 'dim')}${printer.paint(name, styles[type] ?? 'plain')}  ${reading}`
}

export const history = async (id: string, options: Common): Promise<void> => {
  const config = readConfig(process.env)
  const printer = openTerminal(options)
  const log = openLogOf(config)
  try {
    const stream = [taskStream(id), envSessionStream(id), webhookStream(id), cronStream(id)].find(
      name => log.revisionOf(name) >= 0,
    )
    if (stream === undefined) {
      throw new NoAnswer(
        `no task, environment session, webhook or cron job has the id ${id} in ${config.dataDir}`,
      )
    }
    for await (const page of log.readStream(stream)) {
      const rows = page.map(event => (options.json ? JSON.stringify(event) : rowOf(printer, event)))
      if (!(await printer.rows(rows))) return // the reader closed the pipe
    }
  } finally {
    await log.close()
  }
}
