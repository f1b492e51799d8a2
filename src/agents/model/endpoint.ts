// The port of a model's endpoint. Behind it stand the protocols: each adapter sends bodies and reads answers in its own
// way, and the agent sees only what is here. The other half of an adapter writes the bodies (src/model-requests/protocol.ts).

import type { ModelCall } from '../../contract/agent.ts'
import type { Annotation, Logprob, Usage } from '../../contract/wire.ts'
import type { Asked } from '../../model-requests/request.ts'
import type { ModelRefused } from './failures.ts'

/**
 * A piece of an answer as it arrives. `opens`: the text begins another item, though the text before it is of the same
 * kind. `annotations`: sources of the text so far; the piece may then be empty. `call` is the adapter's own name for a call in this answer; `text` is more of its arguments as JSON text.
 */
export type Heard =
  | {
      kind: 'text' | 'reasoning' | 'refusal'
      text: string
      logprobs?: Logprob[]
      annotations?: Annotation[]
      opens?: true
    }
  | { kind: 'call'; call: string; name: string; text: string }

/** A call of an answer. `arguments` are the texts of its pieces, joined; empty: the call had no pieces. */
export type HeardCall = { name: string; arguments: string }

/** How far an answer has come. `ended`: its end reason is known. `over`: nothing of use follows. */
export type Progress = 'going' | 'ended' | 'over'

/**
 * An answer to its end. `response`: what the log stores of it: `finish_reason` in the endpoint's own word, `call_ids`
 * in the order of the calls, and in `kept` the extras that the endpoint wants back with this turn. `calls`: in the order of their
 * items; calls without pieces come last. `progress`: `going` if the answer stopped without saying that it was whole.
 * `sentDigest`: the digest of the body that went over the wire, if it is another text than the one that was given.
 */
export type Answer = {
  response: ModelCall['response']
  usage?: Usage
  calls: HeardCall[]
  progress: Progress
  sentDigest?: string | undefined
}

/** Something that was learned of a model. `forget` takes it back, when it did not help. */
export type Lesson = { forget: () => void }

export type ModelEndpoint = {
  /** The name of the model that is asked when a request names none. */
  model: string
  /** The name of the dialect in which the endpoint is spoken to, for that model. */
  dialect: string
  /** The request for a call of this model, as the log stores it: endpoint, protocol, dialect, switches. */
  asks: (model: string) => Asked
  /**
   * Sends a body. Yields the pieces of the answer in the groups in which they arrive, and returns its end. Throws
   * ModelRefused, ModelLost, or the signal's reason.
   */
  answer: (body: string, signal: AbortSignal) => AsyncGenerator<Heard[], Answer>
  /** Learns from a refusal what the endpoint does not take. Undefined: no other body is more likely to be accepted. */
  learns: (asked: Asked, refused: ModelRefused) => Lesson | undefined
}
