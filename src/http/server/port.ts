// Checks whether the server can listen on its port.
import { createServer } from 'node:net'
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'

/** The most connections that may wait to be accepted while the event loop is busy. The system may allow fewer. */
export const waitingConnections = 4096

/** Explains why the server cannot listen. */
export const cannotListen = (
  host: string,
  port: number,
  { code, message }: NodeJS.ErrnoException,
): CannotStart => {
  if (code === 'EADDRINUSE') {
    const other = port < 65535 ? port + 1 : port - 1
    return new CannotStart(`port ${port} is in use: choose another port, for example PORT=${other} npm start`)
  }
  const wayOut = code === 'EACCES' ? '; choose a port above 1023' : ''
  const text = `HOST=${host} PORT=${port} is not an address on which the server can listen: ${message}${wayOut}`
  // While a machine starts, a network may be up later than the server.
  const mayCome = code === 'EADDRNOTAVAIL' || code === 'EAI_AGAIN'
  return mayCome ? new NotNow(text) : new CannotStart(text)
}

/**
 * Checks the port before the server opens any file, so that a start with a port in use changes nothing. Throws
 * CannotStart.
 */
export const checkPort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)))
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
