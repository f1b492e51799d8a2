// Environments, their sessions, and the frames of a step.
import * as answers from '../../contract/responses.ts'
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'
import { frameName, named } from './named.ts'

const sessionId = 'The id of the environment session.'
const envId = 'The `env_id` with which the session was created. If the create had none, the server made one.'
const seen = {
  tools: 'The tools that can be called now.',
  done: 'Whether the episode is over. If it is, a reset must come before the next step.',
}
const state = 'The whole visible state, as an observation returns it.'
const observation = 'What the agent sees.'

const frameWords: Record<answers.StepFrameType, string> = {
  'step.started': 'The step was accepted.',
  'step.output.delta': 'The environment produced some output while the step was running.',
  'step.completed': 'The step is finished, and this frame has its answer. This is the last frame.',
  'step.failed': 'The step was refused, or went wrong. This is the last frame.',
}
const stepFields = {
  session_id: sessionId,
  env_id: envId,
  step: 'The number of the step. Steps of a session are counted from 1; resets and restarts do not change the count.',
  tool_result: 'The result of the tool. Its status is `incomplete` if the tool failed.',
  observation,
  state,
  reward: 'The reward of this step.',
  terminated: 'The episode has reached its end.',
  truncated: 'The episode was cut off.',
  info: 'Further information from the environment. `error` says why a tool failed.',
  ...seen,
}
const frameFields = {
  ...stepFields,
  type: 'The type of the frame. The `event` of the server-sent event is the same.',
  sequence_number: 'The number of the frame: frames of this answer are counted from 0, without holes.',
  tool_name: 'The tool that the step calls.',
  tool_args: 'The arguments of the call.',
  delta: 'The new output. Append it to the output so far.',
  error: 'What went wrong. The codes are those of a step that is not streamed.',
}
const confirmed = { status: 'The result of the request.', message: 'The result as a text.' }

