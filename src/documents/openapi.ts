// The interface as an OpenAPI 3.1 document, from the table of operations and the TypeBox values that validate requests.
import { rolesOf } from '../access/roles.ts'
import { everyAnswer } from '../contract/answer-headers.ts'
import { apiVersion } from '../contract/responses.ts'
import { answersOf } from './answered.ts'
import { type Operation, type Parameter, tags } from './operation.ts'
import { operations } from './operations.ts'
import { requestId } from './parameters.ts'
import { type Refused, refusedAnswers } from './refused.ts'
import { type Json, schemaWriter } from './schemas.ts'

export const introduction = `Agent tasks on an append-only event log.

- Every operation below \`/v1\`, and \`/api/events\`, needs a token: \`Authorization: Bearer <token>\`; the first start stores the admin’s token in \`data/admin-token\`. An object that a token does not reach does not exist for it (404).
- Errors are 4xx and 5xx: a JSON-RPC error object, in an envelope where the operation answers with one; 422 lists every problem of a request. An unknown path is 404 \`-32601\`; a method that a path does not have is 405 \`-32601\` with \`Allow\`. \`HEAD\` answers as \`GET\` without a body; for a stream it sends the headers alone.
- Unknown fields of requests are ignored, and answers may gain fields: ignore those that you do not know.
- Streams are described in full by the AsyncAPI document, \`/asyncapi.json\`.`

type Describe = (name: string, header: { value: string; about: string }) => Json
const ofEveryAnswer = (describe: Describe): Json =>
  Object.fromEntries(Object.entries(everyAnswer).map(([name, header]) => [name, describe(name, header)]))

const common: Json = {
  'X-Request-ID': { $ref: '#/components/headers/X-Request-ID' },
  ...ofEveryAnswer(name => ({ $ref: `#/components/headers/${name}` })),
  'X-Ignored-Query': { $ref: '#/components/headers/X-Ignored-Query' },
}

/** Headers of every answer. */
const commonHeaders: Json = {
  'X-Request-ID': {
    description: 'The id of the request, percent-encoded where it is not printable ASCII.',
    schema: { type: 'string' },
  },
  ...ofEveryAnswer((_name, { value, about }) => ({ description: about, schema: { const: value } })),
  'X-Ignored-Query': {
    description:
      'Names of query parameters that the operation does not know, percent-encoded, with commas between them. Absent: there are none.',
    schema: { type: 'string' },
  },
}

const securitySchemes: Json = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token: the admin’s, or one made by `createToken`.',
  },
  ticket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description: 'In place of a token where a browser opens a stream: see `createStreamTicket`.',
  },
}

const securityOf = ({ access, method }: Operation): Json[] =>
  access === 'open'
    ? []
    : [{ token: [] }, ...(access === 'follow' && method === 'GET' ? [{ ticket: [] }] : [])]

export const openApi = (): Json => {
  const schemas = schemaWriter('#/components/schemas/', { tagged: true })

  const parameterOf = ({ in: where, name, schema, about }: Parameter): Json => ({
    in: where,
    name,
    description: about,
    ...(where === 'path' ? { required: true } : {}),
    schema: schemas.of(schema),
  })

  const responses: Json = {}
  const place = ({ name, response }: Refused): Json => {
    if (name === undefined) return response
    responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }

  const operationOf = (operation: Operation): Json => {
    const { id, tag, summary, access, body, parameters = [] } = operation
    const roles = rolesOf[access]
    const forWhom = roles.length === 0 ? 'Needs no token.' : `For the roles ${roles.join(', ')}.`
    const answers = [...answersOf(operation, schemas, common), ...refusedAnswers(operation, schemas, common)]
    answers.sort((a, b) => a.status - b.status)
    return {
      operationId: id,
      tags: [tag],
      summary,
      description: `${operation.about}\n\n${forWhom}`,
      security: securityOf(operation),
      parameters: [...parameters.map(parameterOf), { $ref: '#/components/parameters/RequestId' }],
      ...(body && {
        requestBody: {
          required: body.isOptional !== true,
          content: { 'application/json': { schema: schemas.of(body.schema), examples: body.examples } },
        },
      }),
      responses: Object.fromEntries(answers.map(answer => [answer.status, place(answer)])),
    }
  }

  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reprise',
      version: apiVersion,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/', description: 'The server that gave this document' },
      { url: 'http://127.0.0.1:8080', description: 'The default address of a server' },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.named(),
      responses,
      parameters: { RequestId: parameterOf(requestId) },
      headers: commonHeaders,
      securitySchemes,
    },
  }
}
