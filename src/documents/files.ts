// The documents, as files below docs/.
import { asyncApi } from './asyncapi.ts'
import { jsonSchemas } from './json-schemas.ts'
import { openApi } from './openapi.ts'

const jsonText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** The text of each document, by its path relative to docs/. */
export const documentFiles = (): Record<string, string> => ({
  'openapi.json': jsonText(openApi()),
  'asyncapi.json': jsonText(asyncApi()),
  ...Object.fromEntries(
    Object.entries(jsonSchemas()).map(([name, schema]) => [`schemas/${name}`, jsonText(schema)]),
  ),
})
