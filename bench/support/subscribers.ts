// Many subscribers of a stream on raw sockets. They only search for the last event, so they use little CPU.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Subscribers = {
  /** Resolves when every subscriber has seen the marker. Then a new round begins. */
  untilLast(): Promise<void>
  close(): void
}

/**
 * `headers` of the n-th request; `first`: sent behind it; `alive`: sent every five seconds, instead of looking for
 * what has to be answered; `marker`: what the last event holds.
 */
export const subscribe = async (
  url: string,
  path: string,
  count: number,
  {
    headers,
    first,
    alive,
    marker,
  }: { headers: (n: number) => string; first?: Buffer; alive?: Buffer; marker: string },
): Promise<Subscribers> => {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  let seen = 0
  let done = () => {}
  const open = async (n: number) => {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${headers(n)}\r\n`)
    if (first !== undefined) socket.write(first)
    let tail = ''
    let isOpen = () => {}
    const opened = new Promise<void>(resolve => {
      isOpen = resolve
    })
    socket.on('data', (chunk: Buffer) => {
      isOpen()
      // The marker may begin at the end of one chunk and end in the next.
      const text = tail + chunk.subarray(-400).toString('latin1')
      if (text.includes(marker)) {
        tail = ''
        if (++seen === count) done()
      } else tail = text.slice(-marker.length)
    })
    sockets.push(socket)
    await opened
  }
  for (let n = 0; n < count; n += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - n) }, (_, i) => open(n + i)))
  }
  const timer = setInterval(() => {
    if (alive !== undefined) for (const socket of sockets) socket.write(alive)
  }, 5000)
  return {
    untilLast: () =>
      new Promise(resolve => {
        const finish = () => {
          seen = 0
          resolve()
        }
        done = finish
        if (seen === count) finish()
      }),
    close: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}