export const environmentComponents: Components = {
  CreateEnvBody: {
    schema: wire.CreateEnvBody,
    about: 'A request for a new instance. A null field counts as absent, and unknown fields are ignored.',
    fields: {
      session_id: 'The id of the session; if it is absent, the server makes one.',
      env_id:
        'The name of an environment. An unknown name is refused (404). If `env_class_path` is given, `env_id` is only a label. If `env_id` is absent, the server makes one.',
      user_id:
        'The user who will own the session. A request whose token belongs to a user must name that user or none.',
      client_id: 'The client that sends the request.',
      env_vars:
        'Variables for the environment and its commands. Their values are secrets, and the server shows them to nobody.',
      env_class_path:
        'The environment: its name, `module#Class` for a class in the operator’s folder, or `gymnasium#` with an id of Gymnasium’s registry. If the field is absent, `env_id` names the environment; if that is absent too, the server takes the operator’s default.',
      env_init_kwargs: 'The settings of the environment. They must fit the JSON Schema of the environment.',
    },
  },
  StepEnvBody: {
    schema: wire.StepEnvBody,
    about: 'One call of a tool.',
    fields: {
      session_id: sessionId,
      tool_name: 'One of the tools that the session offers.',
      tool_args: 'The arguments. They must fit the JSON Schema of the tool.',
      env_vars:
        'Variables for this step alone. They take precedence over those of the session, and their values are secrets.',
      stream: 'true: the answer is a stream of frames. false: one JSON answer.',
      request_id:
        'An id for the request, which the envelopes of frames contain. A retry without an `Idempotency-Key` must repeat it, like the rest of the body.',
      task_id: 'The task for which the step is taken. The event of the step names this task.',
      user_id: 'The server accepts this field and does not use it, because the session has an owner.',
      expected_step:
        'The number that this step must get. If it would get another number, the server refuses the step (409).',
    },
  },
  ResetEnvBody: {
    schema: wire.ResetEnvBody,
    about: 'A request to begin the session again.',
    fields: {
      session_id: sessionId,
      seed: 'The seed of the reset. If it is absent, the server draws one.',
      options: 'The options of the environment for a reset.',
    },
  },
  SessionBody: { schema: wire.SessionBody, about: 'Names a session.', fields: { session_id: sessionId } },
  EnvironmentInfo: {
    schema: wire.EnvironmentInfo,
    about: 'A kind of environment.',
    fields: {
      name: 'The name of the environment, for `env_id` or `env_class_path` of a create.',
      source:
        '`reprise` if the environment comes with the server; `ENV_PATH` if it comes from the operator’s folder; `gymnasium` if it comes from Gymnasium’s registry.',
      module: 'The module that defines the environment.',
      importable: 'Whether the module can be imported: `true` or `false`, as a text.',
      default_params_summary:
        'The settings of the environment. The value of each is its default, or else its type.',
      origin:
        '`builtin`: the environment comes with the server. `external`: it comes from the operator’s folder.',
      description: 'What the environment is.',
      limits: 'How much input the environment accepts and how much it stores, as a text for readers.',
      error: 'Why the module cannot be imported.',
      odd_tools:
        'Of the environment `mcp`: tools of MCP servers that were mended or left out, since their definitions are not as the protocol wants them.',
    },
  },
  EnvironmentList: {
    schema: answers.EnvironmentList,
    about: 'A list of environments.',
    fields: { environments: 'The environments, in order of their names.' },
  },
  EnvironmentDetails: {
    schema: answers.EnvironmentDetails,
    about: 'The environments of a name.',
    fields: { name: 'The name that was asked for.', details: 'The environments of that name.' },
  },
  CreatedEnv: {
    schema: answers.CreatedEnv,
    about: 'A new instance and its initial state.',
    fields: { session_id: sessionId, env_id: envId, initial_state: state, ...seen },
  },
  ResetEnv: {
    schema: answers.ResetEnv,
    about: 'The state of an instance after a reset.',
    fields: { observation, ...seen },
  },
  ObservedEnv: {
    schema: answers.ObservedEnv,
    about: 'The present state of the session.',
    fields: { state, ...seen },
  },
  ClosedEnv: {
    schema: answers.ClosedEnv,
    about: 'The confirmation that a session is closed.',
    fields: confirmed,
  },
  EnvStepAnswer: {
    schema: wire.EnvStepAnswer,
    about: 'The result of a step.',
    fields: stepFields,
  },
  StepFrame: {
    schema: answers.StepFrame,
    about:
      'One frame of a streamed step. Later versions may send further kinds of frames: ignore unknown kinds.',
  },
  ...named(answers.stepFrameSchemas, frameWords, frameFields, frameName),
  EnvSession: {
    schema: wire.EnvSession,
    about: 'The record of an environment session.',
    fields: {
      session_id: sessionId,
      user_id: 'The user who owns the session.',
      client_id: 'The client that created it.',
      env_id: envId,
      env_vars: 'The names of its environment variables; their values are hidden.',
      is_active: 'Whether the session can take steps.',
      created_at: 'When the session was created, in Unix seconds.',
      last_accessed_at:
        'When the session was created, stepped, reset or observed for the last time, in Unix seconds.',
      close_reason: 'Why the session was closed.',
      kind: 'The environment that runs, by the name that `GET /v1/env` shows.',
    },
  },
  SessionList: {
    schema: answers.SessionList,
    about: 'A list of environment sessions.',
    fields: {
      sessions: 'The sessions, in the order of their creation; with `limit` the newest first.',
      total: 'The number of sessions in the answer.',
      has_more: 'With `limit`: whether older sessions follow.',
    },
  },
  SessionMachine: {
    schema: answers.SessionMachine,
    about: 'The state machine of a session.',
    fields: {
      machine: 'The statechart.',
      state: 'The state of the session.',
      value:
        'The state in the form in which XState writes it. The chart of a session has no nested states, so `value` equals `state`.',
      next_events: 'The events that may follow.',
    },
  },
  DeletedSession: {
    schema: answers.DeletedSession,
    about: 'The confirmation that a session is deleted.',
    fields: { ...confirmed, session_id: sessionId },
  },
  CleanedSessions: {
    schema: answers.CleanedSessions,
    about: 'The sessions that the server closed because nobody used them.',
    fields: {
      status: 'Always `ok`.',
      cleaned_count: 'The number of closed sessions.',
      cleaned_sessions: 'The ids of the closed sessions.',
    },
  },
  DetailedError: {
    schema: answers.DetailedError,
    about: 'The error of a request whose environment or session was not found. `detail` repeats the message.',
    fields: {
      code: 'The code of the error.',
      message: 'The error as a text.',
      data: 'More about the error.',
      detail: 'The same text as `message`.',
    },
  },
}
