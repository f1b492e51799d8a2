// The bodies of requests.
import * as wire from '../../contract/wire.ts'
import type { Components } from '../component.ts'

export const bodyComponents: Components = {
  CreateTaskBody: {
    schema: wire.CreateTaskBody,
    about:
      'A new task. Null is the same as leaving an optional field out, at any depth; unknown keys are ignored and named by their path in `metadata.ignored_fields`.',
    fields: {
      user_message_content:
        'The message of the user. May be empty when `history_messages` answers waiting calls.',
      stream: 'true: the answer is a stream of frames. false: one JSON answer.',
      structured_output:
        'JSON Schema (2020-12) of the answer; the last message must be JSON that fits. Ignored when streaming.',
      client_id:
        'The caller. The name of an agent chooses that agent; any other name runs the default agent.',
      request_id:
        'An id for the chain of requests; the envelope carries it. Never used to tell retries apart.',
      session_id: 'The session to continue; if it is absent, a new one begins.',
      task_id:
        'The id of the task; if it is absent, the server makes one. The same id with the same body is the same task. With the id of a waiting task, this request answers that task.',
      user_id: 'The end user; a token that belongs to a user must name that user or none.',
      agent_config: 'The agent and its settings.',
      allowed_tools:
        'Tools of the server that may be called; null: all; empty: none. Subagents and `client_tools` need not be named here.',
      disallowed_tools:
        'Tools that may not be called: of the server, of the client, and subagents as `agent_<name>`.',
      allowed_subagents: 'Subagents that may be called; null: all; empty: none. This list alone decides.',
      stop_tools: 'Tools after whose call the task completes.',
      client_tools: 'Tools of the client: when one is called the task waits for its result.',
      history_messages:
        'The earlier messages, in place of those of the session. Results (`tool_result`) for calls of a waiting task of the session answer it, and alone are no past.',
      thought_messages: 'Hidden thoughts of the assistant, seen by the agent.',
      inference_args: 'Passed on to the model’s endpoint.',
      workspace_dir: 'The folder of file tools, below the own folder of the task’s user.',
      env: 'Variables for everything that runs for the task: shell commands and steps of its session, `run_javascript` (`env`), subagents, MCP servers that list them in `env_from`. Their values are secrets and shown to nobody.',
      log_dir:
        'A folder for the task’s log, below the own folder of the task’s user: `<task id>.jsonl`, written when the task ends, a line of JSON for each frame, with its time.',
      rollout_save_dir:
        'Where rollouts are written as a file when the task has ended, below the own folder of the task’s user.',
      return_rollout: 'The task contains its rollouts once it has ended.',
      include_compress_model_rollout: 'Summaries of the context are among the rollouts.',
      include_subagent_rollout: 'Steps of subagents are among the rollouts.',
      background: 'With `stream: false`: answer at once, while the task continues.',
      on_disconnect: '`cancel`: the task is canceled when the caller goes away before its answer.',
      metadata: 'Kept and returned; keys that only the service writes are refused.',
    },
  },
  AgentConfig: {
    schema: wire.AgentConfig,
    about: 'Which agent runs, and how.',
    fields: {
      agent_id:
        'One of the agents that `GET /v1/agents` lists. Another name is refused, unless `developer_prompt` or `model` is given too: then it is a label, and the default agent runs.',
      name: 'A name for it.',
      description: 'What it is for.',
      developer_prompt: 'Instructions for the model.',
      model: 'The model at the endpoint, in place of the configured one.',
      max_model_length: 'The context window in tokens; near it the older part is summed up.',
      max_response_length: 'The longest answer in tokens.',
      compress_model: 'The model that sums up.',
      compress_prompt: 'The instructions for the summary.',
      compress_threshold_token_ratio: 'The part of the window that must be full before a summary is made.',
      inference_args: 'Passed on to the endpoint, below those of the request.',
      allowed_tools: 'Tools of the server that may be called; null: all; empty: none.',
      builtin_tools: 'Which built-in tools are offered; null: all.',
      builtin_subagents: 'Which built-in subagents are offered; null: all.',
      tool_mcp_config:
        'MCP servers, `{"mcpServers": {name: {}}}` of the operator’s, or `{url, headers}` of a public one; header values are secrets.',
      code_interpreter_config: 'Accepted without effect, and named in `metadata.ignored_fields`.',
      code_for_agent: 'Accepted without effect, and named in `metadata.ignored_fields`.',
      code_for_interpreter: 'Accepted without effect, and named in `metadata.ignored_fields`.',
      script: 'What the agent `script` plays, one entry a step.',
    },
  },
  ScriptStep: {
    schema: wire.ScriptStep,
    about:
      'One step of a script: names exactly one action. `$result` in a text is the last tool’s result; in a script for a subagent it is escaped, so that the script stays JSON.',
    fields: {
      reasoning: 'Thinks this.',
      message: 'Says this.',
      delta_ms: 'Milliseconds between the words of a message.',
      tool: 'Calls this tool.',
      arguments: 'The arguments of the call.',
      tools: 'Calls these tools, all at once.',
      subagent: 'Gives `input` to this agent, as a task of its own.',
      input: 'The message for the subagent.',
      sleep_ms: 'Waits.',
      pause: 'Pauses the task for this reason.',
      fail: 'Fails with this error.',
      usage: 'Reports this usage.',
    },
  },
  AnswerCallsBody: {
    schema: wire.AnswerCallsBody,
    about: 'Results of calls that wait for the client.',
    fields: {
      tool_results:
        'At least one. `status: incomplete` says that the call failed; the first answer to a call counts.',
    },
  },
  PostMessageBody: {
    schema: wire.PostMessageBody,
    about: 'Something said to the agent while it works.',
    fields: { content: 'The message; not empty.' },
  },
  RewardBody: {
    schema: wire.RewardBody,
    about: 'A reward for a task.',
    fields: {
      value: 'The reward.',
      name: 'The name of the reward.',
      data: 'Anything more.',
    },
  },
  CreateTokenBody: {
    schema: wire.CreateTokenBody,
    about: 'A new token.',
    fields: {
      role: 'The role, which decides what the token may do.',
      user_id: 'The user whose tasks it reaches; absent: those of all users.',
      ttl: 'Seconds until it ends; absent: never.',
    },
  },
}
