// Stands between the public kit and the server. The kit knows no tokens, so the proxy adds one; it asks for the card of the
// default agent, and gets that of its own; and its agent sees the ids of messages, which no other agent does.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Test } from 'tap'

type Message = { messageId?: string; parts?: object[] }
type Send = { message?: Message; configuration?: object }

/** A request to send a message, for the agent of the kit. A client gets data when it says that it takes only data. */
const forAgent = ({ message, configuration, ...rest }: Send): Send => {
  if (!Array.isArray(message?.parts))
    return { ...rest, ...(message && { message }), ...(configuration && { configuration }) }
  const { messageId: message_id, parts } = message
  const wantsData = message_id?.startsWith('tck-artifact-data')
  const modes = wantsData ? { acceptedOutputModes: ['application/json'] } : {}
  return {
    ...rest,
    message: { ...message, parts: [...parts, { data: { message_id } }] },
    configuration: { ...configuration, ...modes },
  }
}

const rewritten = (text: string): string => {
  try {
    const body = JSON.parse(text) as { params?: Send } & Send
    if (body.params?.message) return JSON.stringify({ ...body, params: forAgent(body.params) })
    return body.message ? JSON.stringify(forAgent(body)) : text
  } catch {
    return text
  }
}

const passed = (
  { host: _, connection: __, 'content-length': ___, ...headers }: IncomingHttpHeaders,
  token: string,
) => ({
  ...(headers as Record<string, string>),
  authorization: `Bearer ${token}`,
})

/** `agent`: the path of the kit's agent. The server is told later, since it must know the address of the proxy. */
export const kitProxy = async (t: Test, { agent, token }: { agent: string; token: string }) => {
  let target = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const { method = 'GET', url = '/', headers } = request
    const where = url.startsWith('/.well-known/') ? agent + url : url
    try {
      const answer = await fetch(target + where, {
        method,
        headers: passed(headers, token),
        signal: gone.signal,
        ...(text === '' ? {} : { body: rewritten(text) }),
      })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body === null) response.end()
      else
        Readable.fromWeb(answer.body as ReadableStream)
          .on('error', () => response.destroy())
          .pipe(response)
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url: string): void {
      target = url
    },
  }
}
