import * as Result from "effect/Result"
import {
  alertsPerGroupMax,
  type AlertmanagerGroup,
  decodeAlertmanagerGroup,
} from "../../src/alertmanager/AlertmanagerGroup.ts"
import { fingerprintOfLabels } from "../../src/alertmanager/LabelFingerprint.ts"
import { severityOfText } from "../../src/SeverityText.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { alertConditionMaxCharacters, alertMethodsPerAlertMax } from "@tocsin/domain"
import recorded from "../../../../test/vectors/alertmanager.json" with { type: "json" }

const [first] = recorded.firing.alerts
if (first === undefined) throw new Error("the recording has an alert")

const read = (body: unknown): AlertmanagerGroup => {
  const group = decodeAlertmanagerGroup(body)
  if (Result.isFailure(group)) throw new Error(JSON.stringify(group.failure.issues))
  return group.success
}

const withAlert = (change: object) => ({ ...recorded.firing, alerts: [{ ...first, ...change }] })
const withLabels = (change: object) => withAlert({ labels: { ...first.labels, ...change } })

const requestOf = (body: unknown) => {
  const [alert] = read(body).alerts
  if (alert === undefined || Result.isFailure(alert.request)) throw new Error(JSON.stringify(alert))
  return alert.request.success
}

const issuesOf = (body: unknown) => {
  const [alert] = read(body).alerts
  return alert !== undefined && Result.isFailure(alert.request)
    ? alert.request.failure.map(({ path, code }) => [path, code])
    : []
}

/** FNV-1a, as its definition is written. */
const fnvOf = (labels: Readonly<Record<string, string>>): string => {
  let hash = 0xcbf29ce484222325n
  const names = Object.keys(labels).toSorted((a, b) => (a < b ? -1 : 1))
  for (const text of names.flatMap((name) => [name, labels[name] ?? ""])) {
    for (const byte of [...new TextEncoder().encode(text), 0xff]) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
    }
  }
  return hash.toString(16).padStart(16, "0")
}

const groupIssuesOf = (body: unknown) => {
  const group = decodeAlertmanagerGroup(body)
  return Result.isSuccess(group) ? [] : group.failure.issues.map(({ path, code }) => [path, code])
}

