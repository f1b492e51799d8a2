// The server of raw.mjs, at a URL or as a process.
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import type { Test } from 'tap'
import type { McpServer } from '../../../src/mcp/server.ts'
import { pause } from '../../support/http.ts'
import { listen } from './http.ts'
import { createAnswers, type RawAnswer, type RawScript, result } from './raw.mjs'

/** An answer to `tools/list` with these definitions. */
export const listOf = (tools: unknown[], more: object = {}): RawAnswer => ({
  writes: [`${result({ tools, ...more })}\n`],
})
/** The definition of a tool that nothing is odd about. */
export const plainTool = (name: string) => ({ name, inputSchema: { type: 'object', properties: {} } })

const give = async (response: ServerResponse, { writes = [], waitMs, end, status, headers }: RawAnswer) => {
  if (waitMs !== undefined) await pause(waitMs)
  response.writeHead(status ?? 200, headers ?? { 'content-type': 'application/json' })
  for (const [index, text] of writes.entries()) {
    if (index > 0) await pause(5)
    await new Promise(resolve => response.write(text, resolve))
  }
  if (end === 'break' || end === 'die') response.destroy()
  else if (end !== 'keep') response.end()
}

type Asked = { method: string; message: { method?: string; id?: unknown }; headers: Record<string, unknown> }
type Options = {
  /** Answers a request in place of the script, and returns true when it does. */
  first?: (asked: Asked, response: ServerResponse) => boolean | undefined
}

/** A server at a URL. It opens no stream of its own. */
export const rawPlace = async (t: Pick<Test, 'teardown'>, script: RawScript, { first }: Options = {}) => {
  const answerTo = createAnswers(script)
  const asked: Asked[] = []
  const { url } = await listen(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const message = body === '' ? {} : JSON.parse(body)
    const each = { method: request.method ?? '', message, headers: request.headers }
    asked.push(each)
    if (first?.(each, response) === true) return
    if (request.method !== 'POST') return response.writeHead(405).end()
    const answer = answerTo(message)
    if (answer !== undefined) return give(response, answer)
    // A request that the script does not know is never answered.
    if (message.id === undefined || message.method === undefined) response.writeHead(202).end()
  })
  const server: McpServer = { name: 's', url, headers: {}, fromCaller: false }
  return { server, url, /** The requests so far. */ asked }
}

/** A server as a process, whose script is in this folder. */
export const rawProcess = (folder: string, script: RawScript, name = 's'): McpServer => {
  const file = path.join(mkdtempSync(path.join(folder, 'raw-')), 'script.json')
  writeFileSync(file, JSON.stringify(script))
  const args = [path.join(import.meta.dirname, 'raw.mjs'), file]
  return { name, command: process.execPath, args, env: {} }
}
