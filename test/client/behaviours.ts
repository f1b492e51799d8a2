// What a client must do, case by case. Each case is a server that answers as written here, what the client is told to do, and
// what it must give. cases.test.ts runs all of them for each client.
import { type RefusalName, refusals } from '../../src/contract/refusals.ts'

/** What a server sends for one request. */
export type Reply = {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  text?: string
  /** Pieces of a stream. `until: n`: the stream waits until the server has answered n requests in all. */
  stream?: (string | { until: number })[]
  /** `before`: the connection is cut in place of an answer. `after`: it is cut after what is sent. */
  cut?: 'before' | 'after'
}
/** A request that the server expects, in this order, with a part of its headers and its body. */
export type Exchange = { on: string; headers?: Record<string, unknown>; body?: unknown; reply: Reply }

/** What a tool of the client does. `interrupted`: the user interrupts the program while the tool runs for the first time. */
type Tool = { returns: unknown; interrupted?: true } | { raises: string }
/**
 * `patience`: in seconds. `and_then`: what the program asks for after it has left the run, or the run has failed.
 * `beside`: the program asks for the result at the first frame, and goes on with the frames.
 */
export type Does = { patience?: number; strict?: boolean; token?: string } & (
  | {
      run: object
      tools?: Record<string, Tool>
      approve?: unknown
      leave?: number
      and_then?: 'result'
      beside?: true
    }
  | { follow: string; after?: number; until_end?: boolean; tools?: Record<string, Tool> }
  | { call: string; args: unknown[]; again?: true }
  | { request: { method: string; path: string; body?: unknown; key?: true; once?: boolean } }
  | { list: string; query: object }
  | { events: object; take: number; store?: { kept: unknown } }
)
export type Behaviour = {
  name: string
  exchanges: Exchange[]
  does: Does
  gives: Record<string, unknown>
  /** The requests, by their numbers, that have one Idempotency-Key. */
  sameKey?: number[]
  /** The requests may come in another order, as a client sends some of them at the same time. */
  anyOrder?: true
  /** The language whose clients do this. The default is all. */
  only?: 'TypeScript' | 'Python'
}

const frame = (n: number, type: string, more: object = {}): string =>
  `event: ${type}\nid: ${n}\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 'req_1', result: { type, sequence_number: n, task_id: 't1', ...more } })}\n\n`
const said = (text: string) => [
  {
    type: 'message',
    id: 'm1',
    role: 'assistant',
    status: 'completed',
    message_content: [{ type: 'output_text', text }],
  },
]
const task = (status: string, more: object = {}) => ({
  object: 'task',
  id: 't1',
  session_id: 's1',
  user_id: 'u1',
  status,
  created_at: 1,
  output: [],
  ...more,
})
const done = task('completed', { output: [...said('Let me look.'), ...said('Hello')] })
const ask = (call_id: string, more: object = {}) => ({
  type: 'tool_call',
  call_id,
  name: 'ask_user',
  arguments: '{"question":"Go on?"}',
  ...more,
})
const waits = (...pending: object[]) =>
  task('input-required', { input_required: pending[0], metadata: { pending_inputs: pending } })

const created = frame(0, 'task.created', { task: task('created') })
const working = frame(1, 'task.working')
const delta = frame(2, 'task.text.delta', { delta: 'Hello', item_id: 'm1' })
const completed = (n: number) => frame(n, 'task.completed', { task: done })
const required = (n: number, ...pending: object[]) =>
  frame(n, 'task.input_required', { task: waits(...pending), input_required: pending[0] })

