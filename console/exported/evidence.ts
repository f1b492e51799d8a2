// Collects what the proof of an event needs from the files of the export.
import { fileNames } from '../../src/proof/export/format.ts'
import type { Evidence } from '../proof/check-event.ts'
import type { PageEvent } from './content.ts'
import { files } from './files.ts'

export const evidenceOf = ({ position, header, payload, salt, hashes = [], known }: PageEvent): Evidence => ({
  event: { position, ...known, header, payload, salt },
  note: files.text(fileNames.checkpoint) ?? '',
  keys: files.text(fileNames.key) ?? '',
  leafIndex: position - 1,
  hashes,
})
