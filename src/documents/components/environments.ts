// Environments, their sessions, and the frames of a step.
import * as answers from '../../contract/responses.ts'
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'
import { frameName, named } from './named.ts'

const sessionId = 'The session.'
const envId = 'The `env_id` of its create; if there was none, the server made one.'
const seen = {
  tools: 'Tools that can be called now.',
  done: 'Whether the episode is over: the next step needs a reset.',
}
const state = 'The whole visible state, as an observation returns it.'
const observation = 'What the agent sees.'

const frameWords: Record<answers.StepFrameType, string> = {
  'step.started': 'The step was accepted.',
  'step.output.delta': 'The environment says something while it works.',
  'step.completed': 'The answer of the step. The last frame.',
  'step.failed': 'The step was refused, or went wrong. The last frame.',
}
const stepFields = {
  session_id: sessionId,
  env_id: envId,
  step: 'Counts the steps of the session from 1, over resets and restarts.',
  tool_result: 'What the tool answered; `incomplete` when it failed.',
  observation,
  state,
  reward: 'The reward of this step.',
  terminated: 'The episode has reached its end.',
  truncated: 'The episode was cut off.',
  info: 'Anything more; `error` says why a tool failed.',
  ...seen,
}
const frameFields = {
  ...stepFields,
  type: 'The type of the frame; also the `event` of the server-sent event.',
  sequence_number: 'Counts the frames of this answer from 0, without holes.',
  tool_name: 'The tool that is called.',
  tool_args: 'Its arguments.',
  delta: 'What is new, to be put at the end.',
  error: 'What went wrong; the codes are those of the answers that are no stream.',
}
const confirmed = { status: 'The result.', message: 'The same in words.' }

export const environmentComponents: Components = {
  CreateEnvBody: {
    schema: wire.CreateEnvBody,
    about: 'A new instance. Null is the same as leaving a field out; unknown fields are ignored.',
    fields: {
      session_id: 'The id of the session; if it is absent, the server makes one.',
      env_id:
        'The name of an environment; an unknown name is refused (404). With `env_class_path` it is a label. If it is absent, the server makes one.',
      user_id: 'The user whose session it is; a token that belongs to a user must name that user or none.',
      client_id: 'Who calls.',
      env_vars:
        'Variables for the environment and its commands; their values are secrets and shown to nobody.',
      env_class_path:
        'The environment: its name, or `module#Class` of the operator’s folder. Absent: `env_id`, else the operator’s default.',
      env_init_kwargs: 'Its settings, checked by its own JSON Schema.',
    },
  },
  StepEnvBody: {
    schema: wire.StepEnvBody,
    about: 'One call of a tool.',
    fields: {
      session_id: sessionId,
      tool_name: 'One of the tools that it offers.',
      tool_args: 'The arguments, checked by the tool’s own JSON Schema.',
      env_vars: 'Variables for this step, over those of the session; their values are secrets.',
      stream: 'true: the answer is a stream of frames. false: one JSON answer.',
      request_id: 'An id for the request; envelopes of frames carry it. Never used to tell retries apart.',
      task_id: 'The task that the step is for; its event names it.',
      user_id: 'Taken and not used: the session has its user.',
      expected_step: 'The number that this step must get; otherwise it is refused (409).',
    },
  },
  ResetEnvBody: {
    schema: wire.ResetEnvBody,
    about: 'A new beginning.',
    fields: {
      session_id: sessionId,
      seed: 'The seed from which the world is made; if it is absent, the server draws one.',
      options: 'The options of the environment for a reset.',
    },
  },
  SessionBody: { schema: wire.SessionBody, about: 'Names a session.', fields: { session_id: sessionId } },
  EnvironmentInfo: {
    schema: wire.EnvironmentInfo,
    about: 'A kind of environment.',
    fields: {
      name: 'Its name: `env_id` or `env_class_path` of a create.',
      source: 'Where it comes from.',
      module: 'Its module.',
      importable: '`true` or `false`, as texts.',
      default_params_summary: 'Its settings: the default of each, else its type.',
      origin: 'Comes with the server, from a package, or from the operator’s folder.',
      description: 'What it is.',
      limits: 'How much it takes and keeps, for people.',
      error: 'Why it is not importable.',
    },
  },
  EnvironmentList: {
    schema: answers.EnvironmentList,
    about: 'Environments.',
    fields: { environments: 'By name.' },
  },
  EnvironmentDetails: {
    schema: answers.EnvironmentDetails,
    about: 'The environments of a name.',
    fields: { name: 'The name that was asked for.', details: 'The environments of that name.' },
  },
  CreatedEnv: {
    schema: answers.CreatedEnv,
    about: 'A new instance, as it begins.',
    fields: { session_id: sessionId, env_id: envId, initial_state: state, ...seen },
  },
  ResetEnv: { schema: answers.ResetEnv, about: 'A new beginning.', fields: { observation, ...seen } },
  ObservedEnv: {
    schema: answers.ObservedEnv,
    about: 'The present state of the session.',
    fields: { state, ...seen },
  },
  ClosedEnv: { schema: answers.ClosedEnv, about: 'An instance that is closed.', fields: confirmed },
  EnvStepAnswer: {
    schema: wire.EnvStepAnswer,
    about: 'The result of a step.',
    fields: stepFields,
  },
  StepFrame: {
    schema: answers.StepFrame,
    about: 'One frame of a streamed step. More kinds may come: ignore unknown kinds.',
  },
  ...named(answers.stepFrameSchemas, frameWords, frameFields, frameName),
  EnvSession: {
    schema: wire.EnvSession,
    about: 'The record of an environment session.',
    fields: {
      session_id: 'Its id.',
      user_id: 'The user whose session it is.',
      client_id: 'The client that created it.',
      env_id: envId,
      env_vars: 'The names of its environment variables; their values are hidden.',
      is_active: 'Whether it can be stepped.',
      created_at: 'Unix seconds.',
      last_accessed_at: 'Unix seconds: of its create, or its newest step, reset or observation.',
      close_reason: 'Why it was closed.',
      kind: 'The environment that runs, as `GET /v1/env` names it. Absent: the session was created by version 0.1.0.',
    },
  },
  SessionList: {
    schema: answers.SessionList,
    about: 'Sessions.',
    fields: { sessions: 'In the order of their creation.', total: 'The number of sessions.' },
  },
  SessionMachine: {
    schema: answers.SessionMachine,
    about: 'The state machine of a session.',
    fields: {
      machine: 'The statechart.',
      state: 'The state of the session.',
      value: 'The state in the chart, as XState writes it. The chart of a session is flat, so it is `state`.',
      next_events: 'The events that may follow.',
    },
  },
  DeletedSession: {
    schema: answers.DeletedSession,
    about: 'A session that is deleted.',
    fields: { ...confirmed, session_id: 'Its id.' },
  },
  CleanedSessions: {
    schema: answers.CleanedSessions,
    about: 'Sessions that were closed because nobody used them.',
    fields: {
      status: 'Always `ok`.',
      cleaned_count: 'The number of closed sessions.',
      cleaned_sessions: 'The ids of the closed sessions.',
    },
  },
  DetailedError: {
    schema: answers.DetailedError,
    about: 'An error whose message is repeated in `detail`: an environment or a session was not found.',
    fields: {
      code: 'The code of the error.',
      message: 'The same in words.',
      data: 'More about it.',
      detail: 'The message.',
    },
  },
}