const inEnvelope = (result: unknown): Reply => ({ json: { jsonrpc: '2.0', id: 'req_1', result } })
const creates = (reply: Reply = inEnvelope(task('created')), more: Partial<Exchange> = {}): Exchange => ({
  on: 'POST /v1/tasks',
  body: { user_message_content: 'Hi', stream: false, background: true },
  reply,
  ...more,
})
const follows = (
  stream: Reply['stream'] & object,
  more: Partial<Exchange> & { cut?: 'after' } = {},
): Exchange => ({
  on: 'GET /v1/tasks/t1/events',
  headers: { accept: 'text/event-stream' },
  reply: { headers: { 'content-type': 'text/event-stream' }, stream, ...(more.cut && { cut: more.cut }) },
  ...(more.headers && { headers: more.headers }),
})
const resumes = (after: string, stream: Reply['stream'] & object, more: { cut?: 'after' } = {}): Exchange =>
  follows(stream, { headers: { 'last-event-id': after }, ...more })
/** The client asks whether frame n is the last one. */
const looks = (n: number, later: unknown[] = []): Exchange => ({
  on: `GET /v1/tasks/t1/events?after=${n}&limit=1`,
  reply: { json: { jsonrpc: '2.0', id: 'req_1', result: later, has_more: false } },
})
const answers = (results: object[], reply: Reply = { json: task('working') }): Exchange => ({
  on: 'POST /v1/tasks/t1/input',
  body: { tool_results: results },
  reply,
})
const refuses = (
  name: RefusalName,
  more: { headers?: Record<string, string>; data?: object } = {},
): Reply => {
  const { http, code, message, hint } = refusals[name]
  return {
    status: http,
    headers: { 'x-request-id': 'req_9', ...more.headers },
    json: { code, message, data: { hint, docs: `/docs#error-${name}`, ...more.data } },
  }
}
const hi = { user_message_content: 'Hi' }
const whole = { frames: [0, 1, 2, 3], text: 'Hello', status: 'completed' }
const soon = { 'retry-after': '0' }
const get = { call: 'tasks.get', args: ['t1'] }
const gets = (reply: Reply): Exchange => ({ on: 'GET /v1/tasks/t1', reply })

