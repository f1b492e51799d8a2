// Sends a reply: with its pauses, with its end, no faster than the client reads.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { End } from './frames.ts'
import type { Reply } from './reply.ts'

const end = (response: ServerResponse, how: End): void => {
  if (how === 'close') response.end()
  if (how === 'break') response.socket?.destroySoon()
}

/** Rejects when `signal` aborts because the client has gone. */
export const sendReply = async (
  response: ServerResponse,
  { delay, status, headers, frames }: Reply,
  signal: AbortSignal,
): Promise<void> => {
  if (delay > 0) await sleep(delay, undefined, { signal })
  response.writeHead(status, headers)
  response.flushHeaders()
  for (const frame of frames) {
    if (typeof frame === 'string' || Buffer.isBuffer(frame)) {
      if (!response.write(frame)) await once(response, 'drain', { signal })
    } else if ('pause' in frame) await sleep(frame.pause, undefined, { signal })
    else return end(response, frame.end)
  }
  end(response, 'close')
}

export const sendJson = (
  response: ServerResponse,
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** An error of the fake model itself, in the form that the clients of every protocol read. */
export const sendError = (
  response: ServerResponse,
  { status, message, headers = {} }: { status: number; message: string; headers?: Record<string, string> },
): void => sendJson(response, { error: { message } }, { status, headers })
