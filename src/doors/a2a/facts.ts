// What A2A says about a request and a task cannot say. It is in the metadata of the task, and in a block of an answer.
import type { A2AMessage } from '../../contract/a2a/objects.ts'
import type { Block } from '../../contract/wire.ts'
import { metadataOf, storedMetadata } from '../metadata.ts'

/** The key of a task's metadata that has what only this door knows of its request. */
const ownMetadata = 'a2a'

type Facts = {
  message_id?: string
  message_metadata?: Record<string, unknown>
  extensions?: string[]
  reference_task_ids?: string[]
  metadata?: Record<string, unknown>
}
type Metadata = Record<string, unknown> | null | undefined

export const factsOf = (metadata: Metadata): Partial<Facts> =>
  storedMetadata<Facts>(ownMetadata, metadata).facts
/** The metadata that the client gave its request. */
export const metadataShown = (metadata: Metadata): Record<string, unknown> =>
  storedMetadata<Facts>(ownMetadata, metadata).metadata
export const withFacts = (metadata: Metadata, facts: Facts): Record<string, unknown> =>
  metadataOf(ownMetadata, metadata, facts)

const blockType = 'a2a_message'
/** The block with which an answer to a call keeps the message that brought it. */
export const blockOf = ({ messageId: message_id, metadata }: A2AMessage): Block => ({
  type: blockType,
  message_id,
  ...(metadata === undefined ? {} : { metadata }),
})
/** The id and the metadata of the message that brought an answer. `id`: that of an answer that came otherwise. */
export const messageIn = (
  blocks: readonly Block[],
  id: string,
): Pick<A2AMessage, 'messageId'> & { metadata?: Record<string, unknown> } => {
  const block: Partial<Block> = blocks.find(({ type }) => type === blockType) ?? {}
  const { message_id, metadata } = block
  return {
    messageId: typeof message_id === 'string' ? message_id : id,
    ...(typeof metadata === 'object' && metadata !== null ? { metadata: { ...metadata } } : {}),
  }
}
