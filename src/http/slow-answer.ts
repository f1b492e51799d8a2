// An answer that may take long. The first ten seconds are plain; then status and headers leave and a space
// every ten seconds keeps read timeouts alive until the JSON follows. After the first space the only way to
// fail is to break the connection: the caller sees a broken read, never half an answer.
import type { FastifyReply } from 'fastify'
import { Refusal } from '../contract/refusals.ts'

const patienceMs = 10_000

/** Answers with `ready`'s text. `stopping` is the server going down. */
export const answerWhenReady = async (
  reply: FastifyReply,
  ready: Promise<string>,
  stopping: AbortSignal,
): Promise<unknown> => {
  let stopWaiting = () => {}
  const slow = new Promise<'slow' | 'stopping'>(resolve => {
    const timer = setTimeout(() => resolve('slow'), patienceMs)
    timer.unref()
    const stop = () => resolve('stopping')
    stopping.addEventListener('abort', stop, { once: true })
    stopWaiting = () => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', stop)
    }
  })
  const first = await Promise.race([ready.then(text => ({ text })), slow]).finally(() => stopWaiting())
  if (typeof first === 'object') return reply.type('application/json; charset=utf-8').send(first.text)
  if (first === 'stopping') {
    ready.catch(() => {})
    void reply.header('connection', 'close')
    throw new Refusal('ShuttingDown')
  }

  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { ...headersOf(reply), 'content-type': 'application/json; charset=utf-8' })
  raw.write(' ')
  const beat = setInterval(() => raw.write(' '), patienceMs)
  const breakOff = () => raw.destroy()
  stopping.addEventListener('abort', breakOff, { once: true })
  try {
    raw.end(await ready)
  } catch {
    raw.destroy()
  } finally {
    clearInterval(beat)
    stopping.removeEventListener('abort', breakOff)
  }
  return reply
}

/** What the hooks have set on a reply that is now written by hand. */
export const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
