// How a server collects its garbage.
import { setFlagsFromString } from 'node:v8'

/**
 * Options of V8 for collections of old objects. The heap may grow by half, and by the room for young objects, until a
 * collection must be done; by default it may grow fourfold, which costs too much memory with large answers. A collection
 * begins when 70 percent of that growth is used, and at 90 percent it no longer waits for an idle moment. By default it
 * begins when the rest is as large as the room for young objects, so in a small heap almost at once: every five seconds
 * at 1,500 tasks a second.
 *
 * Without pretenuring, every object begins as a young one. By default, V8 makes the objects of a place in the code old at once
 * when many of them outlived a collection. On a busy server those of all tasks under way do so, although each task is over
 * before the next collection.
 */
const collections = [
  '--heap-growing-percent=50',
  '--incremental-marking-soft-trigger=70',
  '--incremental-marking-hard-trigger=90',
  '--no-allocation-site-pretenuring',
]

/** Sets when this process collects old objects. To be called once, when the process begins. */
export const collectAsServer = (): void => {
  for (const option of collections) setFlagsFromString(option)
}
