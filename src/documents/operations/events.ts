// The operations that open a stream which can be resumed.
import Type from 'typebox'
import { eventNames, Gap } from '../../contract/events/public-events.ts'
import { Frame, FramePage } from '../../contract/frames.ts'
import { Position } from '../../contract/responses.ts'
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
      'With `Accept: text/event-stream` the answer is a stream of the task’s frames, past and live. It begins after the cursor and ends when the task has ended; an `EventSource` reconnects by itself. Without this header the answer is a page of frames as JSON.',
    parameters: [
      taskId,
      after(
        'The number of a frame: the answer begins with the next frame. If it is absent, the answer begins with the first frame.',
      ),
      query(
        'starting_after',
        cursor,
        'Another name for `after`. If both are given, they must be the same number.',
      ),
      header('Last-Event-ID', cursor, 'The same as `after`. The header takes precedence over the query.'),
      limit(1000, 100, 'frames on a page of JSON'),
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
      { status: 204, about: 'The task has ended, and there are no frames after the cursor.' },
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
      'The public events of everything that the token reaches, past and live, as server-sent events. `id:` is the position in the log, and any position is a cursor. Without a cursor the stream begins with an event `Position`, which names the last position, and continues with new events. The server sends every event exactly once. Where erased events stood, one event `Gap` stands instead. The server disconnects a client that reads nothing for 10 seconds; the client can resume from its cursor.',
    parameters: [
      query(
        'starting_after',
        position,
        'The stream begins after this position. `earliest`: the stream begins with the first event.',
      ),
      header(
        'Last-Event-ID',
        position,
        'The same as `starting_after`. The header takes precedence over the query.',
      ),
      query(
        'types',
        Type.Array(Type.Enum([...eventNames])),
        'Only events of these types. For several types, repeat the parameter (as `types` or as `types[]`), or give a list with commas. The server sends `WebhookDisabled` and the events of environment sessions only if they are named here.',
      ),
      query('session_id', text, 'Only events of this session.'),
      query('task_id', text, 'Only events of this task, and of steps that were taken for this task.'),
    ],
    answers: [
      {
        status: 200,
        about: 'Events as server-sent events: `id: <position>`, `event: <type>`, `data: <event>`.',
        type: eventStream,
        items: Type.Union([PublicEvent, Gap, Position]),
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
      'Carries events, frames of tasks, and commands on one connection, as JSON messages. The AsyncAPI document lists the messages. A client authenticates by `Authorization`, by `?ticket=`, or by a first message `{"type": "auth", "token"}` within 10 seconds. A connection that exceeds the quota `sockets` or `max_streams` gets a message `error` that names the quota, and the server closes the connection with 1013.',
    answers: [{ status: 101, about: 'The connection becomes a WebSocket.' }],
    refusals: ['UpgradeRequired'],
  },
})
