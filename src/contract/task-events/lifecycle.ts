// The events of a task's lifecycle: changes of its status, requests for such changes, its deletion, and rewards.
import Type, { type TProperties } from 'typebox'
import { CreateTaskBody, ErrorObject, taskStatuses } from '../wire.ts'
import { AgentStep, Deadline, From, OriginalAt, optional } from './schema.ts'

/** Inputs and items of a task, by their ids. */
const Reference = Type.Object({
  stream: Type.String(),
  items: Type.Array(Type.String()),
  first_items: optional(Type.Integer({ minimum: 0 })),
})

export const lifecycleEvents = {
  /** The accepted request: its body without secret values, the ids of its inputs, its idempotency key and digest. */
  TaskCreated: {
    task_id: Type.String(),
    session_id: Type.String(),
    user_id: Type.String(),
    agent: Type.String(),
    agent_id: Type.String(),
    workdir: Type.String(),
    request_id: Type.String(),
    request: CreateTaskBody,
    /** One id for each input, in this order: history_messages, thought_messages, the user message. */
    input_ids: Type.Array(Type.String()),
    digest: Type.String(),
    idempotency_key: optional(Type.String()),
    secret_ref: optional(Type.String()),
    ignored_fields: optional(Type.Array(Type.String())),
    previous_task_id: optional(Type.String()),
    /** The request brings its own past, so the context holds no earlier task of the session. */
    own_past: optional(Type.Literal(true)),
    /**
     * The reference of the webhook's secrets. They are kept when the task ends, unlike those of `secret_ref`.
     */
    webhook_secret_ref: optional(Type.String()),
    /** A webhook in the form of another protocol, with which a client of it made the task. */
    push: optional(
      Type.Object({
        protocol: Type.Literal('a2a'),
        id: Type.String(),
        scheme: optional(Type.String()),
        token: optional(Type.Literal(true)),
        url: Type.String(),
        header_names: optional(Type.Array(Type.String())),
      }),
    ),
    /**
     * Only in a subagent's task: the calling task, the first task of the tree, and how deep this task is below that
     * first task.
     */
    parent_task_id: optional(Type.String()),
    parent_agent_id: optional(Type.String()),
    parent_agent_step: optional(AgentStep),
    root_task_id: optional(Type.String()),
    depth: optional(Type.Integer()),
    /** Only in the task of a turn of a group chat: the chat, and the name of the speaker. */
    turn: optional(Type.Object({ group_chat_id: Type.String(), name: Type.String() })),
    /**
     * Only in a fork: the task whose past was copied, the frame at which the past was cut, and the last revision that
     * was copied. `status`: the status with which the fork begins. `past`: the conversation of the session before the
     * cut, which later tasks of the fork's session see.
     */
    forked_from: optional(
      Type.Object({
        task_id: Type.String(),
        at: Type.Integer(),
        revision: Type.Integer(),
        status: Type.Enum([...taskStatuses]),
        past: Type.Array(Reference),
      }),
    ),
    expires_at: Deadline,
  },
  /** `waiting_for`: no worker is there that could run the agent. */
  TaskQueued: { from: From, expires_at: Deadline, waiting_for: optional(Type.Literal('worker')) },
  /** The agent of the waiting or working task is in no worker that is there; `over`: one has come. */
  WorkerAwaited: { over: optional(Type.Literal(true)) },
  /**
   * The agent begins. `context` is what the agent sees from earlier tasks: references to their inputs and items, oldest
   * first. `context_of`: before these references, the agent sees what the task of this stream saw of earlier tasks at its
   * own start. So a session of many turns names each turn once. `seen_until`: of the tasks of its session, the agent sees
   * those that completed up to this position; a later task may then begin with this context. `first_items`: the agent also
   * sees this many items from the beginning of the output of that task. Turns of a group chat have this number in place of
   * a list of ids that would grow with each turn. `agent_version`: the agent is code of a user, and the task begins with this
   * version of it. `agent_own`: this code runs in workers of the user alone, and the task stays with them. `agent_seed`: the seed
   * of the random numbers of that code, which a fork takes over.
   */
  TaskStarted: {
    from: From,
    context: Type.Array(Reference),
    context_of: optional(Type.String()),
    seen_until: optional(Type.Integer()),
    agent_version: optional(Type.String()),
    agent_own: optional(Type.Literal(true)),
    agent_seed: optional(Type.String()),
    original_at: OriginalAt,
    ttl_seconds: optional(Type.Integer()),
  },
  PauseRequested: {},
  TaskPaused: { from: From, reason: Type.String(), expires_at: Deadline },
  TaskResumed: { from: From, ttl_seconds: optional(Type.Integer()) },
  CancelRequested: { reason: optional(Type.String()) },
  /** The task is completed. `continued_by` is the task that was created with the answers to the calls of this task. */
  TaskCompleted: { from: From, continued_by: optional(Type.String()) },
  TaskFailed: { from: From, error: ErrorObject },
  TaskCanceled: { from: From, reason: optional(Type.String()) },
  TaskExpired: { from: From },
  TaskDeleted: { by: Type.String() },
  /** A reward for the task, perhaps long after its end. */
  RewardGiven: {
    by: Type.String(),
    value: Type.Number(),
    name: optional(Type.String()),
    data: optional(Type.Unknown()),
  },
} satisfies Record<string, TProperties>
