/** Vitest's functions, with tests that are effects: `it.effect` runs on a clock of its own, `it.live` on the process's. */
export { describe, describeWith, expect, it, testClock } from "./contract/EffectTest.ts"
