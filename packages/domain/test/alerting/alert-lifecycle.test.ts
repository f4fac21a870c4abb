import type { AlertFingerprint } from "../../src/alerting/AlertFingerprint.ts"
import { storedLifecycles } from "@tocsin/domain/adapter"
import { type AlertLifecycle, type AlertFacts, nextTransition } from "../../src/alerting/AlertLifecycle.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const minute = 60_000
const fingerprint: AlertFingerprint = { policy: "p", slo: "s", windowStart: 0 }

/** What happened, at which minute. */
type Happening = readonly [minute: number, what: string]

interface Evaluation {
  readonly at: number
  readonly met: ReadonlyArray<boolean>
  readonly fingerprint?: AlertFingerprint | undefined
  readonly silencedUntil?: number
  /** Default: `at`. */
  readonly measuredAt?: number
  readonly held?: "trigger" | "all"
}

const rules = { lastsFor: [0], coolDown: 5 }

/** Writes a lifecycle and reads it again, as a store does. */
const restored = (lifecycle: AlertLifecycle): AlertLifecycle | undefined =>
  Result.getOrThrow(storedLifecycles.read(storedLifecycles.write({ key: lifecycle }).json, {}))["key"]

/** Runs an evaluation at a time in minutes. */
const evaluate = (
  before: AlertLifecycle | undefined,
  { at, met, silencedUntil, measuredAt = at, held, ...evaluation }: Evaluation,
  { lastsFor, coolDown } = rules,
) => {
  const facts: AlertFacts = {
    now: at * minute,
    measuredAt: measuredAt * minute,
    ...(held !== undefined && { held }),
    fingerprint: "fingerprint" in evaluation ? evaluation.fingerprint : fingerprint,
    groups: [met.map((isMet, index) => ({ isMet, lastsForMs: (lastsFor[index] ?? 0) * minute }))],
    coolDownMs: coolDown * minute,
    ...(silencedUntil !== undefined && { silencedUntil: silencedUntil * minute }),
  }
  const happened: Array<Happening> = []
  let lifecycle = before
  for (let steps = 0; steps < 20; steps++) {
    const step = nextTransition(lifecycle && restored(lifecycle), facts)
    switch (step.kind) {
      case "none": {
        const nextCheckAt = step.nextCheckAt === undefined ? undefined : step.nextCheckAt / minute
        return { lifecycle: step.lifecycle, happened, nextCheckAt }
      }
      case "trigger": {
        const alertId = `a${at}`
        happened.push([at, step.isSilenced ? `hold ${alertId}` : `open ${alertId}`])
        lifecycle = step.lifecycleOf({ alertId, isSilenced: step.isSilenced })
        break
      }
      case "close": {
        const ending = step.closingOf(lifecycle?.open)
        const how = ending.isNotified ? "" : " in silence"
        happened.push([at, `${step.reason ?? "resolved"} ${step.alertId}${how}`])
        lifecycle = ending.lifecycle
        break
      }
      case "notify":
      case "notifyResolution":
        happened.push([at, `${step.kind} ${step.alertId}`])
        lifecycle = step.lifecycle
    }
  }
  throw new Error("It never comes to rest")
}

const run = (evaluations: ReadonlyArray<Evaluation>, of = rules) => {
  const happened: Array<Happening> = []
  let lifecycle: AlertLifecycle | undefined
  let nextCheckAt: number | undefined
  for (const evaluation of evaluations) {
    const evaluated = evaluate(lifecycle, evaluation, of)
    happened.push(...evaluated.happened)
    lifecycle = evaluated.lifecycle
    nextCheckAt = evaluated.nextCheckAt
  }
  return { happened, lifecycle, nextCheckAt }
}

const bad = (at: number, more: Partial<Evaluation> = {}): Evaluation => ({ at, met: [true], ...more })
const good = (at: number, more: Partial<Evaluation> = {}): Evaluation => ({ at, met: [false], ...more })

