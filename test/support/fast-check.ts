// Properties of fast-check, with one seed in every run: a failure is the same for everybody. SEED=n takes another one, and
// the soaks take many.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_260_101) })

export default fc
