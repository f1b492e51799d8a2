// The door of WebSockets by itself, with limits and times of the test's choosing, on the real system of a server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { openFeed } from '../../../src/bus/feed.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import { wholeLoop } from '../../../src/fairness/loop-shares.ts'
import { createAdmission } from '../../../src/http/admission.ts'
import { createBodyBudget } from '../../../src/http/body/budget.ts'
import { createLongAnswers } from '../../../src/http/long-answers.ts'
import { createOpenStreams } from '../../../src/http/open-streams.ts'
import { openSocketDoor, type SocketLimits, usualLimits } from '../../../src/http/socket/door.ts'
import type { SocketParts } from '../../../src/http/socket/door-parts.ts'
import { createRequestCounts } from '../../../src/metrics/request-counts.ts'
import { adminToken, type serveHere } from '../../support/server.ts'
import { admin } from '../../support/system.ts'

type Wish = {
  limits?: Partial<SocketLimits>
  /** Of the look at every open stream, milliseconds. */
  tickMs?: number
  budget?: number
  parts?: Partial<SocketParts>
}

export const doorHere = async (
  t: Test,
  { system }: Pick<Awaited<ReturnType<typeof serveHere>>, 'system'>,
  { limits = {}, tickMs = 1000, budget, parts = {} }: Wish = {},
) => {
  const faults: unknown[] = []
  const stopping = new AbortController()
  const principals = {
    authenticate: (token: string) => (token === adminToken ? admin : undefined),
    current: () => admin,
  } as unknown as SocketParts['principals']
  const tickets = { redeem: () => undefined, sit: () => () => {} } as unknown as SocketParts['tickets']
  const openStreams = createOpenStreams({ principals, tickets }, tickMs)
  const requests = createRequestCounts()
  const { log } = system
  const server = createServer()
  openSocketDoor(
    server,
    {
      commands: system.commands,
      queries: system.queries,
      recall: system.recall,
      sessions: system.environments.sessions,
      events: system.events,
      roots: { workspace: '/nowhere/w', rollouts: '/nowhere/r', logs: '/nowhere/l' },
      agents: {
        names: ['echo', 'script'],
        list: [],
        fallback: 'echo',
        hasMcpServer: () => false,
      },
      problemsOfSchema: async () => [],
      afterAnswers: async () => -1,
      newId: () => 'req',
      newItemId: () => 'tr',
      streamOf: taskStream,
      nextFrame: async () => 0,
      openFeed: (wish, isNew) => openFeed(log, wish, isNew),
      longAnswers: createLongAnswers(stopping.signal, wholeLoop),
      allowedOrigins: [],
      principals,
      tickets,
      openStreams,
      quotas: system.quotas,
      requests,
      stopping: stopping.signal,
      fault: error => faults.push(error),
      ...parts,
    },
    createBodyBudget(budget, budget),
    createAdmission(wholeLoop),
    { ...usualLimits, ...limits },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    openStreams.stop()
    stopping.abort()
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    stop: () => stopping.abort(),
  }
}
