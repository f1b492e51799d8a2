// The operations of environments: the kinds, and the life of an instance.
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

const thisSession = { session: { summary: 'Of this session', value: { session_id: 'maze' } } }

const sessionRetryCount = header(
  'X-Stainless-Retry-Count',
  Type.Integer({ minimum: 0 }),
  'More than 0: this is a retry. If the newest request of this caller had the same body and no key, and its answer did not arrive whole, that answer is returned.',
)

export const environmentOperations = defineOperations({
  listEnvironments: {
    method: 'GET',
    path: '/v1/env',
    tag: 'Environments',
    access: 'read',
    summary: 'List the environments',
    about:
      'Built-in ones, and those of the operator’s folder, by name. A cursor is a name, which is not listed itself; a request may have only one of the two.',
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
    about: 'The environments of a name: a module of the operator’s folder may hold several.',
    parameters: [{ in: 'path', name: 'env_id', schema: text, about: 'Its name, as it is listed.' }],
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
      'Starts an instance, in a process of its own, and resets it with a seed that is drawn. It belongs to a session. An active session is returned if its environment and `env_init_kwargs` are the same. A closed session continues with a new instance, and its step numbers continue.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'The same key with the same body gets the same answer, whatever happened to the session since; with another body it is refused (409).',
      ),
      sessionRetryCount,
    ],
    body: { schema: CreateEnvBody, examples: createEnvExamples },
    answers: [
      {
        status: 200,
        about: 'The session, and the initial state of its world.',
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
      'One call of a tool. Steps of a session run one after another, and continue when their caller disconnects. A tool that fails is an answer too: `tool_result` is `incomplete`, and `info.error` says why. An instance that crashes or breaks a limit answers so as well, with `truncated` true, and its session is closed.\n\nWith `stream: true` the answer is a stream of frames. With `stream: false` it is the answer of the step; one that takes longer than 10 seconds begins with spaces, which keep the connection alive.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'The same key with the same body is the same step of the session; with another body it is refused (409).',
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
          'With `stream: true`: frames as server-sent events, `event: <type>` and `data: {"jsonrpc", "id", "result": <frame>}`, without `id:` lines. The last one is `step.completed` or `step.failed`.',
        type: eventStream,
        headers: ['Idempotency-Replayed'],
        items: Type.Object({ jsonrpc: Type.Literal('2.0'), id: Type.String(), result: StepFrame }),
        examples: { step: stepStream },
      },
    ],
    refusals: ['SessionNotFound', 'SessionDone', 'Conflict', 'OverQuota'],
  },
  resetEnv: {
    method: 'POST',
    path: '/v1/env/reset',
    tag: 'Environments',
    access: 'write',
    summary: 'Begin anew',
    about: 'The same seed and options give the same beginning. Step numbers continue.',
    parameters: [
      header(
        'Idempotency-Key',
        short,
        'The same key with the same body is the same reset of the session; with another body it is refused (409).',
      ),
      sessionRetryCount,
    ],
    body: { schema: ResetEnvBody, examples: resetEnvExample },
    answers: [
      {
        status: 200,
        about: 'The initial state of the world.',
        type: json,
        schema: ResetEnv,
        headers: ['Idempotency-Replayed'],
        examples: { map: resetEnv },
      },
    ],
    refusals: ['SessionNotFound', 'Conflict'],
  },
  observeEnv: {
    method: 'POST',
    path: '/v1/env/observation',
    tag: 'Environments',
    access: 'write',
    summary: 'Observe without a step',
    about: 'Changes nothing, but counts as a use of the session.',
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
    refusals: ['SessionNotFound'],
  },
  closeEnv: {
    method: 'POST',
    path: '/v1/env/close',
    tag: 'Environments',
    access: 'write',
    summary: 'Close an instance',
    about: 'Its record stays. Closing it again changes nothing.',
    body: { schema: SessionBody, examples: thisSession },
    answers: [
      {
        status: 200,
        about: 'The instance is closed.',
        type: json,
        schema: ClosedEnv,
        examples: { closed: { status: 'closed', message: 'session maze is closed' } },
      },
    ],
    refusals: ['SessionNotFound'],
  },
})
