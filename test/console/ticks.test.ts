import { afterEach, expect, it, vi } from "vitest"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

/** What stands below a chart. The console's modules are no part of what the tests are compiled with. */
type TimeTicks = (from: number, to: number, count: number) => ReadonlyArray<{ readonly text: string }>

it("days below a chart begin at midnight, also after one of 25 hours", async () => {
  vi.stubEnv("TZ", "Europe/Berlin")
  vi.stubGlobal("localStorage", { getItem: () => null })
  const file = new URL("../../apps/console/src/chart/Ticks.ts", import.meta.url).href
  const { timeTicks } = (await import(file)) as { readonly timeTicks: TimeTicks }
  const from = Date.parse("2026-10-23T12:00:00+02:00")
  const texts = timeTicks(from, from + 4 * 86_400_000, 4).map(({ text }) => text.replace(",", ""))
  expect(texts).toEqual(["Sat 24 Oct", "Sun 25 Oct", "Mon 26 Oct", "Tue 27 Oct"])
})
