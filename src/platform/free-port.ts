import { createServer } from 'node:net'

/** Systems give other ports than these to programs that ask for any port, and to outgoing connections. */
const [first, count] = [20_000, 12_000]

/** Resolves to a free port. It stays free until a program asks for exactly this port. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise(resolve => server.close(resolve))
    return port
  }
}
