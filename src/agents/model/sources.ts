// Reads the sources that an endpoint names for its text: citations of pages and files. They come with a piece of the text,
// after it, or only with the whole answer.
import type { Annotation } from '../../contract/wire.ts'
import { isWithin } from './bounds.ts'
import type { Heard } from './endpoint.ts'
import { countOf, type Fields, fieldsOf, listOf, wordOf } from './endpoint-values.ts'

/** The most characters of one source as JSON text. A longer one is left out. */
const longest = 4096
/** The most levels of one source. */
const deepest = 8
/** The most sources of one answer. */
const most = 500

const span = (given: Fields): { start_index?: number; end_index?: number } => {
  const [start_index, end_index] = [countOf(given.start_index), countOf(given.end_index)]
  return {
    ...(start_index === undefined ? {} : { start_index }),
    ...(end_index === undefined ? {} : { end_index }),
  }
}

/** A source in the form of the interface; undefined: it lacks what a source of its kind must have. */
const sourceOf = (value: unknown): Annotation | undefined => {
  const given = fieldsOf(value)
  const type = wordOf(given.type)
  if (type === '' || !isWithin(given, deepest) || JSON.stringify(given).length > longest) return undefined
  switch (type) {
    // Chat completions nest the fields, and Responses do not. Messages name a page by another type.
    case 'web_search_result_location':
    case 'url_citation': {
      const of = { ...given, ...fieldsOf(given.url_citation) }
      const [url, title] = [wordOf(of.url), wordOf(of.title)]
      return url === ''
        ? undefined
        : { type: 'url_citation', url, ...(title === '' ? {} : { title }), ...span(of) }
    }
    case 'file_citation': {
      const [file_id, filename, index] = [wordOf(given.file_id), wordOf(given.filename), countOf(given.index)]
      return file_id === '' ? undefined : { type, file_id, filename, index: index ?? 0 }
    }
    case 'file_path': {
      const [file_id, index] = [wordOf(given.file_id), countOf(given.index)]
      return file_id === '' ? undefined : { type, file_id, ...(index === undefined ? {} : { index }) }
    }
    case 'container_file_citation': {
      const [container_id, file_id, filename] = [
        wordOf(given.container_id),
        wordOf(given.file_id),
        wordOf(given.filename),
      ]
      if (container_id === '' || file_id === '') return undefined
      return { type, container_id, file_id, ...(filename === '' ? {} : { filename }), ...span(given) }
    }
    default:
      return { ...given, type } // an unknown kind passes unchanged
  }
}
export const sourcesOf = (value: unknown): Annotation[] => listOf(value).flatMap(each => sourceOf(each) ?? [])

/** Puts sources on the pieces of the text to which they belong. */
export const createSources = () => {
  let waiting: Annotation[] = []
  let hasText = false
  let count = 0
  return {
    /** Sources of the text so far, or of the next text if there was none. */
    hear(given: Annotation[]): Heard[] {
      const fitting = given.slice(0, most - count)
      count += fitting.length
      if (fitting.length === 0) return []
      if (hasText) return [{ kind: 'text', text: '', annotations: fitting }]
      waiting.push(...fitting)
      return []
    },
    /** The pieces, with the sources that waited for a text. */
    on(pieces: Heard[]): Heard[] {
      const text = pieces.find(piece => piece.kind === 'text')
      if (text === undefined || text.kind === 'call') return pieces
      hasText = true
      if (waiting.length > 0) text.annotations = [...(text.annotations ?? []), ...waiting]
      waiting = []
      return pieces
    },
  }
}
