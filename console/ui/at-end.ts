// Keeps the end of a list in sight while it grows, unless its reader has scrolled away from the end.
import { useEffect, useRef } from 'preact/hooks'

/** How near its end a list must be to follow what is added, in pixels. */
const nearEnd = 60

/** `changes`: the values with which the list may grow. */
export const useEnd = (changes: unknown[]) => {
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, changes)
  const onScroll = () => {
    const element = list.current
    if (element !== null)
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
  }
  return { list, onScroll }
}
