// The documents as files below docs/.
import { asyncApi } from './asyncapi.ts'
import { jsonSchemas } from './json-schemas.ts'
import { openApi } from './openapi.ts'

const textOf = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** Text by path, relative to docs/. */
export const documentFiles = (): Record<string, string> => ({
  'openapi.json': textOf(openApi()),
  'asyncapi.json': textOf(asyncApi()),
  ...Object.fromEntries(
    Object.entries(jsonSchemas()).map(([name, schema]) => [`schemas/${name}`, textOf(schema)]),
  ),
})
