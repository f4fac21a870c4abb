import { MemoryStores } from "@tocsin/adapters-memory"
import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  applyDefinitions,
  CountsRetention,
  type DefinitionsAreInvalid,
  type DefinitionsNotFound,
  definitionToJson,
  deleteDefinitions,
  listDefinitions,
  listPosition,
  type Participants,
  participantsLayer,
} from "@tocsin/domain"
import type { AlertMethod, Definition } from "@tocsin/domain/adapter"
import { kindList } from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { definitionsMax } from "@tocsin/domain/limits"
import { type CountStore, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  aBudgetAdjustment,
  aDataSource,
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anAlertSilence,
  anSlo,
  changed,
  decodeOptions,
  type Plain,
} from "../../../../test/definition/valid-definitions.ts"

const organization = "acme"
const apiVersion = "tocsin/v1alpha"
const everything = [
  aDataSource(),
  aBudgetAdjustment(),
  anAlertSilence(),
  anSlo(),
  anAlertPolicy(),
  anAlertMethod(),
  aService(),
  aProject(),
]
const layer = Layer.merge(MemoryStores.layer, participantsLayer([]))

const apply = (inputs: ReadonlyArray<unknown>, dryRun = false) =>
  applyDefinitions(organization, inputs, { ...decodeOptions, dryRun })

const outcomes = (inputs: ReadonlyArray<unknown>, dryRun = false) =>
  Effect.map(apply(inputs, dryRun), (applied) => applied.map(({ outcome }) => outcome))

const issuesOf = <A, R>(
  effect: Effect.Effect<A, DefinitionsAreInvalid | DefinitionsNotFound | { readonly _tag: string }, R>,
) =>
  Effect.map(Effect.flip(effect), (error) =>
    "issues" in error ? error.issues.map(({ path, code }) => [path, code]) : [[error._tag]],
  )

const storedMethod = (key: ProjectKey = { project: "shop", name: "ops" }) =>
  Effect.flatMap(DefinitionStore, (store) =>
    Effect.map(store.find(organization, "AlertMethod", key), Option.getOrThrow),
  )

const urlOf = (method: AlertMethod): string => Redacted.value(method.spec.webhook.url).href
const headerOf = (method: AlertMethod, at: number): string =>
  Redacted.value(method.spec.webhook.headers[at]?.value ?? Redacted.make(""))

const readAll = Effect.gen(function* () {
  const read: Array<Definition> = []
  for (const kind of kindList) read.push(...(yield* listDefinitions(organization, { kind })).items)
  return read
})

