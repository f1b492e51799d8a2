// The door of WebSockets by itself, with limits and times of the test's choosing, on the real system of a server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { noReads } from '../../../src/access/reads.ts'
import type { Events } from '../../../src/bus/events.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import { wholeLoop } from '../../../src/fairness/loop-shares.ts'
import { createLongAnswers } from '../../../src/http/answer/long-answers.ts'
import { createBodyBudget } from '../../../src/http/body/budget.ts'
import type { Serving } from '../../../src/http/doors.ts'
import { createAdmission } from '../../../src/http/request/admission.ts'
import { defaultLimits, openSocketDoor, type SocketLimits } from '../../../src/http/socket/door.ts'
import { type Cut, createOpenStreams, type OpenStream } from '../../../src/http/stream/open-streams.ts'
import { createRequestCounts } from '../../../src/metrics/request-counts.ts'
import { adminToken, type serveHere } from '../../support/server.ts'
import { admin } from '../../support/system.ts'

type Options = {
  limits?: Partial<SocketLimits>
  /** Of the look at every open stream, milliseconds. */
  tickMs?: number
  budget?: number
  events?: Events
  allowedOrigins?: readonly string[]
}

export const doorHere = async (
  t: Test,
  { system }: Pick<Awaited<ReturnType<typeof serveHere>>, 'system'>,
  { limits = {}, tickMs = 1000, budget, events = system.bus.events, allowedOrigins = [] }: Options = {},
) => {
  const faults: unknown[] = []
  const stopping = new AbortController()
  const principals = {
    authenticate: (token: string) => (token === adminToken ? admin : undefined),
    current: () => admin,
  } as unknown as Serving['principals']
  const tickets = { redeem: () => undefined, sit: () => () => {} } as unknown as Serving['tickets']
  const cuts: Cut[] = []
  const streams = createOpenStreams({ principals, tickets }, tickMs)
  const noting = (stream: OpenStream): OpenStream => ({
    ...stream,
    cut(why) {
      cuts.push(why)
      stream.cut(why)
    },
  })
  const openStreams: typeof streams = {
    ...streams,
    add: (asking, stream) => streams.add(asking, noting(stream)),
  }
  const requests = createRequestCounts()
  const { tasks, fairness } = system
  const server = createServer()
  openSocketDoor(
    server,
    {
      tasks: {
        commands: tasks.commands,
        queries: tasks.queries,
        recall: tasks.recall,
        requests: tasks.requests,
        afterAnswers: async () => -1,
        newItemId: () => 'tr',
        streamOf: taskStream,
        nextFrame: async () => 0,
        openFeed: tasks.streams.open,
      },
      sessions: { sessions: system.environments.sessions },
      events,
      gate: { allowedOrigins, requests, loop: wholeLoop },
      agents: {
        connect: () => {
          throw new Error('these tests have no workers')
        },
      },
      serving: {
        principals,
        tickets,
        logins: {} as Serving['logins'],
        openStreams,
        quotas: fairness.quotas,
        longAnswers: createLongAnswers(stopping.signal, wholeLoop, () => {}),
        reads: noReads,
        stopping: stopping.signal,
        newId: () => 'req',
        publicUrl: undefined,
        root: '',
        addressOf: path => path,
        fault: error => faults.push(error),
      },
    },
    createBodyBudget(() => {}, budget, budget),
    createAdmission(wholeLoop),
    { ...defaultLimits, ...limits },
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
    /** Why streams were cut, in order. */
    cuts,
    /** The number of connections that the server has not ended yet. */
    connections: () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    requests,
    stop: () => stopping.abort(),
  }
}
