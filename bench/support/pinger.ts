// Measures how long other clients wait: a thread of its own sends GET /healthz again and again on one connection, so
// that the work of the measurement itself delays no answer.
import { Worker } from 'node:worker_threads'

const code = `
const { connect } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const { host, port, pauseMs } = workerData
const socket = connect({ host, port, noDelay: true })
const request = 'GET /healthz HTTP/1.1\\r\\nHost: ' + host + '\\r\\n\\r\\n'
let times = []
let since = 0
let text = ''
const ask = () => {
  since = performance.now()
  socket.write(request)
}
socket.on('connect', ask)
socket.on('data', chunk => {
  text += chunk
  if (!text.includes('"ok"}')) return
  text = ''
  times.push(performance.now() - since)
  setTimeout(ask, pauseMs)
})
socket.on('error', () => {})
parentPort.on('message', () => {
  // A request without an answer counts with the time that it has waited so far.
  parentPort.postMessage([...times, since === 0 ? 0 : performance.now() - since])
  times = []
})
`

export type Pinger = {
  /** Resolves to the waits since the last call, in milliseconds. */
  waits(): Promise<number[]>
  stop(): Promise<unknown>
}

export const startPinger = (url: string, pauseMs = 2): Pinger => {
  const { hostname: host, port } = new URL(url)
  const worker = new Worker(code, { eval: true, workerData: { host, port: Number(port), pauseMs } })
  return {
    waits: () =>
      new Promise(resolve => {
        worker.once('message', resolve)
        worker.postMessage('')
      }),
    stop: () => worker.terminate(),
  }
}