const streams: Behaviour[] = [
  {
    name: 'a run gives each frame, and the last text',
    exchanges: [creates(), follows([created, working, delta, completed(3)])],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'who asks for the result while the run is iterated waits, and takes no frame',
    exchanges: [creates(), follows([created, working, delta, completed(3)])],
    does: { run: hi, beside: true },
    gives: { ...whole, beside: 'completed' },
  },
  {
    name: 'a stream that is cut in the middle of a frame goes on after the last whole frame',
    exchanges: [
      creates(),
      follows([created, working, delta.slice(0, 60)], { cut: 'after' }),
      resumes('1', [delta, completed(3)]),
    ],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'a stream that ends without its last frame is taken up',
    exchanges: [creates(), follows([created, working]), resumes('1', [delta, completed(3)])],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'frames that come twice are given once',
    exchanges: [
      creates(),
      follows([created, working, working], { cut: 'after' }),
      resumes('1', [created, working, delta, delta, completed(3)]),
    ],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'a hole in the frames is not passed over',
    exchanges: [creates(), follows([created, delta]), resumes('0', [working, delta, completed(3)])],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'a piece of a frame may end within a character',
    exchanges: [
      creates(),
      follows([
        created,
        working,
        frame(2, 'task.text.delta', { delta: 'Grüße', item_id: 'm1' }),
        completed(3),
      ]),
    ],
    does: { run: hi },
    gives: { ...whole, deltas: ['Grüße'] },
  },
  {
    name: 'comments are no frames',
    exchanges: [
      creates(),
      follows([': open\n', created, ': heartbeat\n', working, ': heartbeat\n', delta, completed(3)]),
    ],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'a server that is started again is asked until it answers',
    exchanges: [
      creates(),
      follows([created, working], { cut: 'after' }),
      { on: 'GET /v1/tasks/t1/events', reply: { cut: 'before' } },
      { on: 'GET /v1/tasks/t1/events', reply: refuses('ShuttingDown', { headers: soon }) },
      { on: 'GET /v1/tasks/t1/events', reply: { status: 502, text: '<html>Bad Gateway</html>' } },
      resumes('1', [delta, completed(3)]),
    ],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'a stream that opens and breaks at once does not renew the patience',
    exchanges: [
      creates(),
      { on: 'GET /v1/tasks/t1/events', reply: refuses('ShuttingDown', { headers: soon }) },
      {
        on: 'GET /v1/tasks/t1/events',
        reply: refuses('ShuttingDown', { headers: { 'retry-after': '1' } }),
      },
      follows([': open\n'], { cut: 'after' }),
    ],
    does: { run: hi, patience: 1.49 }, // after three failures the client waits for half a second or more
    gives: { frames: [], error: { class: 'ConnectionFailed' } },
  },
  {
    name: 'a stream with heartbeats renews the patience',
    exchanges: [
      creates(),
      { on: 'GET /v1/tasks/t1/events', reply: refuses('ShuttingDown', { headers: soon }) },
      {
        on: 'GET /v1/tasks/t1/events',
        reply: refuses('ShuttingDown', { headers: { 'retry-after': '1' } }),
      },
      follows([': open\n', ': heartbeat\n'], { cut: 'after' }),
      follows([created, working, delta, completed(3)]),
    ],
    does: { run: hi, patience: 1.49 },
    gives: whole,
  },
  {
    name: 'a page that answers to everything is no stream',
    exchanges: [
      creates(),
      {
        on: 'GET /v1/tasks/t1/events',
        reply: { headers: { 'content-type': 'text/html; charset=utf-8' }, text: '<p>Log in</p>' },
      },
    ],
    does: { run: hi, patience: 0 },
    gives: {
      frames: [],
      error: {
        class: 'ConnectionFailed',
        message: 'answers with text/html; charset=utf-8 in place of a stream',
      },
    },
  },
  {
    name: 'a quota of streams counts a broken stream for a while',
    exchanges: [
      creates(),
      follows([created, working], { cut: 'after' }),
      {
        on: 'GET /v1/tasks/t1/events',
        reply: refuses('OverQuota', { headers: soon, data: { quota: 'streams' } }),
      },
      resumes('1', [delta, completed(3)]),
    ],
    does: { run: hi },
    gives: whole,
  },
  {
    name: 'a task that is erased meanwhile ends the run with the reason',
    exchanges: [
      creates(),
      follows([created, working], { cut: 'after' }),
      { on: 'GET /v1/tasks/t1/events', reply: refuses('TaskNotFound') },
    ],
    does: { run: hi },
    gives: { frames: [0, 1], error: { class: 'TaskNotFound', status: 404 } },
  },
  {
    name: 'who follows a task that has ended gets the task',
    exchanges: [
      looks(2, [{ type: 'task.completed', sequence_number: 3 }]),
      { on: 'GET /v1/tasks/t1/events', headers: { 'last-event-id': '3' }, reply: { status: 204 } },
      gets(inEnvelope(done)),
    ],
    does: { follow: 't1', after: 3 },
    gives: { frames: [], text: 'Hello', status: 'completed' },
  },
  {
    name: 'a task that has failed has no text',
    exchanges: [
      creates(),
      follows([
        created,
        frame(1, 'task.failed', { task: task('failed', { error: { code: -32000, message: 'no model' } }) }),
      ]),
    ],
    does: { run: hi },
    gives: {
      frames: [0, 1],
      status: 'failed',
      error: { class: 'NotCompleted', code: -32000, message: 'the task t1 is failed: no model' },
    },
  },
  {
    name: 'who leaves a run closes its connection',
    exchanges: [creates(), follows([created, working, { until: 99 }])],
    does: { run: hi, leave: 2 },
    gives: { frames: [0, 1] },
  },
]

