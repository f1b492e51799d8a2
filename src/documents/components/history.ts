// The answers about the past: rollouts, replays, and the events of the log.
import * as audit from '../../contract/audit-responses.ts'
import * as answers from '../../contract/responses.ts'
import type { Components } from '../component.ts'
import { envelopeFields } from './envelopes.ts'
import { listFields } from './list-fields.ts'

const machineFields = {
  machine: 'The statechart as data, in the form that XState takes.',
  state: 'The status of the task.',
  value:
    'The nested state in the form in which XState writes it: a text, or an object such as `{"working": "thinking"}`.',
  next_events: 'The events that may follow in this state.',
}

/** The fields that both forms of a rollout have. */
const rolloutFields = {
  type: 'Always `task.rollout`.',
  sequence_number: 'The number of the frame that was next when the step completed.',
  position: 'The position in the log of the event that completed the step.',
  session_id: 'The id of the chat session.',
  task_id: 'The id of the task.',
  trace_id: 'The id of the first task in the tree of subagents.',
  request_id: 'The id of the request that created the task.',
  rollout_id: 'The id of this entry.',
  parent_rollout_id:
    'In the entry of a subagent: the id of the entry of the step that called the subagent; null if the code of an agent has called it.',
  fork_of: 'In the past of a fork: the step of which this one is a copy; else null.',
  effect_id: 'The id of the step, or of the call of a model, in the events of the log.',
  turn: 'The number of the user’s messages that the task has seen, from 1.',
  step: 'The number of the agent step, from 1. For a call of a model by code of a user: the number of the call among all that the code has asked for.',
  is_answer: 'Whether the step gave the agent’s answer.',
  is_compress: 'Whether the step made a summary of a context that was too long.',
  inference_args: 'The arguments that the request passed on to the endpoint.',
  tools: 'The tools that were offered.',
  request:
    'The fields that were sent to the model besides messages and tools. The body was `{...request, messages: input_messages, tools}`, without `tools` if there were none, and with the name in `messages_field`, if it is there, in place of `messages`. In a step without a model, `request` names the agent.',
  usage: 'The tokens that this step used.',
  reward: 'The newest reward of the task. Only the last entry has this field.',
  request_digest: 'base64url(SHA-256) of the body that was sent to the model.',
  response_id: 'The id that the endpoint gave to its answer.',
  model: 'The model that answered.',
  system_fingerprint: 'The field of this name in the endpoint’s answer.',
  finish_reason: 'The field of this name in the endpoint’s answer.',
  provider_call_ids: 'The id that the endpoint gave to each call, by the `call_id` of the call.',
  completion_token_ids: 'The token ids of the answer, if the endpoint gave them.',
  logprobs: 'The probabilities of the answer’s tokens, if the endpoint gave them.',
  messages_field:
    'The field of the body that had the messages, if it was not `messages`: `input` of Responses.',
  env_steps:
    'The calls of the step that were steps of an environment session, each with the state before the step, the action, and the result.',
  output_messages: 'The output of the step.',
}

