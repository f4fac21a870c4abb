/** Set to anything, benchmarks run in their short form: once, with little data. */
export const shortFormVariable = "TOCSIN_BENCH_SHORT"

/** Set to the folder of the bundled programs, which the short form would otherwise spend most of its time on compiling. */
export const programsVariable = "TOCSIN_BENCH_PROGRAMS"

/** Where the programs are bundled; `undefined` if they are compiled when they start. */
export const programsFolder = process.env[programsVariable]

/** Whether benchmarks run in their short form, which says whether they work, and not how fast anything is. */
export const isShort = process.env[shortFormVariable] !== undefined

/** How much of something a benchmark has or does: in full, and in its short form. */
export const amount = (full: number, short: number): number => (isShort ? short : full)

/** The rounds of a comparison; in the short form, one without a warm-up. */
export const roundsOf = (rounds: number, warmUps: number) => ({
  rounds: amount(rounds, 1),
  warmUps: amount(warmUps, 0),
})
