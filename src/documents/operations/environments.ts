// The operations that list environments, and those that create, step, reset, observe and close an instance.
import Type from 'typebox'
import {
  ClosedEnv,
  CreatedEnv,
  EnvironmentDetails,
  EnvironmentList,
  ObservedEnv,
  ResetEnv,
  StepFrame,
} from '../../contract/responses.ts'
import { CreateEnvBody, EnvStepAnswer, ResetEnvBody, SessionBody, StepEnvBody } from '../../contract/wire.ts'
import {
  createdEnv,
  createEnvExamples,
  observedEnv,
  resetEnv,
  resetEnvExample,
  stepAnswer,
  stepEnvExamples,
  stepStream,
} from '../environment-examples.ts'
import { defineOperations, eventStream, json } from '../operation.ts'
import { header, limit, query, short, text } from '../parameters.ts'

const thisSession = { session: { summary: 'The session `maze`', value: { session_id: 'maze' } } }

const sessionRetryCount = header(
  'X-Stainless-Retry-Count',
  Type.Integer({ minimum: 0 }),
  'More than 0: this request is a retry. If the newest request of this caller had the same body and no key, and the caller did not receive its whole answer, the server returns that answer.',
)

export const environmentOperations = defineOperations({
  listEnvironments: {
    method: 'GET',
    path: '/v1/env',
    tag: 'Environments',
    access: 'read',
    summary: 'List the environments',
    about:
      'The built-in environments and those of the operator’s folder, in order of their names. A cursor is a name. The list does not contain that environment itself. A request may have only one of the two cursors.',
    parameters: [
      query('starting_after', text, 'Environments whose names come after this one.'),
      query('ending_before', text, 'Environments whose names come just before this one.'),
      limit(1000, 100, 'environments'),
    ],
    answers: [{ status: 200, about: 'A page of environments.', type: json, schema: EnvironmentList }],
  },
  getEnvironment: {
    method: 'GET',
    path: '/v1/env/{env_id}',
    tag: 'Environments',
    access: 'read',
    summary: 'Get an environment',
    about: 'The environments that have this name: a module of the operator’s folder may define several.',
    parameters: [
      {
        in: 'path',
        name: 'env_id',
        schema: text,
        about: 'The name of the environment, as the list shows it.',
      },
    ],
    answers: [
      { status: 200, about: 'The environments of that name.', type: json, schema: EnvironmentDetails },
    ],
    refusals: ['EnvNotFound'],
  },
  createEnv: {
    method: 'POST',
    path: '/v1/env/create',
    tag: 'Environments',
    access: 'write',
    summary: 'Create an instance of an environment',
    about:
      'Creates an environment session: the server starts an instance in a process of its own, and resets it with a random seed. If an active session has this id, the server returns it, provided that the environment and `env_init_kwargs` are the same. A closed session gets a new instance, and its step numbers continue.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'Identifies the request. If the key was used with the same body before, the server returns the earlier answer, whatever happened to the session since. If the key was used with another body, the server refuses the request (409).',
      ),
      sessionRetryCount,
    ],
    body: { schema: CreateEnvBody, examples: createEnvExamples },
    answers: [
      {
        status: 200,
        about: 'The session and its initial state.',
        type: json,
        schema: CreatedEnv,
        headers: ['Idempotency-Replayed'],
        examples: { map: createdEnv },
      },
    ],
    refusals: ['EnvNotFound', 'SessionNotFound', 'Forbidden', 'Conflict', 'OverQuota'],
  },
  stepEnv: {
    method: 'POST',
    path: '/v1/env/step',
    tag: 'Environments',
    access: 'write',
    summary: 'Take a step',
    about:
      'Calls one tool. Steps of a session run one after another, and a step continues when its caller disconnects. If the tool fails, the step still has an answer: `tool_result` is `incomplete`, and `info.error` says why. If the instance crashes or breaks a limit, the answer of the step looks the same, but `truncated` is true and the session is closed.\n\nWith `stream: true` the answer is a stream of frames. With `stream: false` it is the answer of the step. If this takes longer than 10 seconds, the answer begins with spaces, which keep the connection alive.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'Identifies the step in its session. If the key was used with the same body before, the server returns the answer of the earlier step. If the key was used with another body, the server refuses the request (409).',
      ),
      sessionRetryCount,
    ],
    body: { schema: StepEnvBody, examples: stepEnvExamples },
    answers: [
      {
        status: 200,
        about: 'The result of the step.',
        type: json,
        schema: EnvStepAnswer,
        headers: ['Idempotency-Replayed'],
        examples: { step: stepAnswer },
      },
      {
        status: 200,
        about:
          'With `stream: true`: frames as server-sent events, `event: <type>` and `data: {"jsonrpc", "id", "result": <frame>}`, without `id:` lines. The last frame is `step.completed` or `step.failed`.',
        type: eventStream,
        headers: ['Idempotency-Replayed'],
        items: Type.Object({ jsonrpc: Type.Literal('2.0'), id: Type.String(), result: StepFrame }),
        examples: { step: stepStream },
      },
    ],
    refusals: ['SessionNotFound', 'SessionDone', 'SessionAway', 'Forbidden', 'Conflict', 'OverQuota'],
  },
  resetEnv: {
    method: 'POST',
    path: '/v1/env/reset',
    tag: 'Environments',
    access: 'write',
    summary: 'Reset a session',
    about:
      'Puts the environment into an initial state. Equal seeds and options give equal initial states. Step numbers continue.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'Identifies the reset in its session. If the key was used with the same body before, the server returns the answer of the earlier reset. If the key was used with another body, the server refuses the request (409).',
      ),
      sessionRetryCount,
    ],
    body: { schema: ResetEnvBody, examples: resetEnvExample },
    answers: [
      {
        status: 200,
        about: 'The initial state of the environment.',
        type: json,
        schema: ResetEnv,
        headers: ['Idempotency-Replayed'],
        examples: { map: resetEnv },
      },
    ],
    refusals: ['SessionNotFound', 'SessionAway', 'Conflict'],
  },
  observeEnv: {
    method: 'POST',
    path: '/v1/env/observation',
    tag: 'Environments',
    access: 'write',
    summary: 'Observe without a step',
    about: 'Returns the present state and changes nothing. An observation counts as a use of the session.',
    body: { schema: SessionBody, examples: thisSession },
    answers: [
      {
        status: 200,
        about: 'The present state.',
        type: json,
        schema: ObservedEnv,
        examples: { map: observedEnv },
      },
    ],
    refusals: ['SessionNotFound', 'SessionAway', 'Conflict'],
  },
  closeEnv: {
    method: 'POST',
    path: '/v1/env/close',
    tag: 'Environments',
    access: 'write',
    summary: 'Close a session',
    about:
      'Ends the instance of the session. The record of the session stays. Closing the session again changes nothing.',
    body: { schema: SessionBody, examples: thisSession },
    answers: [
      {
        status: 200,
        about: 'The session is closed.',
        type: json,
        schema: ClosedEnv,
        examples: { closed: { status: 'closed', message: 'session maze is closed' } },
      },
    ],
    refusals: ['SessionNotFound'],
  },
})