describe("applying definitions", () => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, layer))

  test(
    "spec/slos §13: accepts time windows that are 8 days shorter than the retention of counts",
    Effect.gen(function* () {
      const calendar = { startTime: "2026-01-01 00:00:00", timeZone: "UTC" }
      const withWindow = (window: object) => changed(anSlo(), "spec.timeWindows", [window])
      const windows = [
        [{ unit: "Day", count: 400, isRolling: true }, { unit: "Day", count: 400, calendar }, 408],
        [{ unit: "Hour", count: 24 * 31, isRolling: true }, { unit: "Month", count: 1, calendar }, 39],
      ] as const
      yield* apply(everything)
      for (const [rolling, fixed, days] of windows) {
        const retained = (retention: number, window: object) =>
          Effect.provideService(apply([withWindow(window)], true), CountsRetention, retention)
        yield* retained(days, rolling)
        yield* retained(days, fixed)
        expect(yield* issuesOf(retained(days - 1, rolling))).toEqual([
          ["spec.timeWindows[0]", "out_of_range"],
        ])
      }
      expect(yield* issuesOf(apply([withWindow({ unit: "Day", count: 401, calendar })]))).toEqual([
        ["spec.timeWindows[0]", "out_of_range"],
      ])
    }),
  )
  test(
    "spec/definitions §10: says how to fix references to objects that do not exist, the first of a request",
    Effect.gen(function* () {
      const messages = (inputs: ReadonlyArray<unknown>) =>
        Effect.map(Effect.flip(apply(inputs)), (error) =>
          "issues" in error ? error.issues.map(({ path, message }) => `${path}: ${message}`) : [error._tag],
        )
      yield* apply(everything)
      yield* apply([changed(aProject(), "metadata.name", "other")])
      expect(yield* messages([anSlo("mine", "shpo")])).toEqual([
        "metadata.project: references a project that does not exist: shpo; did you mean shop?",
      ])
      expect(yield* messages([changed(anSlo("mine"), "spec.service", "wbe")])).toEqual([
        "spec.service: references a Service that does not exist: wbe in project shop; did you mean web?",
      ])
      const listed = [
        changed(aService(), "metadata.name", "payments"),
        changed(anSlo("mine"), "spec.service", "paymnets"),
      ]
      expect(yield* messages(listed)).toEqual([
        "[1].spec.service: references a Service that does not exist: paymnets in project shop; did you mean payments?",
      ])
      const elsewhere = changed(anSlo("mine", "other"), "spec.alertPolicies", [])
      expect(yield* messages([elsewhere])).toEqual([
        "spec.service: references a Service that does not exist: web in project other; project shop has one of this name",
      ])
      const unlike = Array.from({ length: 7 }, (_, index) =>
        changed(
          changed(anSlo(`mine-${index}`), "spec.alertPolicies", []),
          "spec.service",
          `nothing-${index}`,
        ),
      )
      const all = yield* messages(unlike)
      expect(all).toHaveLength(7)
      expect(
        all.filter((text) => text.includes("; apply its definition first, or in the same request")),
      ).toHaveLength(5)
    }),
  )
  test(
    "spec/definitions §9: creates, replaces, and leaves what is the same as it is",
    Effect.gen(function* () {
      expect(yield* outcomes(everything)).toEqual(Array.from(everything, () => "created"))
      const before = yield* storedMethod()
      yield* TestClock.adjust("1 hour")
      const described = changed(aService(), "spec.description", "new")
      expect(yield* outcomes([anAlertMethod(), described])).toEqual(["unchanged", "updated"])
      expect(yield* storedMethod()).toEqual(before)
    }),
  )

  test(
    "spec/definitions §9: a dry run checks everything and writes nothing",
    Effect.gen(function* () {
      expect(yield* outcomes(everything, true)).toEqual(Array.from(everything, () => "created"))
      expect((yield* readAll).map(({ metadata }) => metadata.name)).toEqual(["default"])
      expect(yield* issuesOf(apply([aService()], true))).toEqual([["metadata.project", "not_found"]])
    }),
  )

  test(
    "spec/definitions §8: what is read back hides secrets, and applied again changes nothing",
    Effect.gen(function* () {
      yield* apply(everything)
      const read = (yield* readAll).map((definition) => definitionToJson(definition, "tocsin"))
      const text = JSON.stringify(read)
      expect(text).not.toContain('secret"')
      expect(text).not.toContain("hooks.example.com")
      expect(read.find(({ kind }) => kind === "AlertMethod")?.spec).toEqual({
        description: "Notifies the people on call.",
        webhook: {
          url: "[hidden]",
          templateFields: ["slo_name", "alert_policy_conditions[]"],
          headers: [
            { name: "X-Team", value: "ops", isSecret: false },
            { name: "Authorization", value: "[hidden]", isSecret: true },
          ],
        },
      })
      const stored = read.filter(({ metadata }) => metadata.name !== "default")
      expect(yield* outcomes(JSON.parse(JSON.stringify(stored)))).toEqual(
        Array.from(stored, () => "unchanged"),
      )
    }),
  )

  test(
    "everything else reads back as it was written",
    Effect.gen(function* () {
      yield* apply(everything)
      const read = (yield* readAll).map((definition) => definitionToJson(definition, "tocsin"))
      for (const written of everything.filter(
        ({ kind }) => kind !== "AlertMethod" && kind !== "DataSource",
      )) {
        expect(JSON.parse(JSON.stringify(read))).toContainEqual(written)
      }
    }),
  )

  test(
    "spec/definitions §8: hidden values and an absent url keep what is stored",
    Effect.gen(function* () {
      yield* apply([aProject(), anAlertMethod()])
      const path = "spec.webhook.headers[1]"
      for (const url of ["[hidden]", undefined, ""]) {
        const kept = changed(anAlertMethod(), `${path}.value`, "[hidden]")
        const renamed = changed(kept, `${path}.name`, "authorization")
        yield* apply([changed(renamed, "spec.webhook.url", url)])
        const { definition } = yield* storedMethod()
        expect(urlOf(definition)).toBe("https://hooks.example.com/ops?key=url-secret")
        expect(headerOf(definition, 1)).toBe("Bearer header-secret")
      }
      yield* apply([changed(anAlertMethod(), `${path}.value`, "Bearer other")])
      expect(headerOf((yield* storedMethod()).definition, 1)).toBe("Bearer other")
    }),
  )

  test(
    "spec/definitions §8: on creation hidden values and an absent url are errors",
    Effect.gen(function* () {
      yield* apply([aProject()])
      const hidden = changed(anAlertMethod(), "spec.webhook.headers[1].value", "[hidden]")
      for (const url of ["[hidden]", undefined]) {
        expect(yield* issuesOf(apply([changed(hidden, "spec.webhook.url", url)]))).toEqual([
          ["spec.webhook.headers[1].value", "hidden_without_stored"],
          ["spec.webhook.url", "hidden_without_stored"],
        ])
      }
    }),
  )

  test(
    "spec/definitions §8: a stored secret cannot be kept and shown at once, nor be taken for another header's",
    Effect.gen(function* () {
      yield* apply([aProject(), anAlertMethod()])
      const hidden = changed(anAlertMethod(), "spec.webhook.headers[1].value", "[hidden]")
      for (const [property, value] of [
        ["isSecret", false],
        ["name", "X-Other"],
      ] as const) {
        expect(
          yield* issuesOf(apply([changed(hidden, `spec.webhook.headers[1].${property}`, value)])),
        ).toEqual([["spec.webhook.headers[1].value", "hidden_without_stored"]])
      }
    }),
  )

  test(
    "spec/definitions §8: a stored secret is not kept for another host, port or path, but for another query it is",
    Effect.gen(function* () {
      yield* apply([aProject(), anAlertMethod()])
      const hidden = changed(anAlertMethod(), "spec.webhook.headers[1].value", "[hidden]")
      for (const url of [
        "https://attacker.example/ops?key=url-secret",
        "https://hooks.example.com:8443/ops",
        "https://hooks.example.com/other",
        "https://hooks.example.com.attacker.example/",
        "https://attacker.example?https://hooks.example.com/",
      ]) {
        const moved = changed(hidden, "spec.webhook.url", url)
        expect(yield* issuesOf(apply([moved]))).toEqual([
          ["spec.webhook.headers[1].value", "hidden_without_stored"],
        ])
        expect(yield* issuesOf(apply([changed(moved, "spec.webhook.headers[0].value", "[hidden]")]))).toEqual(
          [["spec.webhook.headers[1].value", "hidden_without_stored"]],
        )
      }
      expect(headerOf((yield* storedMethod()).definition, 1)).toBe("Bearer header-secret")
      yield* apply([changed(hidden, "spec.webhook.url", "https://HOOKS.example.com:443/ops?key=other")])
      expect(urlOf((yield* storedMethod()).definition)).toBe("https://hooks.example.com/ops?key=other")
      expect(headerOf((yield* storedMethod()).definition, 1)).toBe("Bearer header-secret")
      const given = changed(anAlertMethod(), "spec.webhook.headers[0].value", "[hidden]")
      yield* apply([changed(given, "spec.webhook.url", "https://moved.example.com/")])
      expect(headerOf((yield* storedMethod()).definition, 0)).toBe("ops")
    }),
  )

  test(
    "spec/alert-methods §6: the limit of all headers together holds with the hidden ones",
    Effect.gen(function* () {
      const headers = (value: (at: number) => string): ReadonlyArray<Plain> =>
        Array.from({ length: 4 }, (_, at) => ({ name: `H-${at}`, value: value(at), isSecret: true }))
      const withHeaders = (list: ReadonlyArray<Plain>) =>
        changed(anAlertMethod(), "spec.webhook.headers", list)
      yield* apply([aProject(), withHeaders(headers(() => "v".repeat(4_000)))])
      const larger = headers((at) => (at === 0 ? "v".repeat(4_096) : "[hidden]"))
      yield* apply([withHeaders(larger)])
      const tooLarge = [...larger, { name: "H-4", value: "v".repeat(400), isSecret: true }]
      expect(yield* issuesOf(apply([withHeaders(tooLarge)]))).toEqual([["spec.webhook.headers", "too_long"]])
    }),
  )

  test(
    "spec/budget-adjustments §2: at most 100 adjustments select the same SLO or label, stored and in the list together",
    Effect.gen(function* () {
      yield* apply(everything)
      const adjustments = (count: number, prefix: string, spec: object = {}) =>
        Array.from({ length: count }, (_, index) => {
          const adjustment = aBudgetAdjustment(`${prefix}-${index}`)
          return { ...adjustment, spec: { ...(adjustment["spec"] as object), ...spec } }
        })
      const labelled = { slos: undefined, sloLabels: "team:a" }
      yield* apply(adjustments(60, "first"))
      expect(yield* issuesOf(apply(adjustments(40, "second")))).toEqual(
        Array.from({ length: 40 }, (_, index) => [`[${index}].spec.slos`, "too_many"]),
      )
      // One of the stored ones is this one itself.
      yield* apply([...adjustments(39, "second"), ...adjustments(1, "first")])
      yield* apply(adjustments(100, "labelled", labelled))
      expect(yield* issuesOf(apply(adjustments(101, "labelled", labelled).slice(100)))).toEqual([
        ["spec.sloLabels", "too_many"],
      ])
    }),
  )

  test(
    "spec/definitions §10: referenced objects must exist, or be in the same list in any order",
    Effect.gen(function* () {
      expect(yield* issuesOf(apply([anSlo()]))).toEqual([["metadata.project", "not_found"]])
      yield* apply([aProject()])
      expect(yield* issuesOf(apply([anSlo(), anAlertPolicy()]))).toEqual([
        ["[0].spec.service", "not_found"],
        ["[1].spec.alertMethods[0].metadata.name", "not_found"],
      ])
      expect(yield* issuesOf(apply([anAlertSilence()]))).toEqual([
        ["spec.alertPolicy.name", "not_found"],
        ["spec.slo", "not_found"],
      ])
      expect(yield* issuesOf(apply([aBudgetAdjustment()]))).toEqual([["spec.slos[0].name", "not_found"]])
      const elsewhere = changed(anAlertPolicy(), "spec.alertMethods", [
        { metadata: { name: "ops", project: "elsewhere" } },
      ])
      expect(yield* issuesOf(apply([elsewhere]))).toEqual([
        ["spec.alertMethods[0].metadata.name", "not_found"],
      ])
      const method = changed(anAlertMethod(), "metadata.project", "elsewhere")
      expect(yield* outcomes([elsewhere, method, aProject("elsewhere")])).toEqual([
        "created",
        "created",
        "created",
      ])
    }),
  )

  test(
    "spec/definitions §1: the project default always exists",
    Effect.gen(function* () {
      expect(yield* outcomes([aService("web", "default")])).toEqual(["created"])
      expect(yield* issuesOf(deleteDefinitions(organization, [aProject("default")], decodeOptions))).toEqual([
        ["metadata.name", "reserved"],
      ])
      expect(yield* outcomes([aProject("default")])).toEqual(["created"])
      expect((yield* listDefinitions(organization, { kind: "Project" })).items).toHaveLength(1)
    }),
  )

  test(
    "spec/definitions §7: the issues of all definitions are reported at once, each under its index in the list",
    Effect.gen(function* () {
      const list = [
        ...Array.from({ length: 10 }, (_, at) => aService(`s${at}`, "default")),
        changed(anSlo(), "metadata.project", "default"),
        changed(aService("web", "nowhere"), "metadata.nam", "x"),
        aService("s3", "default"),
        "nonsense",
        changed(anAlertMethod("other", "default"), "spec.webhook.url", "[hidden]"),
      ]
      expect(yield* issuesOf(apply(list))).toEqual([
        ["[10].spec.alertPolicies[0]", "not_found"],
        ["[10].spec.service", "not_found"],
        ["[11].metadata.nam", "unknown_property"],
        ["[12].metadata.name", "duplicate"],
        ["[13]", "wrong_type"],
        ["[14].spec.webhook.url", "hidden_without_stored"],
      ])
      expect((yield* readAll).map(({ metadata }) => metadata.name)).toEqual(["default"])
    }),
  )

  test(
    "a definition that has issues of its own still counts for those that name it",
    Effect.gen(function* () {
      const wrongService = changed(aService("web", "default"), "spec.descripton", "x")
      const slo = changed(changed(anSlo(), "metadata.project", "default"), "spec.alertPolicies", [])
      expect(yield* issuesOf(apply([slo, wrongService]))).toEqual([
        ["[1].spec.descripton", "unknown_property"],
      ])
    }),
  )

  test(
    "nothing, and more than 1,000 definitions, are rejected",
    Effect.gen(function* () {
      expect(yield* issuesOf(apply([]))).toEqual([["", "too_few"]])
      const many = Array.from({ length: definitionsMax }, (_, at) => aService(`s${at}`, "default"))
      expect(yield* issuesOf(apply([...many, aProject()]))).toEqual([["", "too_many"]])
      expect(yield* outcomes(many)).toHaveLength(definitionsMax)
    }),
  )
})

