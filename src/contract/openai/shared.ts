// What the bodies of OpenAI's two doors share. The forms are OpenAI's: only the fields that have an effect here are known.
import Type from 'typebox'
import { nullable, OpenObject, optional, orNull } from '../wire/schema.ts'

const text = Type.String()

/** Numbers that go to the model as they are. */
export const samplingFields = {
  temperature: orNull(Type.Number()),
  top_p: orNull(Type.Number()),
}
export const commonFields = {
  model: Type.String({ minLength: 1, maxLength: 256 }),
  metadata: orNull(Type.Record(Type.String(), Type.String())),
  parallel_tool_calls: orNull(Type.Boolean()),
  store: orNull(Type.Boolean()),
  stream: orNull(Type.Boolean()),
  tool_choice: Type.Optional(Type.Unknown()),
  ...samplingFields,
}
export const roles = ['user', 'assistant', 'system', 'developer'] as const
export const audio = Type.Object({ data: text, format: text })
export const functionFields = {
  name: Type.String({ minLength: 1, maxLength: 128 }),
  description: orNull(text),
  parameters: orNull(OpenObject),
  strict: orNull(Type.Boolean()),
}
export const schemaFields = {
  name: text,
  description: orNull(text),
  schema: OpenObject,
  strict: orNull(Type.Boolean()),
}
export const length = orNull(Type.Integer({ minimum: 1 }))

/** An error of OpenAI's doors. */
export const OpenAIError = Type.Object({
  error: Type.Object({
    message: text,
    type: text,
    param: nullable(text),
    code: nullable(text),
  }),
})
export type OpenAIError = Type.Static<typeof OpenAIError>

/** An agent as a model of OpenAI. */
export const OpenAIModel = Type.Object({
  id: text,
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: text,
})
export const OpenAIModelList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(OpenAIModel),
})
export { OpenObject, optional, text }
