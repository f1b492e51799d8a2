// The bodies of requests.
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'

/** The settings of an agent, alone or as a speaker of a group chat. */
const settings = {
  agent_id:
    'One of the agents that `GET /v1/agents` lists. Another name is refused, unless `developer_prompt` or `model` is given too: then the name is only a label, and the default agent runs.',
  name: 'A name for the agent.',
  description: 'What the agent is for.',
  developer_prompt: 'Instructions for the model.',
  model: 'The model at the endpoint, in place of the configured model.',
  max_model_length:
    'The context window in tokens. When the context comes near this limit, a summary replaces its older part.',
  max_response_length: 'The length of the longest answer, in tokens.',
  compress_model: 'The model that writes the summary.',
  compress_prompt: 'The instructions for the summary.',
  compress_threshold_token_ratio: 'The part of the window that must be full before a summary is made.',
  inference_args:
    'Arguments that the server passes on to the endpoint. Those of the request take precedence.',
  allowed_tools: 'The tools of the server that the agent may call. Null allows all, an empty list none.',
  builtin_tools: 'The built-in tools that the agent is offered. Null offers all.',
  builtin_subagents:
    'The subagents that the agent may call and is offered. Absent or null: it may call every agent, and is offered only `model`.',
  tool_mcp_config:
    'The MCP servers of the task: `{"mcpServers": {name: {}}}` for a server of the operator, or `{url, headers}` in place of `{}` for a public server. The values of headers are secrets.',
  code_interpreter_config: 'Accepted without effect, and named in `metadata.ignored_fields`.',
  code_for_agent: 'Accepted without effect, and named in `metadata.ignored_fields`.',
  code_for_interpreter: 'Accepted without effect, and named in `metadata.ignored_fields`.',
  script: 'The steps that the agent `script` plays, one entry for each step.',
  approve:
    'Patterns of tools whose calls wait until somebody approves them: names of tools with `*` for any characters, `mcp:<server>`, `agent:<agent>`, `env:<tool>`, or `*` for every tool of the server. Subagents take over the patterns.',
}