describe("deleting definitions", () => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, layer))

  const deleteAll = (inputs: ReadonlyArray<unknown>, dryRun = false) =>
    deleteDefinitions(organization, inputs, { ...decodeOptions, dryRun })

  test(
    "spec/definitions §11: what another object names stays, unless that one goes in the same call",
    Effect.gen(function* () {
      yield* apply(everything)
      expect(yield* issuesOf(deleteAll([aService()]))).toEqual([["metadata.name", "in_use"]])
      expect(yield* issuesOf(deleteAll([aProject(), anAlertMethod(), anAlertPolicy()]))).toEqual([
        ["[0].metadata.name", "in_use"],
        ["[2].metadata.name", "in_use"],
      ])
      yield* deleteAll(everything, true)
      expect(yield* readAll).toHaveLength(9)
      yield* deleteAll(everything)
      expect((yield* readAll).map(({ metadata }) => metadata.name)).toEqual(["default"])
      expect(yield* outcomes(everything)).toEqual(Array.from(everything, () => "created"))
    }),
  )

  test(
    "spec/alerting §16: an alert method that an escalation step names must exist, and stays",
    Effect.gen(function* () {
      const then = [{ after: "5m", alertMethods: [{ metadata: { name: "manager" } }] }]
      const policy = changed(anAlertPolicy(), "spec.then", then)
      yield* apply([aProject(), anAlertMethod()])
      expect(yield* issuesOf(apply([policy]))).toEqual([
        ["spec.then[0].alertMethods[0].metadata.name", "not_found"],
      ])
      yield* apply([anAlertMethod("manager"), policy])
      expect(yield* issuesOf(deleteAll([anAlertMethod("manager")]))).toEqual([["metadata.name", "in_use"]])
    }),
  )

  test(
    "spec/definitions §10: only what names an object counts of a definition",
    Effect.gen(function* () {
      yield* apply([aProject(), anAlertMethod()])
      yield* deleteAll([
        { apiVersion, kind: "AlertMethod", metadata: { name: "ops", project: "shop" }, spec: 1, x: 2 },
      ])
      expect(yield* issuesOf(deleteAll([{ apiVersion, kind: "AlertMethod", metadata: {} }]))).toEqual([
        ["metadata.name", "required"],
        ["metadata.project", "required"],
      ])
    }),
  )

  test(
    "spec/definitions §11: a missing object is reported, and nothing is deleted",
    Effect.gen(function* () {
      yield* apply([aProject()])
      const missing = deleteAll([aProject(), aService()])
      expect(yield* Effect.map(Effect.flip(missing), ({ _tag }) => _tag)).toBe("DefinitionsNotFound")
      expect(yield* issuesOf(missing)).toEqual([["[1].metadata.name", "not_found"]])
      expect(yield* readAll).toHaveLength(2)
    }),
  )
})