const creating: Behaviour[] = [
  {
    name: 'a create whose answer is lost is sent again with its key',
    exchanges: [
      creates({ cut: 'before' }),
      creates({ ...inEnvelope(task('created')), cut: 'after', text: '{"jsonrpc":"2.0","re' }),
      creates(refuses('Busy', { headers: soon })),
      creates(),
      follows([created, working, delta, completed(3)]),
    ],
    does: { run: hi },
    gives: whole,
    sameKey: [0, 1, 2, 3],
  },
  {
    name: 'a quota that is used up is an error at once',
    exchanges: [creates(refuses('OverQuota', { data: { quota: 'tasks', limit: 3 } }))],
    does: { run: hi },
    gives: {
      error: {
        class: 'OverQuota',
        parents: ['Busy', 'RepriseError'],
        status: 429,
        data: { quota: 'tasks', limit: 3 },
      },
    },
  },
  {
    name: 'a conflict is an error at once',
    exchanges: [creates(refuses('Conflict'))],
    does: { call: 'tasks.create', args: [hi] },
    gives: { error: { class: 'Conflict', status: 409, code: -32023 } },
  },
  {
    name: 'a request that is not valid says what is wrong',
    exchanges: [
      creates({
        status: 422,
        json: { detail: [{ loc: ['body', 'user_message_content'], msg: 'Field required', type: 'missing' }] },
      }),
    ],
    does: { call: 'tasks.create', args: [hi] },
    gives: {
      error: {
        class: 'Invalid',
        status: 422,
        message: 'invalid request: body.user_message_content: Field required',
        problems: [{ loc: ['body', 'user_message_content'], msg: 'Field required', type: 'missing' }],
      },
    },
  },
  {
    name: 'a field that the server ignores is a warning, once',
    exchanges: [1, 2].map(() =>
      creates({
        ...inEnvelope(task('created')),
        headers: {
          'x-ignored-fields': 'agent_confg, agent_config.colour',
          'x-did-you-mean': 'agent_confg=agent_config',
        },
      }),
    ),
    does: { call: 'tasks.create', args: [{ ...hi, agent_confg: {} }], again: true },
    gives: {
      value: { id: 't1' },
      warnings: [
        'the server does not know the field agent_confg, and ignores it; did you mean agent_config?',
        'the server does not know the field agent_config.colour, and ignores it',
      ],
    },
  },
  {
    name: 'a strict client asks for strict handling',
    exchanges: [creates(undefined, { headers: { prefer: 'handling=strict' } })],
    does: { call: 'tasks.create', args: [hi], strict: true },
    gives: { value: { id: 't1' } },
  },
]

