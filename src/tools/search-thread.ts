// The thread of search_files.
import { doJob } from './inside-thread.ts'
import { search } from './search.ts'

await doJob(search)
