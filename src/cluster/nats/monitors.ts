// Asks NATS servers about themselves at their monitoring addresses: the version, whether a server writes each record to
// disk before it confirms the record, and what its own copy of a stream contains. Only these addresses tell what ONE server
// has: in the JetStream API, the leader of a stream answers for all.

/** What a server says of itself, and of its own copy of a stream. */
export type CopyState = {
  url: string
  /** The name of the server. */
  server: string
  version: string
  /** Whether the server writes each record to disk at once; undefined: the server is too old to tell. */
  syncAlways: boolean | undefined
  /** Bytes that JetStream uses on the disk of the server, and may use. */
  disk: { used: number; most: number }
  /** Whether the server has a copy of the stream. Without one, the numbers below are 0. */
  hasCopy: boolean
  isLeader: boolean
  /** How many copies the stream shall have, on different servers. */
  copies: number
  messages: number
  /** The sequences of the first and of the last record. */
  first: number
  last: number
  /**
   * Records between the first and the last one that are missing, as far as the server has noticed. A server that has lost
   * the beginning of a log says so only by its first sequence, which is then not 1.
   */
  deleted: number
  bytes: number
  /** How many records the end of this copy is behind the end of the longest copy that was found. */
  lag: number
}
export type Unanswered = { url: string; error: string }
export type AskedServer = CopyState | Unanswered

/** Milliseconds for the answers of one server. */
const answerMs = 2000

type Numbers = {
  messages?: number
  bytes?: number
  first_seq?: number
  last_seq?: number
  num_deleted?: number
}
export type Stream = {
  name: string
  cluster?: { leader?: string; replicas?: unknown[] }
  config?: { num_replicas?: number }
  state?: Numbers
}
type Varz = {
  server_name?: string
  version?: string
  jetstream?: { config?: { sync_interval?: number; sync_always?: boolean; max_storage?: number } }
}
export type Jsz = { storage?: number; account_details?: { stream_detail?: Stream[] }[] }

/**
 * A server that was started while it reaches no other one says that it leads its copies. It names no followers, as a server
 * does for a stream with one copy. A server that has no cluster names no leader; one that has a cluster names none when the
 * stream has none.
 */
export const isLedBy = (server: string, { cluster, config }: Stream): boolean => {
  const hasOneCopy = config?.num_replicas === 1
  if (cluster === undefined) return hasOneCopy
  const { leader, replicas = [] } = cluster
  return leader === server && (replicas.length > 0 || hasOneCopy)
}

const reasonOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `no answer within ${answerMs / 1000} s`
  return cause?.code || cause?.message || message
}

/** What a server answers at one of its monitoring paths. Rejects when it does not answer in time. */
export const readFrom = async <T>(url: string, path: string): Promise<T> => {
  const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(answerMs), redirect: 'error' })
  if (answer.status !== 200) throw new Error(`it answers ${answer.status}`)
  return (await answer.json().catch(() => {
    throw new Error('this is no monitoring address of a NATS server')
  })) as T
}

/** With all streams of a server. */
export const streamsPath = '/jsz?accounts=1&streams=1&config=1'
export const streamsIn = ({ account_details: accounts = [] }: Jsz): Stream[] =>
  accounts.flatMap(({ stream_detail: found = [] }) => found)

const copyIn = ({ server_name: server = '', version, jetstream }: Varz, jsz: Jsz, name: string) => {
  if (version === undefined) throw new Error('this is no monitoring address of a NATS server')
  const stream = streamsIn(jsz).find(one => one.name === name)
  const {
    messages = 0,
    bytes = 0,
    first_seq: first = 0,
    last_seq: last = 0,
    num_deleted = 0,
  } = stream?.state ?? {}
  const {
    sync_interval: interval,
    sync_always: always = false,
    max_storage: most = 0,
  } = jetstream?.config ?? {}
  return {
    ...{ server, version, syncAlways: interval === undefined ? undefined : always },
    disk: { used: jsz.storage ?? 0, most },
    hasCopy: stream !== undefined,
    isLeader: stream !== undefined && isLedBy(server, stream),
    copies: stream?.config?.num_replicas ?? 0,
    ...{ messages, first, last, deleted: num_deleted, bytes },
  }
}

const ask = async (url: string, name: string): Promise<Omit<CopyState, 'lag'> | Unanswered> => {
  try {
    const [varz, jsz] = await Promise.all([readFrom<Varz>(url, '/varz'), readFrom<Jsz>(url, streamsPath)])
    return { url, ...copyIn(varz, jsz, name) }
  } catch (error) {
    return { url, error: reasonOf(error) }
  }
}

/**
 * Asks all servers at once. The results stand in the order of the addresses. Never rejects: a server that does not answer
 * within two seconds is listed with the reason.
 */
export const statesOfCopies = async (urls: readonly string[], streamName: string): Promise<AskedServer[]> => {
  const asked = await Promise.all(urls.map(url => ask(url, streamName)))
  const end = Math.max(0, ...asked.map(one => ('error' in one ? 0 : one.last)))
  return asked.map(one => ('error' in one ? one : { ...one, lag: end - one.last }))
}
