import * as fc from "fast-check"

/** The seed of the properties: the same in every run, unless it is set, or `random`. */
const { TEST_SEED: seed = "20260130" } = process.env
if (seed !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })

// A worker whose run was killed would go on to the end of its test file, and longer when something keeps it waiting.
if (process.listenerCount("disconnect") === 0) process.once("disconnect", () => process.exit(1))
