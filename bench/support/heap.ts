// What the main thread of a server keeps after a collection, asked through Node's inspector, so that the server needs no
// code for it.
import { once } from 'node:events'
import WebSocket from 'ws'

export type Heap = {
  /** Collects, and returns the MiB that are still in use. */
  kept(): Promise<number>
  close(): void
}

/** For a server that was started with `--inspect=127.0.0.1:<port>`. */
export const openHeap = async (port: number): Promise<Heap> => {
  const answer = await fetch(`http://127.0.0.1:${port}/json`)
  const [{ webSocketDebuggerUrl }] = (await answer.json()) as [{ webSocketDebuggerUrl: string }]
  const socket = new WebSocket(webSocketDebuggerUrl, { perMessageDeflate: false })
  await once(socket, 'open')
  const open = new Map<number, (result: { usedSize: number }) => void>()
  socket.on('message', data => {
    const { id, result } = JSON.parse(String(data))
    open.get(id)?.(result)
    open.delete(id)
  })
  let asked = 0
  const ask = (method: string) =>
    new Promise<{ usedSize: number }>(resolve => {
      open.set(++asked, resolve)
      socket.send(JSON.stringify({ id: asked, method }))
    })
  return {
    async kept() {
      await ask('HeapProfiler.collectGarbage')
      return (await ask('Runtime.getHeapUsage')).usedSize / 2 ** 20
    },
    close: () => socket.close(),
  }
}
