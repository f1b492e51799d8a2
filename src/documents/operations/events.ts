// The streams that can be resumed.
import Type from 'typebox'
import { Frame, FramePage } from '../../contract/frames.ts'
import { eventNames } from '../../contract/public-events.ts'
import { Position } from '../../contract/responses.ts'
import { ErrorObject } from '../../contract/wire.ts'
import { PublicEvent } from '../components/streams.ts'
import { echoStream, eventsExample } from '../examples.ts'
import { defineOperations, eventStream, json } from '../operation.ts'
import { after, cursor, header, limit, query, taskId, text } from '../parameters.ts'

const position = Type.Union([cursor, Type.Literal('earliest')])

export const eventOperations = defineOperations({
  getTaskEvents: {
    method: 'GET',
    path: '/v1/tasks/{task_id}/events',
    tag: 'Events',
    access: 'follow',
    summary: 'Resume the stream of a task',
    about:
      'With `Accept: text/event-stream` its frames from any point on, past and live, until the task has ended; an `EventSource` reconnects by itself. Otherwise a page of them as JSON.',
    parameters: [
      taskId,
      after('Frames after this one. Absent: from the first.'),
      query('starting_after', cursor, 'The same; together with `after` it must be the same number.'),
      header('Last-Event-ID', cursor, 'The same; it beats the query.'),
      limit(1000, 100, 'frames (JSON)'),
    ],
    answers: [
      { status: 200, about: 'A page of frames.', type: json, schema: FramePage },
      {
        status: 200,
        about:
          'Frames as server-sent events, `event: <type>`, `id: <sequence_number>`, and `data: {"jsonrpc", "id", "result": <frame>}`.',
        type: eventStream,
        items: Type.Object({ jsonrpc: Type.Literal('2.0'), id: Type.String(), result: Frame }),
        examples: { echo: echoStream },
      },
      { status: 204, about: 'The task has ended, and nothing comes after the cursor.' },
    ],
    refusals: ['TaskNotFound', 'OverQuota'],
  },
  followEvents: {
    method: 'GET',
    path: '/api/events',
    tag: 'Events',
    access: 'follow',
    summary: 'Follow all events',
    about:
      'Events of all tasks and environment sessions that the token reaches, past and live, as server-sent events; `id:` is the position in the log, and any position is a cursor. Without a cursor it begins with an event `Position`, which names the last position, and continues with new events. Every event is sent exactly once. The server disconnects a client that reads nothing for 10 seconds; the client resumes from its cursor.',
    parameters: [
      query(
        'starting_after',
        position,
        'Events after this position; `earliest`: all events from the first one on.',
      ),
      header('Last-Event-ID', position, 'As `starting_after`, which it beats.'),
      query(
        'types',
        Type.Array(Type.Enum([...eventNames])),
        'Only these events; repeated (as `types` or as `types[]`), or a list with commas. Events of environment sessions are sent only when they are named here.',
      ),
      query('session_id', text, 'Only events of this session.'),
      query('task_id', text, 'Only events of this task, and steps that were taken for it.'),
    ],
    answers: [
      {
        status: 200,
        about: 'Events as server-sent events: `id: <position>`, `event: <type>`, `data: <event>`.',
        type: eventStream,
        items: Type.Union([PublicEvent, Position]),
        examples: { task: eventsExample },
      },
    ],
    refusals: ['OverQuota'],
  },
  openSocket: {
    method: 'GET',
    path: '/ws',
    tag: 'Events',
    access: 'open',
    summary: 'Open a WebSocket',
    about:
      'Events, the frames of tasks and commands on one connection, as JSON messages: the AsyncAPI document lists them. A client authenticates by `Authorization`, by `?ticket=`, or by a first message `{"type": "auth", "token"}` within 10 seconds. A connection beyond the quota `sockets` or `max_streams` gets a message `error` that names it, and is closed with 1013.',
    answers: [
      { status: 101, about: 'The connection becomes a WebSocket.' },
      { status: 426, about: 'The request does not ask for a WebSocket.', type: json, schema: ErrorObject },
    ],
  },
})