export const historyComponents: Components = {
  Rollout: {
    schema: answers.RolloutEntry,
    about:
      'The input and the output of one completed agent step. With `return_rollout` it is also a frame of the task’s stream. In a step with a model, the messages are those of the model call, in the form of chat completions; in other steps they are output items.',
    fields: {
      ...rolloutFields,
      prompt_token_ids: 'The token ids of the prompt, if the endpoint gave them.',
      input_messages: 'The input of the step.',
    },
  },
  RolloutDelta: {
    schema: answers.RolloutDelta,
    about:
      'A rollout with `form=delta`: it has `input_messages_delta` in place of `input_messages`, and `prompt_token_ids_delta` in place of `prompt_token_ids`. The list is the first `keep` elements of the same list of the entry `base`, then the elements of `append`. `base` is the `rollout_id` of an earlier entry of the same task in the same answer: its newest entry before this one with `is_compress` false. With `base` null the list is `append`.',
    fields: {
      ...rolloutFields,
      input_messages_delta: 'The input of the step, as a difference.',
      prompt_token_ids_delta: 'The token ids of the prompt as a difference, if the endpoint gave them.',
    },
  },
  RolloutList: {
    schema: answers.RolloutList,
    about: 'A page of rollouts in an envelope.',
    fields: {
      ...envelopeFields,
      result: 'One entry for each completed step, in order of position.',
      has_more: 'Whether entries follow. The `position` of the last entry is the cursor of the next page.',
    },
  },
  Trajectory: {
    schema: answers.Trajectory,
    about:
      'A task as a document of ATIF 1.7, the Agent Trajectory Interchange Format. The full schema is that of the format.',
    fields: {
      schema_version: 'The version of the format.',
      session_id: 'The id of the whole run. The documents of subagents have the id of their caller.',
      trajectory_id: 'The id of this document.',
      agent: 'The name, version, model and tools of the agent.',
      steps: 'The steps of the task, numbered from 1.',
      final_metrics: 'Sums over all steps.',
      subagent_trajectories: 'The documents of the subagents.',
    },
  },
  Difference: {
    schema: answers.Difference,
    about: 'Where two tasks differ. `left` is the task of the path, `right` the other one.',
    fields: {
      first_divergence: 'The number of the first frame that differs; null if no frame differs.',
      items: 'The items of the output in pairs. `null`: this task has no such item.',
      facts: 'The stored events that differ, in pairs, the first 100 of them.',
    },
  },
  DiffFact: {
    schema: answers.DiffFact,
    about: 'A stored event.',
    fields: {
      revision: 'The number of the event in the stream of its task.',
      sequence_number: 'The number of the first frame that the event gave; else of the next frame.',
      type: 'The type of the event.',
    },
  },
  Replay: {
    schema: answers.Replay,
    about: 'What a replay of the stored events found.',
    fields: {
      task_id: 'The id of the task.',
      events: 'The number of events that the replay folded.',
      state_hash: 'base64url(SHA-256) of the replayed task object with sorted keys.',
      matches: 'Whether the log and the read models agree.',
      mismatches: 'The fields of the task object that differ.',
    },
  },
  Machine: {
    schema: answers.Machine,
    about:
      'The state machine of a task. If the agent of the task is a statechart of a user: this statechart.',
    fields: {
      ...machineFields,
      context: 'The context of the statechart of a user.',
      task: 'The state machine of the task itself, if `machine` is the statechart of a user.',
    },
  },
  TaskMachine: {
    schema: answers.TaskMachine,
    about: 'The state machine that every task has.',
    fields: machineFields,
  },
  AuditEvent: {
    schema: audit.AuditEvent,
    about:
      'A stored event, with the exact texts from which its hashes were made: `digest` in the header is SHA-256(salt + payload), `leaf_hash` is SHA-256(0x00 + header).',
    fields: {
      position: 'The number of the event in the log, from 1 without holes.',
      stream: 'The stream to which the event belongs.',
      revision: 'The number of the event in its stream, from 0.',
      type: 'The type of the event.',
      schema_version: 'The version in which the payload is written.',
      time: 'When the event was stored. It is never earlier than the time of the event before it in the log.',
      principal: 'The id of the token that caused the event, or `system`.',
      correlation_id: 'The first task in the tree of subagents, or the environment session.',
      causation_id: 'The event or the request that caused this event.',
      data: 'The payload as a value.',
      leaf_hash: 'The hash of the header.',
      header: 'The stored text of the header.',
      payload: 'The stored text of the payload; null when it was erased.',
      salt: 'The salt of the payload’s digest.',
      erased: 'Present: the payload and the salt were erased.',
      erased_by: 'The position of the event that says so.',
    },
  },
  AuditEventList: {
    schema: audit.AuditEventList,
    about: 'A page of stored events.',
    fields: { ...listFields, data: 'The events, oldest first.' },
  },
  AuditStream: {
    schema: audit.StreamSummary,
    about: 'A stream of the log.',
    fields: {
      stream: 'The name of the stream.',
      revision: 'The revision of the last event.',
      first_position: 'The position of the first event.',
      last_position: 'The position of the last event.',
      last_type: 'The type of the last event.',
      owner: 'The user who owns the stream; empty if the stream belongs to no user.',
    },
  },
  AuditStreamList: {
    schema: audit.AuditStreamList,
    about: 'A page of streams.',
    fields: { ...listFields, data: 'The streams, in the order that was asked for.' },
  },
}
