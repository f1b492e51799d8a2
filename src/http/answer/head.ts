// Sets or writes the head of an answer: through Fastify, through a response object, or as lines for a bare socket.
import type { FastifyReply } from 'fastify'
import { everyAnswer } from '../../contract/answer-headers.ts'

export const everyAnswerHeaders: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(everyAnswer).map(([name, { value }]) => [name, value]),
)

/** The headers of every answer, as lines for a head that the server writes without Fastify. */
export const everyAnswerLines: readonly string[] = Object.entries(everyAnswerHeaders).map(
  ([name, value]) => `${name}: ${value}`,
)

/** Gives an answer the headers that every answer has. */
export const setHeaders = (reply: FastifyReply): void => void reply.headers(everyAnswerHeaders)

/** The headers that were set on a reply, for a head that the server writes without Fastify. */
const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )

/** Writes the head of an answer without Fastify: the headers that were set on the reply, and `headers`. */
export const writeHead = (reply: FastifyReply, headers: Record<string, string>): void =>
  void reply.raw.writeHead(200, { ...headersOf(reply), ...headers })
