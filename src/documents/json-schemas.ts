// Every public event and every frame as plain JSON Schema, to validate or generate code in other languages.

import type { TSchema } from 'typebox'
import { Frame } from '../contract/frames.ts'
import { apiVersion, StepFrame } from '../contract/responses.ts'
import { PublicEvent } from './components/streams.ts'
import { type Json, schemaWriter } from './schemas.ts'

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