describe("a group of Alertmanager", () => {
  it("spec/alertmanager §3: is read as Alertmanager sends it, each alert for itself", () => {
    const startsAt = Date.parse(first.startsAt)
    const alertId = `f35678174ef93de5-${new Date(startsAt).toISOString()}`
    expect(read(recorded.firing)).toMatchObject({ truncatedAlerts: 0, alerts: [{}, {}] })
    expect(requestOf(recorded.firing)).toEqual({
      status: "triggered",
      slo: { project: "shop", name: "checkout" },
      objective: "good",
      alertMethods: [{ project: "shop", name: "on-call" }],
      severity: "High",
      conditions: ["Checkout fails", "5 % of orders fail"],
      alertId,
      evaluation: "f35678174ef93de5",
      at: startsAt,
    })
    const [ended, stillFiring] = read(recorded.oneResolved).alerts.map(({ request }) => request)
    expect(ended).toMatchObject({
      success: { status: "resolved", alertId, at: Date.parse("2026-11-21T20:15:39Z") },
    })
    expect(stillFiring).toMatchObject({ success: { status: "triggered" } })
    expect(read(recorded.truncated).truncatedAlerts).toBe(1)
  })

  it("spec/alertmanager §1: names objects with or without their project, which is default where none is said", () => {
    const { tocsin_project: _, ...labels } = first.labels
    expect(
      requestOf(
        withAlert({ labels: { ...labels, tocsin_alert_policy: "fast-burn", tocsin_alert_methods: "" } }),
      ),
    ).toMatchObject({
      slo: { project: "default", name: "checkout" },
      alertPolicy: { project: "default", name: "fast-burn" },
    })
    expect(
      requestOf(
        withLabels({ tocsin_alert_policy: "ops/fast-burn", tocsin_alert_methods: " a , ops/b,a,shop/a, " }),
      ),
    ).toMatchObject({
      alertPolicy: { project: "ops", name: "fast-burn" },
      alertMethods: [
        { project: "shop", name: "a" },
        { project: "ops", name: "b" },
      ],
    })
  })

  it.each([
    ["critical", "High"],
    ["page", "High"],
    ["Warning", "Medium"],
    ["sev3", "Medium"],
    ["info", "Low"],
    ["p5", "Low"],
    ["high", "High"],
  ])("spec/alertmanager §2: the label severity %s means %s", (severity, expected) => {
    expect(requestOf(withLabels({ severity })).severity).toBe(expected)
  })

  it("spec/alertmanager §2: an unknown severity is ignored", () => {
    expect(requestOf(withLabels({ severity: "purple" }))).not.toHaveProperty("severity")
    expect(severityOfText("")).toBe(undefined)
  })

  it.each([
    ["purple", true],
    ["disaster", true],
    ["Critical", false],
    ["", false],
    [undefined, false],
  ])("spec/alertmanager §2: whether the severity %s is written but not known", (severity, expected) => {
    expect(read(withLabels({ severity })).alerts[0]?.isSeverityUnknown).toBe(expected)
  })

  it("spec/alertmanager §2: a severity that is not known is none of an alert that is resolved", () => {
    const labels = { ...first.labels, severity: "purple" }
    const resolved = withAlert({ status: "resolved", endsAt: "2026-11-21T20:15:39Z", labels })
    expect(read(resolved).alerts[0]?.isSeverityUnknown).toBe(false)
  })

  it("spec/alertmanager §1: reads the payload of a contact point of Grafana, and one without a version", () => {
    const { version: _, ...group } = recorded.firing
    const grafana = {
      ...group,
      version: "1",
      orgId: 1,
      title: "[FIRING:1]",
      state: "alerting",
      message: "",
      alerts: [{ ...first, silenceURL: "", dashboardURL: "", panelURL: "", values: null, valueString: "" }],
    }
    expect(requestOf(grafana)).toEqual(requestOf(recorded.firing))
    expect(requestOf(group)).toEqual(requestOf(recorded.firing))
    expect(groupIssuesOf({ ...group, version: "2" })).toEqual([["version", "not_allowed_value"]])
  })

  it("spec/alertmanager §3: without a fingerprint, an alert has the one that Alertmanager gives its labels", () => {
    for (const alert of recorded.firing.alerts) {
      const { fingerprint, ...rest } = alert
      for (const given of [{}, { fingerprint: "" }, { fingerprint: null }]) {
        const group = { ...recorded.firing, alerts: [{ ...rest, ...given }] }
        expect(read(group).alerts[0]?.fingerprint).toBe(fingerprint)
        expect(requestOf(group)).toEqual(requestOf({ ...recorded.firing, alerts: [alert] }))
      }
    }
  })

  it("spec/alertmanager §3: the fingerprint depends on every label, and not on their order", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }), (labels) => {
        const expected = fnvOf(labels)
        const reversed = Object.fromEntries(Object.entries(labels).toReversed())
        expect([fingerprintOfLabels(labels), fingerprintOfLabels(reversed)]).toEqual([expected, expected])
      }),
    )
  })

  it("spec/alertmanager §1: a start with an offset and digits beyond the millisecond is the same instant", () => {
    const startsAt = "2026-11-21T21:15:25.123999999+01:00"
    expect(requestOf(withAlert({ startsAt }))).toMatchObject({
      at: Date.UTC(2026, 10, 21, 20, 15, 25, 123),
      alertId: "f35678174ef93de5-2026-11-21T20:15:25.123Z",
    })
  })

  it("spec/alertmanager §2: annotations that are too long are cut, and without any the alert's name is the condition", () => {
    const summary = "é".repeat(alertConditionMaxCharacters + 1)
    const [condition = ""] = requestOf(withAlert({ annotations: { summary } })).conditions ?? []
    expect(Array.from(condition)).toHaveLength(alertConditionMaxCharacters)
    expect(condition.endsWith("é…")).toBe(true)
    const whole = "é".repeat(alertConditionMaxCharacters)
    expect(requestOf(withAlert({ annotations: { summary: whole } })).conditions).toEqual([whole])
    expect(requestOf(withAlert({ annotations: {} })).conditions).toEqual(["CheckoutErrors"])
    expect(requestOf(withAlert({ annotations: { summary: "a\u0000b\ud800" } })).conditions).toEqual([
      "a\ufffdb\ufffd",
    ])
  })

  it("spec/alerting §9: an end before the start, as Go's zero time, is not known", () => {
    const ended = (endsAt: string) => requestOf(withAlert({ status: "resolved", endsAt }))
    expect(ended("0001-01-01T00:00:00Z")).not.toHaveProperty("at")
    expect(ended(first.startsAt)).toMatchObject({ at: Date.parse(first.startsAt) })
  })

  it("spec/alertmanager §1: properties that later versions may add are ignored", () => {
    expect(requestOf({ ...withAlert({ more: 1 }), more: 1 })).toEqual(requestOf(recorded.firing))
  })

  it.each([
    ["no SLO", { tocsin_slo: undefined }, "labels.tocsin_slo", "required"],
    ["an invalid name", { tocsin_slo: "Checkout" }, "labels.tocsin_slo", "invalid_format"],
    ["an invalid project", { tocsin_project: "a/b" }, "labels.tocsin_project", "invalid_format"],
    ["an invalid objective", { tocsin_objective: "x y" }, "labels.tocsin_objective", "invalid_format"],
    [
      "a policy of two projects",
      { tocsin_alert_policy: "a/b/c" },
      "labels.tocsin_alert_policy",
      "invalid_format",
    ],
    ["no alert method to notify", { tocsin_alert_methods: " , " }, "labels.tocsin_alert_methods", "required"],
    [
      "an invalid alert method",
      { tocsin_alert_methods: "a,B" },
      "labels.tocsin_alert_methods",
      "invalid_format",
    ],
    [
      "too many methods",
      {
        tocsin_alert_methods: Array.from({ length: alertMethodsPerAlertMax + 1 }, (_, i) => `m${i}`).join(),
      },
      "labels.tocsin_alert_methods",
      "too_many",
    ],
  ])("spec/alertmanager §2: an alert with %s is rejected, at its label", (_, change, path, code) => {
    expect(issuesOf(withLabels(change))).toContainEqual([path, code])
  })

  it("spec/alertmanager §1: as many alert methods can be named as an alert can notify", () => {
    const names = Array.from({ length: alertMethodsPerAlertMax }, (_, index) => `m${index}`)
    expect(requestOf(withLabels({ tocsin_alert_methods: names.join() })).alertMethods).toHaveLength(
      names.length,
    )
  })

  it("spec/alertmanager §3: an alert that ended needs no alert method to notify", () => {
    const ended = { status: "resolved", endsAt: "2026-11-21T20:15:39Z" }
    const labels = { tocsin_slo: "checkout" }
    expect(issuesOf(withAlert({ ...ended, labels }))).toEqual([])
    expect(issuesOf(withAlert({ ...ended, endsAt: undefined, labels }))).toEqual([["endsAt", "required"]])
  })

  it("spec/alertmanager §1: reports every issue of an alert", () => {
    expect(issuesOf(withAlert({ status: "on", startsAt: "x", fingerprint: "-", labels: [] }))).toEqual([
      ["fingerprint", "invalid_format"],
      ["labels", "wrong_type"],
      ["startsAt", "invalid_format"],
      ["status", "not_allowed_value"],
    ])
  })

  it("spec/alertmanager §1: no alerts are an empty list or null, as Go writes it", () => {
    for (const alerts of [[], null]) {
      const decoded = decodeAlertmanagerGroup({ ...recorded.firing, version: "1", alerts })
      expect(Result.isSuccess(decoded) && decoded.success.alerts).toEqual([])
    }
  })

  it("spec/alertmanager §2: a severity of another type is not known, and is said; an empty one is none", () => {
    const unknownOf = (severity: unknown) => {
      const decoded = decodeAlertmanagerGroup(withAlert({ labels: { ...first?.labels, severity } }))
      return Result.isSuccess(decoded) ? decoded.success.alerts[0]?.isSeverityUnknown : undefined
    }
    expect([["critical"], 3, "disaster"].map(unknownOf)).toEqual([true, true, true])
    expect(["", " ", null, undefined, "critical"].map(unknownOf)).toEqual([false, false, false, false, false])
  })

  it("spec/alertmanager §1: a body that is not a group of a known version is rejected as a whole", () => {
    expect(groupIssuesOf({ ...recorded.firing, version: "3" })).toEqual([["version", "not_allowed_value"]])
    expect(groupIssuesOf({})).toEqual([["alerts", "required"]])
    expect(groupIssuesOf([])).toEqual([["", "wrong_type"]])
    const alerts = (length: number) => Array.from({ length }, () => first)
    const most = alertsPerGroupMax
    expect(groupIssuesOf({ ...recorded.firing, alerts: alerts(most) })).toEqual([])
    expect(groupIssuesOf({ ...recorded.firing, alerts: alerts(most + 1) })).toEqual([["alerts", "too_many"]])
  })

  it("spec/alertmanager §1: whatever an alert says, it is read or rejected", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(first)), fc.anything()), (change) => {
        const [alert] = read(withAlert(change)).alerts
        expect(
          alert !== undefined && Result.isFailure(alert.request) && alert.request.failure.length === 0,
        ).toBe(false)
      }),
    )
  })
})
