// The objects of A2A. The protocol's own specification explains their fields; here stands what they are here.
import * as objects from '../../contract/a2a/objects.ts'
import * as requests from '../../contract/a2a/requests.ts'
import type { Components } from '../component.ts'

const inTask = { contextId: 'The session of the task.', taskId: 'The id of the task.' }

export const a2aComponents: Components = {
  SendMessageRequest: {
    schema: requests.SendMessageRequest,
    about: 'A message for an agent. Names of fields may be in snake case, too.',
    fields: {
      tenant: 'The name of the agent.',
      message:
        'The message. With `taskId` it goes to that task, with `contextId` alone it makes a task in that conversation.',
      configuration:
        '`returnImmediately`: the answer comes at once. `acceptedOutputModes` with `application/json` and no text: the agent answers with data.',
      metadata: 'The metadata of the task.',
    },
  },
  A2AMessage: {
    schema: objects.A2AMessage,
    about: 'A message of A2A.',
    fields: {
      ...inTask,
      messageId: 'The id that its sender gave it.',
      role: '`ROLE_USER`: the client; `ROLE_AGENT`: the agent.',
      parts: 'What it says.',
      metadata: 'Kept, and shown again.',
      extensions: 'Kept, and shown again.',
      referenceTaskIds: 'Kept, and shown again.',
    },
  },
  A2APart: {
    schema: objects.A2APart,
    about: 'A part of a message or an artifact: exactly one of `text`, `raw`, `url` and `data`.',
    fields: {
      text: 'A text.',
      raw: 'A file in base64.',
      url: 'The address of a file.',
      data: 'Any JSON.',
      metadata: '`call_id`: the call that the part answers. `decision`: `approve` or `refuse`.',
      filename: 'The name of a file.',
      mediaType: 'The type of a file.',
    },
  },
  A2AStatus: {
    schema: objects.A2AStatus,
    about: 'The status of a task in the words of A2A.',
    fields: {
      state: 'The state. A task that is paused works.',
      message: 'What the task asks, why it failed, or that it is paused.',
      timestamp: 'When the status changed.',
    },
  },
  A2AArtifact: {
    schema: objects.A2AArtifact,
    about: 'A message of the agent, or files that a tool gave.',
    fields: {
      artifactId: 'Its id in the task.',
      name: 'Its name.',
      parts: 'What the agent said, or the files.',
    },
  },
  A2ATask: {
    schema: objects.A2ATask,
    about: 'A task in the form of A2A.',
    fields: {
      id: 'The id of the task.',
      contextId: 'The session of the task.',
      status: 'How the task stands.',
      artifacts: 'What the agent has said.',
      history: 'The messages of the client, and the questions of the agent.',
      metadata: 'The metadata of the request.',
    },
  },
  A2ATaskList: {
    schema: objects.A2ATaskList,
    about: 'A page of tasks in the form of A2A.',
    fields: {
      tasks: 'The tasks, newest first.',
      nextPageToken: 'The token of the next page; empty at the end.',
      pageSize: 'The size that was asked for.',
      totalSize: 'The number of all tasks that fit.',
    },
  },
  A2AStreamResponse: {
    schema: objects.A2AStreamResponse,
    about: 'An event of a stream: exactly one of its fields is there.',
    fields: {
      task: 'The task, as it is when the stream begins.',
      statusUpdate: 'The new status.',
      artifactUpdate: 'A piece of an artifact. `append`: it follows what was there.',
    },
  },
  SentMessage: {
    schema: objects.SentMessage,
    about: 'The answer to a message.',
    fields: { task: 'The task of the message.' },
  },
  PushConfig: {
    schema: objects.PushConfig,
    about: 'Where the changes of a task are sent. Answers have neither the token nor the credentials.',
    fields: {
      tenant: 'The name of the agent.',
      id: 'The id that the client gives it, or a new one.',
      taskId: 'The task.',
      url: 'The address to which changes are sent.',
      token: 'Sent as `X-A2A-Notification-Token`.',
      authentication: 'Sent as `Authorization`: the scheme and the credentials.',
    },
  },
  PushConfigList: {
    schema: objects.PushConfigList,
    about: 'The configurations of a task.',
    fields: {
      configs: 'The configurations, oldest first.',
      nextPageToken: 'The token of the next page; empty at the end.',
    },
  },
  AgentCard: {
    schema: objects.AgentCard,
    about: 'What an agent says of itself.',
    fields: {
      name: 'The name of the agent.',
      description: 'What it is for.',
      version: 'The version of the agent, or that of the API.',
      documentationUrl: 'The page with all requests of this server.',
      supportedInterfaces: 'Its address, for each binding.',
      capabilities: 'What of the protocol it can do.',
      securitySchemes: 'A bearer token.',
      securityRequirements: 'Every call needs the token.',
      defaultInputModes: 'The media types that it takes.',
      defaultOutputModes: 'The media types that it gives.',
      skills: 'One skill: the agent itself.',
    },
  },
  A2AError: {
    schema: objects.A2AError,
    about: 'An error of HTTP+JSON.',
    fields: { error: 'The status, a message, and details for programs.' },
  },
  RpcAnswer: {
    schema: objects.RpcAnswer,
    about: 'An answer of JSON-RPC.',
    fields: {
      jsonrpc: 'Always `2.0`.',
      id: 'The id of the call; null: it is not known.',
      result: 'What the method gives.',
      error: 'Why it gives nothing.',
    },
  },
}
