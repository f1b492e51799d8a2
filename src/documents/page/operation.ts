// One operation on the page: its description, its input, its answers, and a form that sends a request.
import { rolesOf } from '../../access/roles.ts'
import { eventStream, json, type Operation, type Parameter } from '../operation.ts'
import { refusedAnswers } from '../refused.ts'
import type { Json, schemaWriter } from '../schemas.ts'
import { code, escaped, line, prose, table } from './html.ts'
import { sampleOf } from './sample.ts'
import { fieldsOf, schemaPrefix, typeOf } from './schema.ts'

type Schemas = ReturnType<typeof schemaWriter>

const parametersOf = ({ parameters = [] }: Operation, schemas: Schemas): string =>
  table(
    ['Parameter', 'Type', 'Meaning'],
    parameters.map(({ in: where, name, schema, about }) => {
      const written = schemas.of(schema)
      const fallback = 'default' in written ? ` Default ${code(String(written.default))}.` : ''
      return [`${code(name)} <small>${where}</small>`, typeOf(written), `${line(about)}${fallback}`]
    }),
  )

const answersOf = (operation: Operation, schemas: Schemas): string => {
  const good = operation.answers.map(({ status, about, type, schema, items }) => {
    const shape =
      schema !== undefined
        ? typeOf(schemas.of(schema))
        : items === undefined
          ? ''
          : `each ${type === eventStream ? 'event' : 'line'}: ${eachOf(schemas.of(items))}`
    return [code(String(status)), type ? `<small>${type}</small><br>${shape}` : '', line(about)]
  })
  const refused = refusedAnswers(operation, schemas).sort((a, b) => a.status - b.status)
  const bad = refused.map(({ status, response }) => [
    code(String(status)),
    typeOf(status === 422 ? invalid(response) : { $ref: errorRef(operation) }),
    prose(String(response.description)),
  ])
  return table(['Answer', 'Shape', 'Meaning'], [...good, ...bad])
}
const eachOf = (schema: Json): string => {
  const result = (schema.properties as Json | undefined)?.result as Json | undefined
  return result === undefined ? typeOf(schema) : `${typeOf(result)} in an envelope`
}
const invalid = ({ content }: Json): Json => (content as { [json]: { schema: Json } })[json].schema
const errorRef = ({ envelope }: Operation): string => `#schema-${envelope ? 'ErrorEnvelope' : 'ErrorObject'}`

const input = ({ in: where, name, schema }: Parameter, schemas: Schemas): string => {
  const field = `${where}:${name}`
  const { type, enum: values } = schemas.of(schema) as { type?: string; enum?: string[] }
  const options = values ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const control = options
    ? `<select name="${field}"><option></option>${options.map(value => `<option>${value}</option>`).join('')}</select>`
    : `<input name="${field}"${where === 'path' ? ' required' : ''} autocomplete="off">`
  return `<label>${code(name)} ${control}</label>`
}

/** The fields of the body, and a button for each that adds it to the body in the form, with a sample value. */
const bodyFieldsOf = ({ body }: Operation, schemas: Schemas): string => {
  if (body === undefined) return ''
  const named = (reference: string) =>
    schemas.named()[reference.slice(schemaPrefix.length)] as Json | undefined
  const written = schemas.of(body.schema)
  const schema = typeof written.$ref === 'string' ? (named(written.$ref) ?? {}) : written
  const fields = fieldsOf(schema)
  if (fields === '') return `<p>Body: ${typeOf(written)}</p>`
  const buttons = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
    ([name, field]) =>
      `<button type="button" class="add" data-field="${escaped(name)}" data-sample="${escaped(JSON.stringify(sampleOf(field, named)))}">${escaped(name)}</button>`,
  )
  return `<details class="fields"><summary>Fields of the body</summary><p>Its schema: ${typeOf(written)}</p>${fields}</details>
<p class="adds">Add to the body: ${buttons.join(' ')}</p>`
}

const bodyOf = ({ body }: Operation): string => {
  if (body === undefined) return ''
  const examples = Object.values(body.examples)
  const text = (value: unknown) => escaped(JSON.stringify(value, null, 2))
  const choice =
    examples.length < 2
      ? ''
      : `<label>Example <select class="examples">${examples
          .map(({ summary, value }) => `<option value="${text(value)}">${escaped(summary)}</option>`)
          .join('')}</select></label>`
  return `${choice}<label>Body<textarea name="body" rows="8" spellcheck="false">${text(examples[0]?.value)}</textarea></label>`
}

const formOf = (operation: Operation, schemas: Schemas): string => {
  const { method, path, parameters = [], answers, access } = operation
  const types = [...new Set(answers.flatMap(({ type }) => type ?? []))]
  // A choice of the media type, if a GET may answer with several of them.
  const accept =
    method !== 'GET' || types.length < 2
      ? ''
      : `<label>Accept <select name="accept">${types.map(type => `<option>${type}</option>`).join('')}</select></label>`
  return `<form data-method="${method}" data-path="${path}"${access === 'open' ? '' : ' data-token'}>
<h3>Try it</h3><div class="inputs">${parameters.map(parameter => input(parameter, schemas)).join('')}${accept}</div>${bodyOf(operation)}
<p><button>Send</button> <button type="button" class="stop" hidden>Stop</button> <button type="button" class="copy">Copy</button></p>
<pre class="sample"></pre><p class="status" role="status"></p><pre class="answer" hidden></pre></form>`
}

export const operationSection = (operation: Operation, schemas: Schemas): string => {
  const { id, method, path, summary, about, access } = operation
  const roles = rolesOf[access].map(code).join(', ')
  return `<details id="${id}"><summary><span class="method ${method.toLowerCase()}">${method}</span> ${code(path)} <span>${line(summary)}</span></summary>
${prose(about)}<p><small>${roles ? `Roles: ${roles}` : 'Needs no token'}</small></p>
${parametersOf(operation, schemas)}${bodyFieldsOf(operation, schemas)}
${answersOf(operation, schemas)}${formOf(operation, schemas)}</details>`
}
