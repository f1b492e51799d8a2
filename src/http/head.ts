// The head of an answer, whichever way it leaves.
import type { FastifyReply } from 'fastify'
import { everyAnswer } from '../contract/answer-headers.ts'

const values = Object.fromEntries(Object.entries(everyAnswer).map(([name, { value }]) => [name, value]))

/** Headers of every answer, as lines of a head that is written by hand. */
export const everyAnswerLines: readonly string[] = Object.entries(values).map(
  ([name, value]) => `${name}: ${value}`,
)

/** Gives an answer the headers that every answer has. */
export const setHeaders = (reply: FastifyReply): void => void reply.headers(values)

/** What was set on a reply that is now written by hand. */
const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )

/** Writes the head of an answer that Fastify has handed over: what was set on it, and these headers. */
export const writeHead = (reply: FastifyReply, headers: Record<string, string>): void =>
  void reply.raw.writeHead(200, { ...headersOf(reply), ...headers })
