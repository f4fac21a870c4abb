import { afterEach, expect, it, vi } from "vitest"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

/** The console's modules are no part of what the tests are compiled with. */
interface TimeZone {
  readonly inputOfTime: (text: string) => string
  readonly timeOfInput: (text: string) => string
}

it("a time is entered as a day and a time with 24 hours, with seconds or a zone if it is pasted", async () => {
  vi.stubEnv("TZ", "Europe/Berlin")
  vi.stubGlobal("localStorage", { getItem: () => null })
  const file = new URL("../../apps/console/src/time/TimeZone.ts", import.meta.url).href
  const { inputOfTime, timeOfInput } = (await import(file)) as TimeZone
  expect(inputOfTime("2026-11-29T13:05:59Z")).toBe("2026-11-29 14:05")
  expect(timeOfInput("2026-11-29 14:05")).toBe("2026-11-29T13:05:00Z")
  expect(timeOfInput(" 2026-11-29T14:05:30\n")).toBe("2026-11-29T13:05:30Z")
  expect(timeOfInput("2026-11-29T14:05:00.000Z")).toBe("2026-11-29T14:05:00Z")
  // Skipped by daylight saving time.
  expect(timeOfInput("2026-03-29 02:30")).toBe("2026-03-29T01:30:00Z")
  for (const text of [
    "",
    "2026-11-29",
    "2026-11-29 2:05 PM",
    "2026-02-31 00:00",
    "2026-13-01 00:00",
    "2026-01-01 25:00",
  ])
    expect(timeOfInput(text)).toBe("")
})
