// Answers about the past: rollouts, replays, the log.
import * as answers from '../../contract/responses.ts'
import type { Components } from '../component.ts'
import { envelopeFields } from './envelopes.ts'

export const historyComponents: Components = {
  Rollout: {
    schema: answers.RolloutEntry,
    about:
      'One completed agent step, also as a frame of the task’s stream with `return_rollout`: its input and its output. In a step with a model, the messages are those of its call, in the form of chat completions; in other steps they are output items.',
    fields: {
      type: 'Always `task.rollout`.',
      sequence_number: 'The number of the frame that was next when the step completed.',
      position: 'Where the step completed in the log.',
      session_id: 'The session.',
      task_id: 'The task.',
      trace_id: 'The task that started the chain.',
      request_id: 'The id of the request that created the task.',
      rollout_id: 'Its own id.',
      parent_rollout_id: 'Of a subagent’s step: the step of its caller.',
      fork_of: 'Null.',
      effect_id: 'The id under which the step was journalled.',
      turn: 'Counts the user’s messages, from 1.',
      step: 'Counts agent steps, from 1.',
      is_answer: 'Whether it is the agent’s answer.',
      is_compress: 'Whether it is a summary of a context that was too long.',
      inference_args: 'Arguments that the request passed on to the endpoint.',
      tools: 'The tools that were offered.',
      request:
        'The fields that were sent besides messages and tools: the body was `{...request, messages: input_messages, tools}`, without `tools` when there were none. Without a model: the agent.',
      usage: 'Tokens of this step.',
      reward: 'The newest reward of the task, on the last entry.',
      request_digest: 'base64url(SHA-256) of the body that was sent.',
      response_id: 'The endpoint’s id of its answer.',
      model: 'The model that answered.',
      system_fingerprint: 'As the endpoint gave it.',
      finish_reason: 'As the endpoint gave it.',
      provider_call_ids: 'The endpoint’s own id of each call, by ours.',
      prompt_token_ids: 'Token ids of the prompt, where the endpoint gave them.',
      completion_token_ids: 'Token ids of the answer, where the endpoint gave them.',
      logprobs: 'Probabilities of the answer’s tokens, where the endpoint gave them.',
      input_messages: 'The input of the step.',
      output_messages: 'The output of the step.',
    },
  },
  RolloutList: {
    schema: answers.RolloutList,
    about: 'Rollouts in an envelope.',
    fields: { ...envelopeFields, result: 'One entry for each completed step, in order of position.' },
  },
  Trajectory: {
    schema: answers.Trajectory,
    about:
      'A task as a document of ATIF 1.7, the Agent Trajectory Interchange Format; it has a schema of its own.',
    fields: {
      schema_version: 'Of the format.',
      session_id: 'Of the whole run: subagents have their caller’s.',
      trajectory_id: 'Of this document.',
      agent: 'Name, version, model and tools.',
      steps: 'What happened, numbered from 1.',
      final_metrics: 'Sums over all steps.',
      subagent_trajectories: 'The documents of its subagents.',
    },
  },
  Replay: {
    schema: answers.Replay,
    about: 'What a replay of the stored events found.',
    fields: {
      task_id: 'The task.',
      events: 'How many events were folded.',
      state_hash: 'base64url(SHA-256) of the replayed task object, its keys sorted.',
      matches: 'Whether the log and the read models agree.',
      mismatches: 'Fields of the task object that differ.',
    },
  },
  Machine: {
    schema: answers.Machine,
    about: 'The state machine of a task.',
    fields: {
      machine: 'The statechart as plain data, as XState takes it.',
      state: 'The status of the task.',
      value:
        'The nested state in the chart, as XState writes it: a text, or an object such as `{"working": "thinking"}`.',
      next_events: 'The events that may move it from there.',
    },
  },
  AuditEvent: {
    schema: answers.AuditEvent,
    about:
      'A stored event, with the exact texts from which its hashes were made: `digest` in the header is SHA-256(salt + payload), `leaf_hash` is SHA-256(0x00 + header).',
    fields: {
      position: 'Its place in the log, from 1 without holes.',
      stream: 'The stream it belongs to.',
      revision: 'Its place in the stream, from 0.',
      type: 'What happened.',
      schema_version: 'The version in which the payload is written.',
      time: 'When; never earlier than the event before it in the log.',
      principal: 'The id of the token that caused it, or `system`.',
      correlation_id: 'The task that started the chain.',
      causation_id: 'The event or the request that caused it.',
      data: 'The payload as a value.',
      leaf_hash: 'The hash of the header.',
      header: 'The header as it is stored.',
      payload: 'The payload as it is stored.',
      salt: 'The salt of the payload’s digest.',
    },
  },
  AuditEventPage: {
    schema: answers.AuditEventPage,
    about: 'A page of stored events.',
    fields: { events: 'Events, oldest first.', has_more: 'Whether there are more events at present.' },
  },
  AuditStream: {
    schema: answers.StreamSummary,
    about: 'A stream of the log.',
    fields: {
      stream: 'Its name.',
      revision: 'Of its last event.',
      first_position: 'The position of its first event.',
      last_position: 'The position of its last event.',
      last_type: 'The type of its last event.',
      owner: 'The user whose stream it is; empty if it belongs to no user.',
    },
  },
  AuditStreamPage: {
    schema: answers.AuditStreamPage,
    about: 'A page of streams.',
    fields: {
      streams: 'Streams, in order of creation.',
      has_more: 'Whether there are more streams at present.',
    },
  },
}
