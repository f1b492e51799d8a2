// The operation of AG-UI. A task is behind each run.
import { AgUiEvent } from '../../contract/ag-ui/events.ts'
import { RunAgentInput } from '../../contract/ag-ui/input.ts'
import { defineOperations, eventStream, refusalsOfMessages } from '../operation.ts'
import { cursor, idempotencyKey, retryCount, text } from '../parameters.ts'

export const agUiOperations = defineOperations({
  runAgent: {
    method: 'POST',
    path: '/ag-ui/{agent}',
    tag: 'AG-UI',
    access: 'write',
    summary: 'Run an agent',
    about:
      'AG-UI 1.0: the answer is the stream of the events of a run. `threadId` is the session, and `runId` the id of the task, unless the body answers a task that waits: with `resume`, or with a message of a tool. A request with the `runId` of a run that is there joins this run, and each event always has the same number. The task continues when the connection breaks.',
    parameters: [
      { in: 'path', name: 'agent', schema: text, about: 'The name of the agent.' },
      {
        in: 'header',
        name: 'Last-Event-ID',
        schema: cursor,
        about: 'The number of an event: the stream begins with the next one.',
      },
      idempotencyKey,
      retryCount,
    ],
    body: {
      schema: RunAgentInput,
      examples: {
        text: {
          summary: 'A text',
          value: {
            threadId: 'thread-1',
            runId: 'run-1',
            messages: [{ id: '1', role: 'user', content: 'Hello' }],
          },
        },
      },
    },
    answers: [
      {
        status: 200,
        about: 'The events of the run.',
        type: eventStream,
        items: AgUiEvent,
        headers: ['X-Task-Id', 'X-Session-Id', 'Idempotency-Replayed'],
      },
    ],
    refusals: ['RouteNotFound', ...refusalsOfMessages],
  },
})
