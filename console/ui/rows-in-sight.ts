// Draws only the rows of a long list that are in sight. All rows have the same height.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** This many rows are drawn above the rows in sight, and as many below them. */
const margin = 12

export const useRowsInSight = (count: number, rowHeight: number) => {
  const list = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  useEffect(() => {
    const element = list.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor(top.value / rowHeight) - margin)
  const end = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + margin)
  return {
    list,
    first,
    end,
    onScroll: () => {
      top.value = list.current?.scrollTop ?? 0
    },
    /** If a row is not in sight, scrolls until the row and one row beyond it are. */
    show(row: number): void {
      const element = list.current
      if (element === null) return
      const at = row * rowHeight
      if (at < element.scrollTop) element.scrollTop = at - rowHeight
      else if (at + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = at + 2 * rowHeight - element.clientHeight
    },
  }
}
