// The one event of a list of tools, read from its stream.
import { isToolListStream, type ToolsListed } from '../events/tool-list-events.ts'
import { decoderOf } from './decoder.ts'

export const toolListEvents = decoderOf<{ type: 'ToolsListed'; data: ToolsListed }>(
  'tool list',
  isToolListStream,
  ['ToolsListed'],
)
