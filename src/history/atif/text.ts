// Writes a trajectory as JSON text in pieces, since the document of a long task may be longer than the longest string.
import { jsonPieces } from '../../contract/json/json-pieces.ts'
import type { Trajectory } from './format.ts'

export function* textsOf(document: Trajectory): Generator<string> {
  let before = '{'
  for (const [key, value] of Object.entries(document)) {
    yield `${before}${JSON.stringify(key)}:`
    before = ','
    if (key === 'steps') yield* arrayOf(document.steps.map(step => () => jsonPieces(step)))
    else if (key === 'subagent_trajectories') {
      yield* arrayOf((document.subagent_trajectories ?? []).map(inner => () => textsOf(inner)))
    } else yield* jsonPieces(value)
  }
  yield '}'
}

function* arrayOf(elements: (() => Iterable<string>)[]): Generator<string> {
  yield '['
  for (const [n, texts] of elements.entries()) {
    if (n > 0) yield ','
    yield* texts()
  }
  yield ']'
}