const answering: Behaviour[] = [
  {
    name: 'a call of a client tool is answered',
    exchanges: [
      creates(undefined, {
        body: {
          client_tools: [
            { type: 'function', function: { name: 'ask_user', parameters: { type: 'object' } } },
          ],
        },
      }),
      follows([created, working, required(2, ask('c1')), { until: 4 }, completed(3)]),
      looks(2),
      answers([{ call_id: 'c1', message_content: 'yes' }]),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } } },
    gives: { ...whole, called: ['ask_user {"question":"Go on?"}'] },
  },
  {
    name: 'a call is answered once, also when the stream breaks and the task waits again',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 4 }], { cut: 'after' }),
      looks(2),
      answers([{ call_id: 'c1', message_content: '{"ok":true}' }], { json: waits(ask('c1')) }),
      resumes('2', [required(2, ask('c1')), required(3, ask('c1'), ask('c2')), { until: 7 }, completed(4)]),
      looks(3),
      answers([{ call_id: 'c2', message_content: '{"ok":true}' }]),
    ],
    does: { run: hi, tools: { ask_user: { returns: { ok: true } } } },
    gives: {
      frames: [0, 1, 2, 3, 4],
      text: 'Hello',
      called: ['ask_user {"question":"Go on?"}', 'ask_user {"question":"Go on?"}'],
    },
  },
  {
    name: 'an answer that is lost is sent again, and the tool is not called again',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 5 }, completed(3)]),
      looks(2),
      answers([{ call_id: 'c1', message_content: 'yes' }], { cut: 'before' }),
      answers([{ call_id: 'c1', message_content: 'yes' }]),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } } },
    gives: { ...whole, called: ['ask_user {"question":"Go on?"}'] },
  },
  {
    name: 'a tool that fails tells the agent why',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 4 }, completed(3)]),
      looks(2),
      answers([{ call_id: 'c1', message_content: 'nobody is there', status: 'incomplete' }]),
    ],
    does: { run: hi, tools: { ask_user: { raises: 'nobody is there' } } },
    gives: whole,
  },
  {
    name: 'when somebody else was faster, the run goes on',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 4 }, completed(3)]),
      looks(2),
      answers([{ call_id: 'c1' }], refuses('AlreadyAnswered')),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } } },
    gives: whole,
  },
  {
    name: 'an answer that may not be given ends the run',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 99 }]),
      looks(2),
      answers([{ call_id: 'c1' }], refuses('Forbidden')),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } } },
    gives: { frames: [0, 1, 2], error: { class: 'Forbidden', status: 403 } },
  },
  {
    name: 'a run that an error has ended gives this error again',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 99 }]),
      looks(2),
      answers([{ call_id: 'c1' }], refuses('Forbidden')),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } }, and_then: 'result' },
    gives: { frames: [0, 1, 2], error: { class: 'Forbidden', status: 403 } },
    only: 'TypeScript',
  },
  {
    name: 'an answer that was refused is given again when the run is used again',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 99 }]),
      looks(2),
      answers([{ call_id: 'c1' }], refuses('Forbidden')),
      looks(2),
      answers([{ call_id: 'c1' }]),
      resumes('2', [completed(3)]),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } }, and_then: 'result' },
    gives: {
      frames: [0, 1, 2],
      text: 'Hello',
      called: ['ask_user {"question":"Go on?"}', 'ask_user {"question":"Go on?"}'],
    },
    only: 'Python',
  },
  {
    name: 'a tool that was interrupted is called again when the run is used again',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1')), { until: 99 }]),
      looks(2),
      looks(2),
      answers([{ call_id: 'c1', message_content: 'yes' }]),
      resumes('2', [completed(3)]),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes', interrupted: true } }, and_then: 'result' },
    gives: {
      frames: [0, 1, 2],
      text: 'Hello',
      called: ['ask_user {"question":"Go on?"}', 'ask_user {"question":"Go on?"}'],
    },
    only: 'Python',
  },
  {
    name: 'a wait that nobody here ends ends the run',
    exchanges: [creates(), follows([created, working, required(2, ask('c1')), { until: 99 }]), looks(2)],
    does: { run: hi },
    gives: { frames: [0, 1, 2], status: 'input-required', error: { class: 'NotCompleted' } },
  },
  {
    name: 'calls for others keep the task waiting after ours are answered',
    exchanges: [
      creates(),
      follows([created, working, required(2, ask('c1'), ask('c2', { name: 'ask_manager' })), { until: 99 }]),
      looks(2),
      answers([{ call_id: 'c1', message_content: 'yes' }], {
        json: waits(ask('c2', { name: 'ask_manager' })),
      }),
    ],
    does: { run: hi, tools: { ask_user: { returns: 'yes' } } },
    gives: {
      frames: [0, 1, 2],
      status: 'input-required',
      called: ['ask_user {"question":"Go on?"}'],
      error: { class: 'NotCompleted' },
    },
  },
  {
    name: 'who follows a task that waits already answers it',
    exchanges: [
      looks(1, [{ type: 'task.input_required', sequence_number: 2, task_id: 't1', task: waits(ask('c1')) }]),
      looks(2),
      answers([{ call_id: 'c1', message_content: 'yes' }]),
      resumes('2', [{ until: 4 }, completed(3)]),
    ],
    does: { follow: 't1', after: 2, tools: { ask_user: { returns: 'yes' } } },
    gives: { frames: [3], text: 'Hello', called: ['ask_user {"question":"Go on?"}'] },
    anyOrder: true,
  },
  {
    name: 'who leaves a run at a wait finds the task waiting',
    exchanges: [creates(), follows([created, working, required(2, ask('c1')), { until: 99 }]), looks(2)],
    does: { run: hi, leave: 3, and_then: 'result' },
    gives: { frames: [0, 1, 2], status: 'input-required', error: { class: 'NotCompleted' } },
  },
  {
    name: 'a wait of the past is no rest',
    exchanges: [
      {
        on: 'GET /v1/tasks/t1/events',
        reply: { stream: [created, working, required(2, ask('c1')), completed(3)] },
      },
      looks(2, [{ type: 'task.completed' }]),
    ],
    does: { follow: 't1' },
    gives: whole,
  },
  {
    name: 'who waits for the end goes through waits of others',
    exchanges: [
      {
        on: 'GET /v1/tasks/t1/events',
        reply: { stream: [created, working, required(2, ask('c1')), { until: 2 }, completed(3)] },
      },
      looks(2),
    ],
    does: { follow: 't1', until_end: true },
    gives: whole,
  },
  {
    name: 'a call that waits for an approval is decided',
    exchanges: [
      creates(),
      follows([
        created,
        working,
        required(2, ask('c1', { name: 'write_file', metadata: { approval: true } })),
        { until: 4 },
        completed(3),
      ]),
      looks(2),
      {
        on: 'POST /v1/tasks/t1/approvals',
        body: { call_id: 'c1', decision: 'approve' },
        reply: { json: task('working') },
      },
    ],
    does: { run: hi, approve: true },
    gives: { ...whole, called: ['approve write_file {"question":"Go on?"}'] },
  },
  {
    name: 'an approval may change the arguments, and say why not',
    exchanges: [
      creates(),
      follows([
        created,
        working,
        required(2, ask('c1', { metadata: { approval: true } })),
        { until: 4 },
        completed(3),
      ]),
      looks(2),
      {
        on: 'POST /v1/tasks/t1/approvals',
        body: { call_id: 'c1', decision: 'refuse', reason: 'not today' },
        reply: { json: task('working') },
      },
    ],
    does: { run: hi, approve: { decision: 'refuse', reason: 'not today' } },
    gives: whole,
  },
]

