// Checks whether the server can listen on its port.
import { createServer } from 'node:net'
import { CannotStart } from '../contract/cannot-start.ts'

/** The most connections that may wait to be accepted while the event loop is busy. The system may allow fewer. */
export const waitingConnections = 4096

/**
 * Checks the port before the server opens any file, so that a start with a port in use changes nothing. Throws
 * CannotStart.
 */
export const checkPort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new CannotStart(
          error.code === 'EADDRINUSE'
            ? `port ${port} is in use: choose another port, for example PORT=${port < 65535 ? port + 1 : port - 1} npm start`
            : `HOST=${host} PORT=${port} is not an address on which the server can listen: ${error.message}${error.code === 'EACCES' ? '; choose a port above 1023' : ''}`,
        ),
      )
    })
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
