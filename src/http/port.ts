// The port of the server, and the reason when it cannot be used.
import { createServer } from 'node:net'
import { CannotStart } from '../contract/cannot-start.ts'

/** Connections that may wait to be accepted while the event loop is busy; the system may allow fewer. */
export const waitingConnections = 4096

/** Checks the port before anything is opened, so that a taken port changes nothing. Throws CannotStart. */
export const checkPort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new CannotStart(
          error.code === 'EADDRINUSE'
            ? `port ${port} is in use: PORT=${port < 65535 ? port + 1 : port - 1} npm start`
            : `HOST=${host} PORT=${port} cannot be listened on: ${error.message}${error.code === 'EACCES' ? '; take a port above 1023' : ''}`,
        ),
      )
    })
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