const own = (ids: string[], next: string | null): Reply => ({
  json: {
    object: 'list',
    data: ids.map(id => ({ id, name: id })),
    has_more: next !== null,
    next_cursor: next,
  },
})
const lists: Behaviour[] = [
  {
    name: 'a list of tasks is read to its end, page by page',
    exchanges: [
      {
        on: 'GET /v1/tasks?status=failed&status=expired&limit=2',
        reply: { ...inEnvelope([{ id: 'a' }, { id: 'b' }]), headers: { link: '</v1/tasks?x>; rel="next"' } },
      },
      {
        on: 'GET /v1/tasks?status=failed&status=expired&limit=2&starting_after=b',
        reply: { ...inEnvelope([{ id: 'c' }, { id: 'd' }]), headers: { link: '</v1/tasks?x>; rel="next"' } },
      },
      {
        on: 'GET /v1/tasks?status=failed&status=expired&limit=2&starting_after=d',
        reply: inEnvelope([{ id: 'e' }]),
      },
    ],
    does: { list: 'tasks.list', query: { status: ['failed', 'expired'], limit: 2 } },
    gives: { ids: ['a', 'b', 'c', 'd', 'e'] },
  },
  {
    name: 'a list of our own is read to its end, page by page, whatever breaks',
    exchanges: [
      { on: 'GET /v1/webhooks?limit=1', reply: own(['a'], 'c 1') },
      { on: 'GET /v1/webhooks?limit=1&cursor=c+1', reply: { cut: 'before' } },
      { on: 'GET /v1/webhooks?limit=1&cursor=c+1', reply: own([], 'c2') },
      { on: 'GET /v1/webhooks?limit=1&cursor=c2', reply: own(['b'], null) },
    ],
    does: { list: 'webhooks.list', query: { limit: 1 } },
    gives: { ids: ['a', 'b'] },
  },
  {
    name: 'a list of sessions is read to its end, page by page',
    exchanges: [
      {
        on: 'GET /v1/env/sessions?limit=1',
        reply: { json: { sessions: [{ session_id: 'a' }], total: 2, has_more: true } },
      },
      {
        on: 'GET /v1/env/sessions?limit=1&starting_after=a',
        reply: { json: { sessions: [{ session_id: 'b' }], total: 2, has_more: false } },
      },
    ],
    does: { list: 'sessions.list', query: { limit: 1 } },
    gives: { ids: ['a', 'b'] },
  },
]