export const bodyComponents: Components = {
  CreateTaskBody: {
    schema: wire.CreateTaskBody,
    about:
      'A request for a new task. A null in an optional field counts as absent, at any depth. Unknown keys are ignored, and `metadata.ignored_fields` names their paths.',
    fields: {
      user_message_content:
        'The message of the user. It may be empty if `history_messages` answers waiting calls.',
      stream: 'true: the answer is a stream of frames. false: one JSON answer.',
      structured_output:
        'A JSON Schema (2020-12) of the answer. The last message must be JSON that fits the schema. With `stream: true` the field is ignored.',
      client_id:
        'The caller. If this is the name of an agent, that agent runs; otherwise the default agent runs.',
      request_id:
        'An id for the chain of requests, which the envelope contains. A retry must repeat it, like the rest of the body.',
      session_id: 'The chat session to continue. If it is absent, a new session begins.',
      task_id:
        'The id of the task. If it is absent, the server makes one. A second request with the same id and the same body returns the first task. A request with the id of a waiting task answers that task.',
      user_id: 'The end user. A request whose token belongs to a user must name that user or none.',
      agent_config: 'The agent and its settings.',
      allowed_tools:
        'The tools of the server that the agent may call. Null allows all, an empty list none. Subagents and `client_tools` need not be named here.',
      disallowed_tools:
        'The tools that the agent may not call: tools of the server, tools of the client, and subagents as `agent_<name>`.',
      allowed_subagents:
        'The subagents that the agent may call. Null allows all, an empty list none. `allowed_tools` does not affect subagents.',
      stop_tools: 'The task completes after the agent has called one of these tools.',
      client_tools:
        'Tools that the client runs. When the agent calls one, the task waits for the client’s result.',
      history_messages:
        'The earlier messages of the conversation, which replace those of the session. Results (`tool_result`) for calls of a waiting task of the session answer that task. A list of only such results does not replace the messages of the session.',
      thought_messages: 'Thoughts of the assistant that the agent sees and the user does not.',
      inference_args: 'Arguments that the server passes on to the model’s endpoint.',
      workspace_dir: 'The folder in which file tools work, inside the own folder of the task’s user.',
      env: 'Variables for everything that runs for the task: steps and shell commands of its environment session, `run_javascript` (as `env`), subagents, and MCP servers that list the variables in `env_from`. Their values are secrets, and the server shows them to nobody.',
      log_dir:
        'A folder for the task’s log, inside the own folder of the task’s user. When the task has ended, the server writes the file `<task id>.jsonl` there: a line of JSON for each frame, with its time.',
      rollout_save_dir:
        'A folder for the task’s rollouts, inside the own folder of the task’s user. When the task has ended, the server writes the rollouts to a file there.',
      return_rollout: 'The task contains its rollouts once it has ended.',
      include_compress_model_rollout: 'The rollouts contain the steps that made summaries of the context.',
      include_subagent_rollout: 'The rollouts contain the steps of subagents.',
      background: 'With `stream: false`: the server answers at once, and the task continues.',
      on_disconnect:
        '`cancel`: if the caller disconnects before the answer is complete, the server cancels the task.',
      webhook: 'A URL to which the server sends the events of this task.',
      metadata:
        'Keys of the caller, which the server stores and returns. Keys that only the service writes are refused.',
    },
  },
  AgentConfig: {
    schema: wire.AgentConfig,
    about: 'The agent that runs, and its settings.',
    fields: {
      ...settings,
      group: 'The group chat that the agent `group` runs.',
    },
  },
  SpeakerConfig: {
    schema: wire.SpeakerConfig,
    about:
      'A speaker of a group chat: an agent with its settings, and a name of its own. Its fields are those of AgentConfig, without `group` and `tool_mcp_config`.',
    fields: {
      ...settings,
      name: 'The name of the speaker. Names of a chat are unique.',
      tool_mcp_config: 'Refused here: the speakers use the servers of the chat’s own `agent_config`.',
      script:
        'The steps that the agent `script` plays. A turn plays them up to and including the next message; after the last message they begin again.',
    },
  },
  GroupConfig: {
    schema: wire.GroupConfig,
    about: 'A group chat: who speaks, in which order, and when it ends.',
    fields: {
      agents:
        'The speakers. Each `name` has 1 to 64 letters, digits, `_` or `-`, and no two names are equal. The names `user` and `END` are taken.',
      order:
        '`round_robin`, the default: one after the other. `moderator`: the moderator chooses each speaker, or ends the chat. `free`: one after the other, and each may pass; the chat ends after a round in which nobody spoke.',
      moderator:
        'The moderator, only with `order: moderator`. Its text is the name of the next speaker, or `END`. A moderator without a `name` is called `moderator`.',
      max_rounds:
        'The largest number of rounds, 10 if absent. A round is one turn of each speaker. With a moderator, it is the moderator’s choice and the turn of the chosen speaker.',
      stop_words: 'The chat ends after a speaker’s message that contains one of these texts.',
      on_failure:
        'What happens when a turn fails. `skip` (if absent): the next turn follows. `fail`: the chat fails too.',
    },
  },
  ScriptStep: {
    schema: wire.ScriptStep,
    about:
      'One step of a script, which names exactly one action. The server replaces `$result` in a text with the result of the last tool. In a script for a subagent, the server escapes that result, so that the script stays JSON.',
    fields: {
      reasoning: 'The step thinks this text.',
      message: 'The step says this text.',
      delta_ms: 'Milliseconds between the words of a message.',
      tool: 'The step calls this tool.',
      arguments: 'The arguments of the call.',
      tools: 'The step calls these tools, all at once.',
      subagent: 'The step gives `input` to this agent, as a task of its own.',
      input: 'The message for the subagent.',
      sleep_ms: 'The step waits for this number of milliseconds.',
      pause: 'The step pauses the task for this reason.',
      fail: 'The step fails with this error.',
      usage: 'The step reports this usage.',
    },
  },
  AnswerCallsBody: {
    schema: wire.AnswerCallsBody,
    about: 'Results of calls that wait for the client.',
    fields: {
      tool_results:
        'At least one result. `status: incomplete` says that the call failed. The first answer to a call counts.',
    },
  },
  DecideApprovalBody: {
    schema: wire.DecideApprovalBody,
    about: 'A decision about a call that waits for an approval. The first decision counts.',
    fields: {
      call_id: 'The id of the call.',
      decision: '`approve`: the call runs. `refuse`: it does not run, and its result tells the agent so.',
      arguments:
        'Only with `approve`: the call runs with these arguments. They must fit the tool. The item of the call shows them from then on.',
      reason: 'Why. The agent reads the reason of a refusal.',
    },
  },
  ForkTaskBody: {
    schema: wire.ForkTaskBody,
    about: 'Where a fork begins, and what is different in it.',
    fields: {
      at: 'The number of a frame of the task. The past of the fork ends with the append that gave this frame.',
      agent_config: 'Settings of the agent. Each one replaces that of the task.',
      user_message_content: 'A further message of the user, which the next step of the fork sees.',
      run: '`false`: the fork is paused. Without it, the fork continues at once.',
      task_id: 'The id of the fork. Without it, the server makes one.',
      agent: 'Short for `agent_config.agent_id`.',
      model: 'Short for `agent_config.model`.',
      message: 'Short for `user_message_content`.',
      pause: '`true` is short for `run: false`.',
    },
  },
  PostMessageBody: {
    schema: wire.PostMessageBody,
    about: 'A message to the agent while it works: exactly one of the two fields.',
    fields: {
      content: 'The message. It must not be empty.',
      event: 'An event for the statechart of the agent. Only an agent that is code of a user takes events.',
    },
  },
  MachineEvent: {
    schema: wire.MachineEvent,
    about: 'An event for the statechart of an agent. All its fields reach the chart.',
    open: true,
    fields: { type: 'The type of the event. It must not begin with `xstate.`.' },
  },
  RewardBody: {
    schema: wire.RewardBody,
    about: 'A reward for a task.',
    fields: {
      value: 'The reward.',
      name: 'The name of the reward.',
      data: 'More about the reward, in any form.',
    },
  },
  LoginBody: {
    schema: wire.LoginBody,
    about: 'The ticket of a one-time link.',
    fields: { ticket: 'The ticket. It can be used once, within a minute.' },
  },
  CreateTokenBody: {
    schema: wire.CreateTokenBody,
    about: 'A request for a new token.',
    fields: {
      role: 'The role, which decides what the token may do.',
      name: 'A name by which people recognize the token in the list.',
      user_id:
        'The user whose objects the token reaches. If it is absent, the token reaches those of all users.',
      ttl: 'Seconds until the token expires. If it is absent, the token never expires.',
    },
  },
}
