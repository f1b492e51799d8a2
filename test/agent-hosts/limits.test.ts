// The limits of the protocol are the same in the server, in both libraries, and in docs/agent-protocol.md.
import { readFileSync } from 'node:fs'
import t from 'tap'
import * as library from '../../library/agent/limits.ts'
import * as server from '../../src/contract/agent-protocol.ts'
import { deepestBody, maxKeys, maxValues } from '../../src/contract/json/json-limits.ts'

const documented = new Map(
  [...readFileSync('docs/agent-protocol.md', 'utf8').matchAll(/^\| ([a-z][^|]*) \| (\d+) \|$/gm)].map(
    ([, limit, value]) => [limit as string, Number(value)],
  ),
)
const text = readFileSync('python/reprise_agent.py', 'utf8')
/** The value of a constant of the library in Python, which is a number, a product or a shift. */
const python = (name: string): number => {
  const line = text.match(new RegExp(`^([A-Z_, ]*\\b${name}\\b[A-Z_, ]*) = ([^#\\n]*)`, 'm'))
  const at = line?.[1]?.split(', ').indexOf(name) ?? -1
  const value = line?.[2]?.trim().split(', ')[at] ?? ''
  const [, number = '', shift = '0', less = '0'] =
    value.match(/^([\d_.]+|DEEPEST)(?: << (\d+))?(?: - (\d+))?$/) ?? []
  const plain = number === 'DEEPEST' ? deepestBody : Number(number.replaceAll('_', ''))
  return plain * 2 ** Number(shift) - Number(less)
}
/** The form of a field in the messages of hosts. */
const field = (...path: string[]) =>
  path.reduce<unknown>((schema, key) => (schema as Record<string, unknown>)[key], server) as Record<
    'maxLength' | 'maxItems',
    number
  >
const hello = ['HostHello', 'properties']
const agent = [...hello, 'agents', 'items', 'properties']

const all: [string, ...(number | undefined)[]][] = [
  ['bytes of a message of a host', server.longestMessage, library.longestMessage, python('LARGEST_MESSAGE')],
  ['bytes of a hello', server.longestHello, library.longestHello, python('LARGEST_HELLO')],
  ['bytes of a message to a host, with all its parts', server.longestToHost],
  ['characters of a part', server.partLength],
  ['levels of lists and objects in a message', deepestBody],
  [
    'values in a message: members of objects and items of lists',
    ...[maxValues, library.mostInMessage, python('MOST_IN_MESSAGE')],
  ],
  ['keys of one object', maxKeys, library.mostKeys, python('MOST_KEYS')],
  ['bytes of a value', library.longestValue, python('LARGEST_VALUE')],
  ['levels of a value', library.deepestValue, python('DEEPEST_VALUE')],
  ['values in a value', library.mostValues, python('MOST_VALUES')],
  ['characters that are said at once', library.longestSaid, python('LARGEST_SAID')],
  ['bytes of the context of a statechart', server.longestContext, library.longestContext],
  ['open entries of a lease', server.mostOpen, library.mostOpen, python('MOST_OPEN')],
  [
    'bytes of text of a lease that are not stored',
    server.mostUnsaid,
    library.mostUnsent,
    python('MOST_UNSENT'),
  ],
  ['bytes of a lease that are not stored', server.mostUnstored],
  [
    'characters of the name of an agent',
    library.longestAgentName,
    Number(server.agentName.source.match(/,(\d+)/)?.[1]) + 1,
  ],
  [
    'characters of the name of an entry',
    ...[
      field('moveSchemas', 'tool', 'properties', 'name').maxLength,
      library.longestName,
      python('LONGEST_NAME'),
    ],
  ],
  [
    'characters of the name of a worker',
    ...[field(...hello, 'name').maxLength, library.longestWorkerName, python('LONGEST_WORKER_NAME')],
  ],
  [
    'characters of a version',
    ...[field(...agent, 'version').maxLength, library.longestVersion, python('LONGEST_VERSION')],
  ],
  [
    'characters of a description',
    ...[field(...agent, 'description').maxLength, library.longestDescription, python('LONGEST_DESCRIPTION')],
  ],
  ['agents of a host', field(...hello, 'agents').maxItems, library.mostAgents, python('MOST_AGENTS')],
  ['slots of a host', server.mostSlots, library.mostSlots, python('MOST_SLOTS')],
  ['milliseconds of the longest timeout, and of the latest time', library.latest, python('LATEST')],
  [
    'milliseconds of a wait for nothing of the journal until a warning',
    ...[library.warnMs, python('WARN_AFTER') * 1000],
  ],
  [
    'milliseconds of a wait for nothing of the journal until the task fails',
    ...[library.failMs, python('FAIL_AFTER') * 1000],
  ],
  ['milliseconds for runs when a host stops', library.drainMs, python('DRAIN') * 1000],
  ['milliseconds of silence until a connection is lost', library.silenceMs, python('SILENCE') * 1000],
]

t.test('each limit is the same everywhere', async t => {
  for (const [limit, ...values] of all)
    for (const value of values) t.equal(value, documented.get(limit), limit)
  t.same(new Set(all.map(([limit]) => limit)), new Set(documented.keys()), 'the table has all of them')
})
