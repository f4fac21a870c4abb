import * as Result from "effect/Result"
import { alertIdMaxCharacters } from "@tocsin/domain/limits"
import {
  alertConditionMaxCharacters,
  alertConditionsMax,
  alertMethodsPerAlertMax,
  decodeAlert,
} from "../../src/intake/DecodeAlert.ts"
import { parseIdempotencyKey } from "../../src/intake/IdempotencyKey.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { alertMaxAheadMs } from "../../src/alerting/Alert.ts"

const valid = {
  status: "triggered",
  slo: { name: "checkout", project: "shop" },
  objective: "good",
  alertPolicy: { name: "fast-burn", project: "shop" },
  alertMethods: [{ name: "hook", project: "shop" }],
  severity: "high",
  conditions: ["Burns fast"],
  alertId: "incident/42",
  at: "2026-01-30T12:00:00Z",
}

const now = Date.UTC(2026, 0, 30, 12)

const issuesOf = (change: object): ReadonlyArray<readonly [string, string]> => {
  const decoded = decodeAlert({ ...valid, ...change }, now)
  return Result.isSuccess(decoded)
    ? []
    : decoded.failure.issues.map(({ path, code }) => [path, code] as const)
}

describe("an external alert", () => {
  it("spec/alerting §7: is read with everything it can say", () => {
    expect(decodeAlert(valid, now)).toEqual(
      Result.succeed({ ...valid, severity: "High", at: Date.UTC(2026, 0, 30, 12) }),
    )
    expect(issuesOf({ alertMethods: undefined })).toEqual([])
    expect(issuesOf({ alertPolicy: undefined })).toEqual([])
  })

  it("spec/alerting §7: that triggers names a policy or methods; one that resolves need not", () => {
    const neither = { alertPolicy: undefined, alertMethods: [] }
    expect(issuesOf(neither)).toEqual([["alertPolicy", "required"]])
    expect(issuesOf({ ...neither, status: "resolved" })).toEqual([])
  })

  it("spec/alerting §7: returns every issue at once, sorted by path", () => {
    const decoded = decodeAlert(
      {
        status: "on fire",
        slo: { name: "Checkout" },
        alertMethods: [{ name: "hook", project: "shop" }, 7],
        severity: "loud",
        conditions: [1],
        alertId: "a b",
        at: "yesterday",
        colour: "red",
      },
      now,
    )
    expect(
      Result.isSuccess(decoded) ? [] : decoded.failure.issues.map(({ path, code }) => [path, code]),
    ).toEqual([
      ["alertId", "invalid_format"],
      ["alertMethods[1]", "wrong_type"],
      ["at", "invalid_format"],
      ["colour", "unknown_property"],
      ["conditions[0]", "wrong_type"],
      ["severity", "not_allowed_value"],
      ["slo.name", "invalid_format"],
      ["slo.project", "required"],
      ["status", "not_allowed_value"],
    ])
  })

  it("spec/alerting §7: is bounded", () => {
    const methods = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `hook-${index}`, project: "shop" }))
    const conditions = (count: number, length: number) =>
      Array.from({ length: count }, () => "x".repeat(length))
    expect(issuesOf({ alertMethods: methods(alertMethodsPerAlertMax) })).toEqual([])
    expect(issuesOf({ alertMethods: methods(alertMethodsPerAlertMax + 1) })).toEqual([
      ["alertMethods", "too_many"],
    ])
    expect(issuesOf({ alertMethods: [...methods(2), ...methods(1)] })).toEqual([
      ["alertMethods", "duplicate"],
    ])
    expect(issuesOf({ conditions: conditions(alertConditionsMax, alertConditionMaxCharacters) })).toEqual([])
    expect(issuesOf({ conditions: conditions(alertConditionsMax + 1, 1) })).toEqual([
      ["conditions", "too_many"],
    ])
    expect(issuesOf({ conditions: conditions(1, alertConditionMaxCharacters + 1) })).toEqual([
      ["conditions[0]", "too_long"],
    ])
    expect(issuesOf({ alertId: "x".repeat(alertIdMaxCharacters) })).toEqual([])
    expect(issuesOf({ alertId: "x".repeat(alertIdMaxCharacters + 1) })).toEqual([["alertId", "too_long"]])
  })

  it("spec/alerting §9: happened, or will within 5 minutes, as clocks differ", () => {
    expect(issuesOf({ at: new Date(now + alertMaxAheadMs).toISOString() })).toEqual([])
    const decoded = decodeAlert({ ...valid, at: new Date(now + alertMaxAheadMs + 1).toISOString() }, now)
    expect(Result.isSuccess(decoded) ? [] : decoded.failure.issues).toEqual([
      { path: "at", code: "out_of_range", message: "must be at most 5 minutes in the future" },
    ])
  })

  it("spec/alerting §7: of any shape is read or rejected, never a crash", () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(Result.isSuccess(decodeAlert(body, now))).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(valid)), fc.anything(), (name, value) => {
        for (const [path] of issuesOf({ [name]: value })) expect(path.startsWith(name)).toBe(true)
      }),
    )
  })
})

describe("Idempotency-Key", () => {
  it("spec/alerting §7: is 1 to 255 visible ASCII characters", () => {
    expect(parseIdempotencyKey(undefined)).toEqual(Result.succeed(undefined))
    expect(Result.isSuccess(parseIdempotencyKey("x".repeat(255)))).toBe(true)
    for (const bad of ["", "x".repeat(256), "a b", "ü"]) {
      expect(parseIdempotencyKey(bad)).toMatchObject({
        _tag: "Failure",
        failure: { code: "idempotency_key_invalid" },
      })
    }
  })
})
