// A scripted host: what it answers to each message of the server. The text of the input says what it does.

type Result = { n: number; value?: { text?: string } }
type Lease = {
  id: string
  text: string
  entries: number
  results: Result[]
  seen: number
  vars: Record<string, unknown>
}
/** The fields of all messages of the server. */
type Message = {
  type: string
  lease: string
  n: number
  input: { text: string }
  entries?: object[]
  results?: Result[]
  vars: Record<string, unknown>
  value: { id: string }[]
}

/** `raw` writes bytes as they are. */
export const createTake = (send: (message: object) => void, raw: (text: string) => void = () => {}) => {
  const leases = new Map<string, Lease>()
  const turn = (lease: Lease, moves: object[] = [], more = {}) =>
    send({ type: 'turn', lease: lease.id, seen: lease.seen, moves, ...more })
  const tool = (n: number) => ({ n, do: 'tool', name: 'find', arguments: { n }, digest: `d${n}` })
  const say = (n: number, text: string) => ({ n, do: 'say', text, digest: `d${n}` })

  /** Asks for a tool, then says what it got. */
  const goOn = (lease: Lease) => {
    const [first] = lease.results
    if (first !== undefined) turn(lease, [], { outcome: { answer: `${lease.text}: ${first.value?.text}` } })
    else turn(lease, lease.entries === 0 ? [tool(1)] : [])
  }
  const words: Record<string, (lease: Lease) => unknown> = {
    die: () => process.exit(3),
    freeze: () => {
      for (;;);
    },
    garbage: () => raw('this is no message'),
    gap: lease => turn(lease, [tool(5)]),
    many: lease =>
      turn(
        lease,
        Array.from({ length: 1001 }, (_, n) => tool(n + 1)),
      ),
    long: lease => turn(lease, [say(1, 'x'.repeat(5 << 20))]),
    print(lease) {
      console.error(`the secret is ${lease.vars.KEY}`)
      goOn(lease)
    },
    memory() {
      const kept: Buffer[] = []
      setInterval(() => kept.push(Buffer.alloc(64 << 20, 1)), 10)
    },
    stop(lease) {
      send({ type: 'stopping' })
      goOn(lease)
    },
    back: lease => send({ type: 'release', lease: lease.id, reason: 'it stops' }),
    run(lease) {
      if (lease.entries > 0 || lease.results.length > 0) goOn(lease)
      else turn(lease, [{ n: 1, do: 'run', name: 'pay', digest: 'd1' }])
    },
    history: lease => send({ type: 'ask', lease: lease.id, id: 7, what: 'history' }),
  }
  return (message: Message) => {
    if (message.type === 'ping') return send({ type: 'pong' })
    if (message.type === 'begin') {
      const { lease: id, input, entries = [], results = [], vars } = message
      const lease = { id, text: input.text, entries: entries.length, results, seen: results.length, vars }
      leases.set(id, lease)
      return (words[input.text] ?? goOn)(lease)
    }
    const lease = leases.get(message.lease)
    if (lease === undefined) return
    if (message.type === 'stop') leases.delete(message.lease)
    if (message.type === 'run') turn(lease, [{ do: 'ran', of: message.n, value: { text: 'paid' } }])
    if (message.type === 'answer')
      turn(lease, [], { outcome: { answer: message.value.map(({ id }) => id).join() } })
    if (message.type !== 'results') return
    const { results = [] } = message
    lease.results.push(...results)
    lease.seen += results.length
    goOn(lease)
  }
}