describe("the lifecycle of an alert", () => {
  it("spec/alerting §3: triggers once, and resolves when its condition has not been met for the cool-down", () => {
    const { happened, lifecycle } = run([
      good(0),
      bad(1),
      bad(2),
      good(3),
      bad(4),
      good(5),
      good(9),
      good(10),
    ])
    expect(happened).toEqual([
      [1, "open a1"],
      [10, "resolved a1"],
    ])
    expect(lifecycle).toBeUndefined()
  })

  it("spec/alerting §3: times that began before the clock was set back count from then on", () => {
    const lasting = { lastsFor: [10], coolDown: 5 }
    const history = [bad(100), bad(40), bad(49), bad(50), good(110), good(60), good(64), good(65)]
    expect(run(history, lasting).happened).toEqual([
      [50, "open a50"],
      [65, "resolved a50"],
    ])
  })

  it("spec/alerting §3: triggers when all conditions are met, and is over when any has not been for the cool-down", () => {
    const both = { lastsFor: [0, 0], coolDown: 5 }
    const { happened } = run(
      [
        { at: 1, met: [true, false] },
        { at: 2, met: [true, true] },
        { at: 3, met: [false, true] },
        { at: 7, met: [false, true] },
        { at: 20, met: [true, true] },
        { at: 21, met: [false, true] },
        { at: 24, met: [true, false] },
        { at: 27, met: [false, true] },
        { at: 28, met: [false, false] },
        { at: 31, met: [false, true] },
        { at: 32, met: [false, true] },
      ],
      both,
    )
    expect(happened).toEqual([
      [2, "open a2"],
      [32, "resolved a2"],
    ])
  })

  it("spec/alerting §3: a condition has to last without interruption", () => {
    const lasting = { lastsFor: [10], coolDown: 5 }
    const { happened } = run([bad(0), bad(9), good(10), bad(11), bad(20), bad(21)], lasting)
    expect(happened).toEqual([[21, "open a21"]])
  })

  it("spec/alerting §3: the minute in which a condition has lasted, or the cool-down is over, is known beforehand", () => {
    const lasting = { lastsFor: [10], coolDown: 7 }
    expect(run([bad(3)], lasting).nextCheckAt).toBe(13)
    expect(run([bad(3), bad(13)], lasting).nextCheckAt).toBeUndefined()
    expect(run([bad(3), bad(13), good(15)], lasting).nextCheckAt).toBe(22)
  })

  it.each([
    [{ ...fingerprint, policy: "q" }, "policy_changed"],
    [{ ...fingerprint, slo: "t" }, "slo_changed"],
    [{ ...fingerprint, windowStart: 1 }, "window_ended"],
    [undefined, "detached"],
  ])("spec/alerting §3: is void when what it is judged by changes to %j", (changed, reason) => {
    const { happened, lifecycle } = run([
      bad(1),
      good(2, { fingerprint: changed }),
      good(3, { fingerprint: changed }),
    ])
    expect(happened).toEqual([
      [1, "open a1"],
      [2, `${reason} a1`],
    ])
    expect(lifecycle).toBeUndefined()
  })

  it("spec/alerting §3: what is met under a changed policy is another alert, with its own time to last", () => {
    const changed = { ...fingerprint, policy: "q" }
    expect(run([bad(1), bad(2, { fingerprint: changed })]).happened).toEqual([
      [1, "open a1"],
      [2, "policy_changed a1"],
      [2, "open a2"],
    ])
    const lasting = { lastsFor: [10], coolDown: 5 }
    const later = run([bad(0), bad(9, { fingerprint: changed }), bad(18, { fingerprint: changed })], lasting)
    expect([later.happened, later.nextCheckAt]).toEqual([[], 19])
  })

  it("spec/alerting §6: a silenced alert notifies when the silence ends, if it is still open", () => {
    const silenced = { silencedUntil: 10 }
    const held = run([bad(1, silenced), bad(2, silenced)])
    expect([held.happened, held.nextCheckAt]).toEqual([[[1, "hold a1"]], 10])
    expect(run([bad(1, silenced), bad(10), good(11), good(16)]).happened).toEqual([
      [1, "hold a1"],
      [10, "notify a1"],
      [16, "resolved a1"],
    ])
    expect(run([bad(1, silenced), good(2, silenced), good(7, silenced), good(10)]).happened).toEqual([
      [1, "hold a1"],
      [7, "resolved a1 in silence"],
    ])
  })

  it("spec/alerting §6: the resolution of an alert notified before a silence is sent when the silence ends", () => {
    const silenced = { silencedUntil: 20 }
    const ended = run([bad(1), good(2, silenced), good(7, silenced)])
    expect([ended.happened, ended.nextCheckAt]).toEqual([
      [
        [1, "open a1"],
        [7, "resolved a1 in silence"],
      ],
      20,
    ])
    expect(run([bad(1), good(2, silenced), good(7, silenced), bad(8, silenced), bad(20)]).happened).toEqual([
      [1, "open a1"],
      [7, "resolved a1 in silence"],
      [8, "hold a8"],
      [20, "notifyResolution a1"],
      [20, "notify a8"],
    ])
    const detached = { fingerprint: undefined }
    expect(run([bad(1), bad(2, { ...silenced, ...detached }), good(20, detached)]).happened).toEqual([
      [1, "open a1"],
      [2, "detached a1 in silence"],
      [20, "notifyResolution a1"],
    ])
  })

  it("spec/alerting §3: goes as the plain reading of its whole history says", () => {
    const evaluation = fc.record({
      after: fc.integer({ min: 1, max: 4 }),
      met: fc.tuple(fc.boolean(), fc.boolean()),
      fingerprint: fc.oneof(
        { weight: 12, arbitrary: fc.constant("a") },
        fc.constant("b"),
        fc.constant("none"),
      ),
      isSilenced: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    // A history in which nothing lasts tests little: each moment is kept for some evaluations.
    const history = fc.array(fc.tuple(evaluation, fc.integer({ min: 1, max: 8 })), { maxLength: 12 })
    const lengths = fc.record({
      lastsFor: fc.tuple(fc.constantFrom(0, 3), fc.constantFrom(0, 6)),
      coolDown: fc.constantFrom(0, 5),
    })
    let alerts = 0
    fc.assert(
      fc.property(history, lengths, (moments, of) => {
        let at = 0
        const past: Array<Moment> = []
        const happened: Array<Happening> = []
        let lifecycle: AlertLifecycle | undefined
        for (const [{ after, met, fingerprint: name, isSilenced }, times] of moments) {
          for (let time = 0; time < times; time++) {
            at += after
            past.push({ at, met, fingerprint: name, isSilenced })
            const now = evaluate(
              lifecycle,
              {
                at,
                met,
                fingerprint: name === "none" ? undefined : { ...fingerprint, policy: name },
                ...(isSilenced && { silencedUntil: at + 1 }),
              },
              of,
            )
            happened.push(...now.happened)
            lifecycle = now.lifecycle
          }
        }
        alerts += happened.filter(([, what]) => what.startsWith("open")).length
        expect(happened).toEqual(readPlainly(past, of))
      }),
      { numRuns: 2_000 },
    )
    expect(alerts).toBeGreaterThan(500)
  })
})

interface Moment {
  readonly at: number
  readonly met: ReadonlyArray<boolean>
  readonly fingerprint: string
  readonly isSilenced: boolean
}

/** What happens in a history: nothing is remembered but the alerts, everything else is looked up in the past. */
const readPlainly = (
  past: ReadonlyArray<Moment>,
  { lastsFor, coolDown }: typeof rules,
): ReadonlyArray<Happening> => {
  const happened: Array<Happening> = []
  const alerts: Array<{
    id: string
    fingerprint: string
    wasNotified: boolean
    isOpen: boolean
    isNotified: boolean
  }> = []
  /** Since when something has held at every moment up to this one; `undefined` if it does not hold now. */
  const sinceWhen = (upTo: number, holds: (moment: Moment) => boolean): number | undefined => {
    let since: number | undefined
    for (const moment of past.slice(0, upTo + 1).toReversed()) {
      if (!holds(moment)) break
      since = moment.at
    }
    return since
  }
  for (const [index, now] of past.entries()) {
    const happen = (what: string) => happened.push([now.at, what])
    for (const alert of alerts) {
      if (!alert.isOpen && alert.wasNotified && !alert.isNotified && !now.isSilenced) {
        alert.isNotified = true
        happen(`notifyResolution ${alert.id}`)
      }
    }
    const open = alerts.find(({ isOpen }) => isOpen)
    if (open !== undefined) {
      const isOver = now.met.some((_, condition) => {
        const unmetSince = sinceWhen(index, ({ met }) => met[condition] === false)
        return unmetSince !== undefined && now.at - unmetSince >= coolDown
      })
      const isVoid = open.fingerprint !== now.fingerprint
      if (isVoid || isOver) {
        open.isOpen = false
        open.isNotified = open.wasNotified && !now.isSilenced
        const why = isVoid ? (now.fingerprint === "none" ? "detached" : "policy_changed") : "resolved"
        happen(`${why} ${open.id}${open.isNotified ? "" : " in silence"}`)
      } else if (!open.wasNotified && !now.isSilenced) {
        open.wasNotified = true
        happen(`notify ${open.id}`)
      }
    }
    const isEachLasting = now.met.every((_, condition) => {
      const since = sinceWhen(
        index,
        ({ met, fingerprint: name }) =>
          met[condition] === true && name === now.fingerprint && name !== "none",
      )
      return since !== undefined && now.at - since >= (lastsFor[condition] ?? 0)
    })
    if (isEachLasting && !alerts.some(({ isOpen }) => isOpen)) {
      const id = `a${now.at}`
      alerts.push({
        id,
        fingerprint: now.fingerprint,
        wasNotified: !now.isSilenced,
        isOpen: true,
        isNotified: false,
      })
      happen(`${now.isSilenced ? "hold" : "open"} ${id}`)
    }
  }
  return happened
}
