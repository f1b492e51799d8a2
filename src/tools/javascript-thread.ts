// The thread of run_javascript. The clock of this thread stands still, in UTC: the interpreter asks the host.
import { workerData } from 'node:worker_threads'
import { newQuickJSWASMModule, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import { doJob } from './inside-thread.ts'
import { evaluate, type JavascriptJob } from './javascript.ts'

const { at } = workerData as JavascriptJob
Date.now = () => at
Date.prototype.getTimezoneOffset = () => 0

type Limits = { initial: number; maximum: number }
type Memory = new (limits: Limits) => object
/** The types of Node 20 hold what WebAssembly gives, but not WebAssembly itself. */
const wasm = (globalThis as unknown as { WebAssembly: { Memory: Memory } }).WebAssembly

// The interpreter has a limit of its own, but in WebAssembly it cannot tell how much it has taken: what counts is
// that its memory cannot grow. In pages of 64 KiB: 16 MiB at first, which is what it was built for, 64 MiB at most.
const wasmMemory = new wasm.Memory({ initial: 256, maximum: 1024 })
const quickjs = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory }))
await doJob((job: JavascriptJob) => evaluate(quickjs, job))