const event = (position: number, type = 'TaskDeleted') =>
  `id: ${position}\nevent: ${type}\ndata: {"type":"${type}","timestamp":"2026-01-01T00:00:00.000Z"}\n\n`
const feed = (stream: Reply['stream'] & object, query = '', more: Partial<Exchange> = {}): Exchange => ({
  on: `GET /api/events${query}`,
  reply: { stream, cut: 'after' },
  ...more,
})
const events: Behaviour[] = [
  {
    name: 'events go on after the place where new events began, and come once',
    exchanges: [
      feed(['id: 7\nevent: Position\ndata: {"position":7}\n\n'], '?types=TaskDeleted&types=TaskCreated'),
      feed([event(9), event(9), event(12).slice(0, 30)], '?types=TaskDeleted&types=TaskCreated', {
        headers: { 'last-event-id': '7' },
      }),
      feed([event(9), event(12)], '?types=TaskDeleted&types=TaskCreated', {
        headers: { 'last-event-id': '9' },
      }),
    ],
    does: { events: { types: ['TaskDeleted', 'TaskCreated'] }, take: 2 },
    gives: { positions: [9, 12] },
  },
  {
    name: 'a stored cursor is the last event that was handled',
    exchanges: [feed([event(6), event(8), event(9)], '', { headers: { 'last-event-id': '5' } })],
    does: { events: {}, take: 3, store: { kept: 5 } },
    gives: { positions: [6, 8, 9], stored: [6, 8] },
  },
  {
    name: 'a store that is empty leaves the choice to the cursor',
    exchanges: [feed([event(1)], '', { headers: { 'last-event-id': 'earliest' } })],
    does: { events: { cursor: 'earliest' }, take: 1, store: { kept: null } },
    gives: { positions: [1], stored: [] },
  },
]

