// Reads what a server asks the user (an elicitation) as a question of a tool, and makes the server's result of the answer.
import { withDefaults } from '../contract/json/defaults.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { isDeeper } from '../contract/json/json-limits.ts'
import { plainText } from '../contract/plain-text.ts'
import type { ToolAnswer, ToolQuestion } from '../contract/tools.ts'
import { deepestForm, maxFields, maxForm, maxQuestion } from './limits.ts'
import { type Fields, isFields } from './reading/heard.ts'
import { isServerUrl, type McpServer, showsSecret, withoutSecrets } from './server.ts'

/** What a client of Reprise can show for a server: a form, or the address of a page. */
export const elicitation = { form: {}, url: {} }

export type ElicitationResult = { action: 'accept' | 'decline' | 'cancel'; content?: Fields }

/** Why a server cannot be answered; it continues a sentence with the name of the server. */
export type Unaskable = { problem: string }

const simple = ['string', 'number', 'integer', 'boolean']

/** A field of a form is a simple value, or a choice of several texts. */
const isField = (field: unknown): field is Fields => {
  if (!isFields(field)) return false
  if (field.type !== 'array') return simple.includes(String(field.type))
  return isFields(field.items) && [field.items.enum, field.items.anyOf].some(Array.isArray)
}

const noForm = { problem: 'asks with a form that is none: its schema must be an object of simple fields' }

const formOf = (schema: unknown): { schema: Fields } | Unaskable => {
  if (!isFields(schema) || schema.type !== 'object') return noForm
  const { type, properties = {}, required } = schema
  if (!isFields(properties) || !Object.values(properties).every(isField)) return noForm
  const isList = Array.isArray(required) && required.every(name => typeof name === 'string')
  if (required !== undefined && !isList) return noForm
  if (isDeeper(properties, deepestForm)) return noForm
  const isLarge = JSON.stringify(properties).length > maxForm || Object.keys(properties).length > maxFields
  if (isLarge) return { problem: `asks with a form of more than ${maxFields} fields or ${maxForm >> 10} KiB` }
  return { schema: { type, properties, ...(required === undefined ? {} : { required }) } }
}

/** The question in the parameters of `elicitation/create`. */
export const questionOf = (server: McpServer, params: unknown): ToolQuestion | Unaskable => {
  if (!isFields(params) || typeof params.message !== 'string') return { problem: 'asks without a message' }
  const { mode = 'form', message, requestedSchema, url } = params
  if (message.length > maxQuestion) {
    return { problem: `asks with a message of more than ${maxQuestion >> 10} KiB` }
  }
  const question = withoutSecrets(server, message)
  const asked_by = `mcp:${server.name}`
  if (mode === 'url') {
    const isAddress = typeof url === 'string' && url.length <= maxQuestion && isServerUrl(url)
    if (!isAddress || showsSecret(server, url)) return { problem: 'asks for a visit to no URL' }
    const text = `${question}\n${url}`
    return { name: 'elicitation', arguments: { question: text }, metadata: { asked_by, url } }
  }
  if (mode !== 'form') return { problem: 'asks in a way that is not known here' }
  const form = formOf(requestedSchema)
  if ('problem' in form) return form
  if (showsSecret(server, form.schema)) return { problem: 'asks with a form that shows a secret' }
  return { name: 'elicitation', arguments: { question }, metadata: { asked_by, schema: form.schema } }
}

/** A user who closes a question without an answer. Anybody else who gives none declines. */
const isClosed = (said: string): boolean =>
  /^(cancel(l?ed)?|the user has closed the question\.?)$/i.test(said.trim())

/** The answer as the server wants it. The server gets the values that the form names for fields without an answer. */
export const resultOf = (
  { metadata: { schema } }: Pick<ToolQuestion, 'metadata'>,
  { status, content }: ToolAnswer,
): ElicitationResult => {
  const said = plainText(content)
  if (status === 'incomplete') return { action: isClosed(said) ? 'cancel' : 'decline' }
  if (schema === undefined) return { action: 'accept' }
  return { action: 'accept', content: withDefaults(schema, readJson(said)) as Fields }
}
