// A long id, cut in the middle: its start says what it is, its end tells it from others. The whole id is in the title, and
// in the page: who selects, searches or hears it has it whole.

const [startLength, endLength] = [12, 6]

/** `start`: so many characters of the start are shown. */
export const CutId = ({ id, start = startLength }: { id: string; start?: number }) =>
  id.length <= start + endLength + 2 ? (
    id
  ) : (
    <span class="cut-id" title={id}>
      {id.slice(0, start)}
      <span>{id.slice(start, -endLength)}</span>
      {id.slice(-endLength)}
    </span>
  )
