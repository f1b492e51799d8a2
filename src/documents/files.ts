// The documents, as files below docs/.

import type { TSchema } from 'typebox'
import { Frame } from '../contract/frames.ts'
import { apiVersion, StepFrame } from '../contract/responses.ts'
import { asyncApi } from './asyncapi.ts'
import { errorsFile } from './catalogue.ts'
import { PublicEvent } from './components/streams.ts'
import { openApi } from './openapi.ts'
import { type Json, schemaWriter } from './schemas.ts'

// Every public event and every frame as plain JSON Schema, to validate or generate code in other languages.

const documentOf = (file: string, title: string, description: string, root: TSchema): Json => {
  const schemas = schemaWriter('#/$defs/')
  const { $ref } = schemas.of(root)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: file,
    title,
    description,
    $comment: `interface ${apiVersion}`,
    $ref,
    $defs: schemas.named(),
  }
}

export const jsonSchemas = (): Record<string, Json> => ({
  'public-events.json': documentOf(
    'public-events.json',
    'Public events',
    'The content of `data` on /api/events.',
    PublicEvent,
  ),
  'task-frames.json': documentOf(
    'task-frames.json',
    'Frames of a task',
    'The content of `result` on the stream of a task.',
    Frame,
  ),
  'step-frames.json': documentOf(
    'step-frames.json',
    'Frames of a step',
    'The content of `result` on the stream of a step of an environment.',
    StepFrame,
  ),
})

const jsonText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

/** The text of each document, by its path relative to docs/. */
export const documentFiles = (): Record<string, string> => ({
  'openapi.json': jsonText(openApi()),
  'asyncapi.json': jsonText(asyncApi()),
  'errors.md': errorsFile(),
  ...Object.fromEntries(
    Object.entries(jsonSchemas()).map(([name, schema]) => [`schemas/${name}`, jsonText(schema)]),
  ),
})
