// The SDK works on all messages of an editor at once. What an editor sends together with `initialize` would be refused, because the
// answer is made later, so it is held until then.
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

const isInitialize = (message: AnyMessage): boolean =>
  'method' in message &&
  message.method === 'initialize' &&
  'id' in message &&
  ['string', 'number'].includes(typeof message.id)

/** The stream, on which no message comes before the answer to the `initialize` ahead of it. */
export const inOrder = ({ readable, writable }: Stream): Stream => {
  let initialized = Promise.resolve()
  let answered = () => {}
  const held = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      await initialized
      if (isInitialize(message))
        initialized = new Promise(resolve => {
          answered = resolve
        })
      controller.enqueue(message)
    },
  })
  const writer = writable.getWriter()
  const told = new WritableStream<AnyMessage>({
    async write(message) {
      await writer.write(message)
      if (!('method' in message)) answered()
    },
    close: () => writer.close(),
    abort: reason => writer.abort(reason),
  })
  return { readable: readable.pipeThrough(held), writable: told }
}