describe("listing definitions", () => {
  it.effect(
    "spec/status-api §7: the project default is in its sort position, applied or not, on every page",
    () =>
      Effect.gen(function* () {
        for (const names of [[], ["a"], ["z"], ["a", "default", "z"], ["a", "z"], ["deeper", "deep"]]) {
          const scope = names.join("+")
          if (names.length > 0) {
            yield* applyDefinitions(
              scope,
              names.map((name) => aProject(name)),
              decodeOptions,
            )
          }
          const { items } = yield* listDefinitions(scope, { kind: "Project", project: "any" })
          const expected = [...new Set([...names, "default"])].toSorted()
          expect(items.map(({ metadata }) => metadata.name)).toEqual(expected)
        }
        const many = Array.from({ length: 1_000 }, (_, at) =>
          at < 500 ? `a${at + 1_000}` : `e${at + 1_000}`,
        )
        yield* applyDefinitions(
          "many",
          many.map((name) => aProject(name)),
          decodeOptions,
        )
        const first = yield* listDefinitions("many", { kind: "Project" })
        const last = first.items.at(-1)
        const second = yield* listDefinitions("many", { kind: "Project" }, last && listPosition(last))
        expect([first.hasMore, second.hasMore]).toEqual([true, false])
        const names = [...first.items, ...second.items].map(({ metadata }) => metadata.name)
        expect(names).toEqual([...many.slice(0, 500), "default", ...many.slice(500)])
        const named = yield* listDefinitions("many", { kind: "Project", names: ["a1000"] })
        expect(named.items).toHaveLength(1)
      }).pipe(Effect.provide(layer)),
  )
})
