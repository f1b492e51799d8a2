// The answer to a command shows a task, even when the command has changed nothing. So the answer is recorded as a read.
import type { Serving } from '../doors.ts'
import { type App, readBy } from '../request/request.ts'

export const recordCommands = (app: App, serving: Pick<Serving, 'reads'>): void => {
  app.addHook('onRequest', (request, { raw }, done) => {
    const { task_id } = (request.params ?? {}) as { task_id?: string }
    if (request.routeOptions.config.access === 'write' && task_id !== undefined)
      raw.once('close', () => {
        if (raw.headersSent && raw.statusCode === 200) readBy(serving, request)(task_id)
      })
    done()
  })
}