const others: Behaviour[] = [
  {
    name: 'an answer that is cut off is asked for again',
    exchanges: [gets({ text: '{"jsonrpc":"2.0","resu', cut: 'after' }), gets(inEnvelope(done))],
    does: get,
    gives: { value: { id: 't1' } },
  },
  {
    name: 'when the patience is over, the error is the last one',
    exchanges: [gets({ cut: 'before' })],
    does: { ...get, patience: 0 },
    gives: { error: { class: 'ConnectionFailed', status: 0 } },
  },
  {
    name: 'an answer of something in between has a class, too',
    exchanges: [gets({ status: 504, text: '<html>' })],
    does: { ...get, patience: 0 },
    gives: { error: { class: 'Unavailable', status: 504, message: 'the answer is 504' } },
  },
  {
    name: 'an error in an envelope is read',
    exchanges: [
      gets({
        status: 404,
        json: {
          jsonrpc: '2.0',
          id: 'r',
          error: { code: -32001, message: 'no such task', data: { hint: 'Look.' } },
        },
      }),
    ],
    does: get,
    gives: { error: { class: 'NotFound', status: 404, code: -32001, hint: 'Look.' } },
  },
  {
    name: 'a secret that the server makes is asked for once',
    exchanges: [{ on: 'POST /v1/webhooks/w1/rotate-secret', reply: { cut: 'before' } }],
    does: { call: 'webhooks.rotate_secret', args: ['w1'] },
    gives: { error: { class: 'ConnectionFailed' } },
  },
  ...[
    { on: 'POST /v1/tasks/t1/reward', call: 'tasks.reward', args: ['t1', { value: 1 }] },
    { on: 'POST /v1/webhooks/w1/test', call: 'webhooks.test', args: ['w1'] },
    { on: 'POST /v1/webhooks/w1/deliveries/7/redeliver', call: 'webhooks.redeliver', args: ['w1', '7'] },
  ].flatMap(({ on, ...does }): Behaviour[] => [
    {
      name: `${does.call} is not repeated when its answer is lost`,
      exchanges: [
        { on, reply: refuses('Busy', { headers: soon }) },
        { on, reply: { cut: 'before' } },
      ],
      does,
      gives: { error: { class: 'ConnectionFailed' } },
    },
    {
      name: `${does.call} is not repeated when something in between gives up`,
      exchanges: [{ on, reply: { status: 504, text: '<html>', headers: soon } }],
      does,
      gives: { error: { class: 'Unavailable', status: 504 } },
    },
  ]),
  {
    name: 'another POST is not repeated when its answer is lost',
    exchanges: [{ on: 'POST /v1/tokens', body: { name: 'x' }, reply: { cut: 'before' } }],
    does: { request: { method: 'POST', path: '/v1/tokens', body: { name: 'x' } } },
    gives: { error: { class: 'ConnectionFailed' } },
  },
  {
    name: 'another POST is repeated with its key',
    exchanges: [
      { on: 'POST /v1/tasks', reply: { cut: 'before' } },
      { on: 'POST /v1/tasks', reply: { json: { a: 1 } } },
    ],
    does: { request: { method: 'POST', path: '/v1/tasks', body: hi, key: true } },
    gives: { value: { a: 1 } },
    sameKey: [0, 1],
  },
  {
    name: 'another POST is repeated when the program says that this is safe',
    exchanges: [
      { on: 'POST /v1/x', reply: { cut: 'before' } },
      { on: 'POST /v1/x', reply: { json: { a: 1 } } },
    ],
    does: { request: { method: 'POST', path: '/v1/x', once: false } },
    gives: { value: { a: 1 } },
  },
  {
    name: 'a step of an environment is taken once',
    exchanges: [
      { on: 'POST /v1/env/step', reply: { cut: 'before' } },
      { on: 'POST /v1/env/step', body: { session_id: 's', tool_name: 'move' }, reply: { json: { step: 1 } } },
    ],
    does: { call: 'env.step', args: [{ session_id: 's', tool_name: 'move' }] },
    gives: { value: { step: 1 } },
    sameKey: [0, 1],
  },
  {
    name: 'an id is part of the path, whatever it is',
    exchanges: [{ on: 'POST /v1/tasks/a%2Fb%3Fc%20d/cancel', reply: { json: task('canceled') } }],
    does: { call: 'tasks.cancel', args: ['a/b?c d'] },
    gives: { value: { status: 'canceled' } },
  },
]

/** Each refusal of the catalogue has its class, with all that it says. */
const refused = (Object.keys(refusals) as RefusalName[]).map((name): Behaviour => {
  const { http, code, message, hint } = refusals[name]
  return {
    name: `${name} is an error of this name`,
    exchanges: [gets(refuses(name))],
    does: { ...get, patience: 0 },
    gives: {
      error: {
        class: name,
        status: http,
        code,
        message,
        hint,
        request_id: 'req_9',
        docs: `URL/docs#error-${name}`,
      },
    },
  }
})

export const behaviours: Behaviour[] = [
  ...streams,
  ...creating,
  ...answering,
  ...lists,
  ...events,
  ...others,
  ...refused,
]
