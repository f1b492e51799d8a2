/** The fields that every list of our own has. */
export const listFields = {
  object: 'Always `list`.',
  has_more: 'Whether there are more.',
  next_cursor: 'The value of `cursor` for the next page; null at the end.',
}
