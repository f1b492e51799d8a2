// Ways between programs on this machine. Each way is a small proxy in this process, which can be cut and healed.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * A way to a port. While it is cut, its connections are broken and new ones are refused. While it is held, nothing
 * passes, and nobody learns of it.
 */
export const openWay = async (target: number) => {
  const open = new Set<Socket>()
  let isCut = false
  let isHeld = false
  const server = createServer(near => {
    if (isCut) return void near.destroy()
    const far = connect({ port: target, host: '127.0.0.1' })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.setNoDelay(true)
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.pipe(to)
      if (isHeld) from.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    heal() {
      isCut = false
    },
    hold() {
      isHeld = true
      for (const socket of open) socket.pause()
    },
    release() {
      isHeld = false
      for (const socket of open) socket.resume()
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
export type Way = Awaited<ReturnType<typeof openWay>>
