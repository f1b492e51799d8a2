// A long id, cut in the middle: its start says what it is, its end tells it from others. The whole id is in the title, and
// is what is copied when somebody selects it.

/** A shorter id is shown whole. */
const longest = 20
const endLength = 6

export const CutId = ({ id }: { id: string }) =>
  id.length <= longest ? (
    id
  ) : (
    <span class="cut-id" title={id}>
      <span>{id.slice(0, -endLength)}</span>
      {id.slice(-endLength)}
    </span>
  )
