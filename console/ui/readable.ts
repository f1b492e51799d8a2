// Writes JSON so that a person can read it.
import { readJson } from '../../src/contract/json/exact-json.ts'

/** JSON text with one line for each value. Other text, such as JSON of which only a part has arrived, stays as it is. */
export const readable = (text: string): string => {
  try {
    return JSON.stringify(readJson(text), null, 2)
  } catch {
    return text
  }
}
