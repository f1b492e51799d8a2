// The image and the document that a model is shown.

/** A red square of 32 pixels, as PNG. */
export const redSquare =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42mN4ICBAU8QwasGoBaMWjFowasGoBaMWjFowasGoBaMWDBULALgcAD3G45K4AAAAAElFTkSuQmCC'

/** The objects of a page with one line of text. */
const line = 'BT /F 18 Tf 20 40 Td (The word is heron.) Tj ET'
const objects = [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
  `<</Length ${line.length}>>stream\n${line}\nendstream`,
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
]

const document = (): string => {
  let text = '%PDF-1.4\n'
  const places = objects.map((object, nth) => {
    const place = text.length
    text += `${nth + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return `${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`
}

/** A PDF with the word heron, as a data URL. */
export const heronPdf = `data:application/pdf;base64,${Buffer.from(document()).toString('base64')}`

/** A text of many tokens, which says the word at its beginning. */
export const longText = (word: string, lines: number): string => {
  const rows = Array.from({ length: lines }, (_, nth) => `Row ${nth + 1}: nothing of note was seen at sea.`)
  return `The word is ${word}.\n${rows.join('\n')}\nWhat is the word at the beginning of this text?`
}
