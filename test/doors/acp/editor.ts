// An editor of the tests: the client of ACP's own SDK, over the real process `reprise acp`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { Test } from 'tap'
import { adminToken } from '../../support/server.ts'

const bin = path.resolve(import.meta.dirname, '../../../bin/reprise.mjs')
/** A folder of a project, as editors name it. */
export const cwd = '/home/me/project'

/** Starts `reprise acp`. It ends with the test. */
export const spawnAcp = (t: Test, args: string[] = [], env: Record<string, string> = {}): ChildProcess => {
  const child = spawn(process.execPath, [bin, 'acp', ...args], {
    env: { PATH: process.env.PATH, ADMIN_TOKEN: adminToken, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return child
}

type Does = {
  permit?: (request: RequestPermissionRequest) => RequestPermissionOutcome | Promise<RequestPermissionOutcome>
  elicit?: (request: CreateElicitationRequest) => CreateElicitationResponse
  files?: Map<string, string>
  /** Runs a command. Resolves when it has ended. */
  command?: (command: string) => Promise<void>
  capabilities?: ClientCapabilities
}

export const chooses = (optionId: string): RequestPermissionOutcome => ({ outcome: 'selected', optionId })

/** An editor that has connected to `reprise acp`. `does`: what it does when it is asked. */
export const openEditor = async (
  t: Test,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> },
  does: Does = {},
) => {
  const child = spawnAcp(t, args, env)
  let stderr = ''
  child.stderr?.on('data', piece => (stderr += piece))
  const updates: SessionNotification[] = []
  const permissions: RequestPermissionRequest[] = []
  const files = does.files ?? new Map<string, string>()
  const commands: { name: string; ended: Promise<void> }[] = []
  const app = client({ name: 'editor of the tests' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      permissions.push(params)
      if (does.permit === undefined) throw new Error('no permission is expected')
      return { outcome: await does.permit(params) }
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      if (does.elicit === undefined) throw new Error('no form is expected')
      return does.elicit(params)
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      const content = files.get(params.path)
      if (content === undefined) throw new Error(`there is no ${params.path}`)
      return { content }
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      files.set(params.path, params.content)
      return {}
    })
    .onRequest(methods.client.terminal.create, ({ params: { command } }) => {
      if (does.command === undefined) throw new Error('no command is expected')
      const length = commands.push({ name: command, ended: does.command(command) })
      return { terminalId: String(length - 1) }
    })
    .onRequest(methods.client.terminal.waitForExit, async ({ params }) => {
      await commands[Number(params.terminalId)]?.ended
      return { exitCode: 0 }
    })
    .onRequest(methods.client.terminal.output, () => ({ output: 'made', truncated: false }))
    .onRequest(methods.client.terminal.kill, () => ({}))
    .onRequest(methods.client.terminal.release, () => ({}))
  const connection = app.connect(
    ndJsonStream(
      Writable.toWeb(child.stdin as Writable) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout as Readable) as ReadableStream<Uint8Array>,
    ),
  )
  const { agent } = connection
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: does.capabilities ?? {},
  })
  return {
    agent,
    child,
    initialized,
    updates,
    permissions,
    commands: () => commands.map(({ name }) => name),
    stderr: () => stderr,
    newSession: async () =>
      (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId,
    load: (sessionId: string) =>
      agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] }),
    prompt: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId: string) => agent.notify(methods.agent.session.cancel, { sessionId }),
    /** Kills `reprise acp`, as an editor that is killed takes it with it. */
    async kill() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}
export type Editor = Awaited<ReturnType<typeof openEditor>>

/** The text of the chunks of a kind. */
export const textOf = (
  updates: readonly { update: SessionUpdate }[],
  kind: SessionUpdate['sessionUpdate'] = 'agent_message_chunk',
): string =>
  updates
    .flatMap(({ update }) => {
      if (update.sessionUpdate !== kind || !('content' in update)) return []
      const { content } = update
      return content && 'text' in content ? [content.text] : []
    })
    .join('')

/** The kinds of updates in order; equal ones that follow each other count once. */
export const kindsOf = (updates: readonly { update: SessionUpdate }[]): string[] =>
  updates.map(({ update }) => update.sessionUpdate).filter((kind, n, all) => kind !== all[n - 1])
