import { describe, expect, it } from "./EffectTest.ts"
import { partChange, type KeptChange, keptInProjectPart, type ObjectKey, keptPart } from "@tocsin/domain"
import { type Definition, definitionKey, definitionsAreEqual, type Service } from "@tocsin/domain/adapter"
import type { DefinitionKey, Kind, Labels, ProjectKey } from "@tocsin/domain/kernel"
import type { PageRequest } from "@tocsin/domain/pagination"
import { changeRecordPart, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { aMethod } from "./deliveries.ts"
import { pagingLaws } from "./paging-laws.ts"
import { compareProjectKeys, projectKeys } from "./project-keys.ts"

const organization = "acme"
const key = { project: "shop", name: "web" }
const projectKey: DefinitionKey = { kind: "Project", project: "", name: "shop" }
const serviceKey: DefinitionKey = { kind: "Service", ...key }

const aService = ({ project, name }: ProjectKey, description = "", labels: Labels = {}): Service => ({
  kind: "Service",
  metadata: { name, project, ...(Object.keys(labels).length > 0 && { labels }) },
  spec: { description },
})

const put = (definition: Definition, references: ReadonlyArray<DefinitionKey> = [], scope = organization) =>
  Effect.flatMap(DefinitionStore, (store) =>
    store.change(scope, [definitionKey(definition)], () =>
      Result.succeed({ put: [{ definition, references }], remove: [] }),
    ),
  )

const remove = (removed: DefinitionKey, scope = organization) =>
  Effect.flatMap(DefinitionStore, (store) =>
    store.change(scope, [removed], () => Result.succeed({ put: [], remove: [removed] })),
  )

const found = (at: ProjectKey, scope = organization) =>
  Effect.flatMap(DefinitionStore, (store) =>
    Effect.map(store.find(scope, "Service", at), Option.getOrUndefined),
  )

const referrersOf = (of: DefinitionKey) =>
  Effect.flatMap(DefinitionStore, (store) =>
    Effect.map(
      store.change(organization, [of], ({ referrers }) =>
        Result.succeed({ put: [], remove: [], referrers: referrers(of) }),
      ),
      ({ referrers }) => referrers.map(({ name }) => name).toSorted(),
    ),
  )

/** What every `DefinitionStore` does; `layer` gives an empty one. */
export const definitionStoreContract = <E>(name: string, layer: Layer.Layer<DefinitionStore, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, DefinitionStore>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  test(
    "spec/status-pages §1: finds the project that has published a slug for longest, until it no longer does",
    Effect.gen(function* () {
      const store = yield* DefinitionStore
      const slug = `s-${crypto.randomUUID()}`
      const page = (project: string, of: string | undefined): Definition => ({
        kind: "Project",
        metadata: { name: project },
        spec: of === undefined ? {} : { statusPage: { slug: of } },
      })
      const owner = Effect.map(store.findStatusPage(slug), Option.getOrUndefined)
      expect(yield* owner).toBeUndefined()
      yield* put(page("shop", slug), [], "beta")
      yield* TestClock.adjust("1 second")
      yield* put(page("web", slug), [], "alpha")
      expect(yield* owner).toEqual({ organization: "beta", project: "shop" })
      // A change of something else keeps its place.
      yield* TestClock.adjust("1 second")
      yield* put(
        { ...page("shop", slug), metadata: { name: "shop", displayName: "Shop" } } as Definition,
        [],
        "beta",
      )
      expect(yield* owner).toEqual({ organization: "beta", project: "shop" })
      yield* put(page("shop", undefined), [], "beta")
      expect(yield* owner).toEqual({ organization: "alpha", project: "web" })
      yield* put(page("web", `${slug}-2`), [], "alpha")
      expect(yield* owner).toBeUndefined()
      yield* put(page("web", slug), [], "alpha")
      yield* remove({ kind: "Project", project: "", name: "web" }, "alpha")
      expect(yield* owner).toBeUndefined()
      expect(yield* store.findStatusPage("odd\u0000\ud800")).toEqual(Option.none())
    }),
  )

  describe(`DefinitionStore ${name}`, () => {
    test(
      "a change can read how many definitions of all kinds the organization has",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        const count = (scope = organization) =>
          Effect.map(
            store.change(scope, [], (read) => Result.succeed({ put: [], remove: [], count: read.count() })),
            (change) => change.count,
          )
        expect(yield* count()).toBe(0)
        yield* put(aService(key))
        yield* put(aService({ project: "shop", name: "other" }))
        yield* put(aService(key), [], "globex")
        expect([yield* count(), yield* count("globex")]).toEqual([2, 1])
        yield* remove(serviceKey)
        expect([yield* count(), yield* count("globex")]).toEqual([1, 1])
      }),
    )

    test(
      "finds those of many keys that exist, each once, of one kind and organization",
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* put(aService(key))
        yield* put(aService(other))
        yield* put(aService({ project: "ops", name: "web" }), [], "globex")
        const findAll = (keys: ReadonlyArray<ProjectKey>) =>
          Effect.flatMap(DefinitionStore, (store) =>
            Effect.map(store.findAll(organization, "Service", keys), (all) =>
              all.map(({ definition }) => definition.metadata.name).toSorted(),
            ),
          )
        const unknown = [
          { project: "shop", name: "wob" },
          { project: "ops", name: "web" },
          { project: "", name: "\u0000" },
        ]
        expect(yield* findAll([key, ...unknown, other, key])).toEqual(["other", "web"])
        expect(yield* findAll(unknown)).toEqual([])
        expect(yield* findAll([])).toEqual([])
        const [stored] = yield* Effect.flatMap(DefinitionStore, (store) =>
          store.findAll(organization, "Service", [key]),
        )
        expect(stored).toEqual(yield* found(key))
      }),
    )

    test(
      "gives back what was put, with the time of its creation and of its last change, and a new version each time",
      Effect.gen(function* () {
        expect(yield* found(key)).toBeUndefined()
        yield* TestClock.setTime(1_000)
        yield* put(aService(key, "first"))
        const first = yield* found(key)
        expect(first).toMatchObject({
          definition: aService(key, "first"),
          createdAt: 1_000,
          updatedAt: 1_000,
        })
        yield* TestClock.setTime(2_000)
        yield* put(aService(key, "second"))
        const second = yield* found(key)
        expect(second).toMatchObject({
          definition: aService(key, "second"),
          createdAt: 1_000,
          updatedAt: 2_000,
        })
        // The number of the change among those of the organization.
        expect(Number(second?.version) - Number(first?.version)).toBe(1)
        yield* remove(serviceKey)
        expect(yield* found(key)).toBeUndefined()
        yield* TestClock.setTime(3_000)
        yield* put(aService(key, "first"))
        expect(yield* found(key)).toMatchObject({ createdAt: 3_000 })
      }),
    )

    test(
      "keeps kinds, projects and organizations apart",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        yield* put(aService(key, "here"))
        yield* put(aService(key, "there"), [], "other")
        yield* put(aService({ ...key, project: "default" }, "elsewhere"))
        expect((yield* found(key))?.definition.spec.description).toBe("here")
        expect((yield* found(key, "other"))?.definition.spec.description).toBe("there")
        expect(yield* store.find(organization, "SLO", key)).toEqual(Option.none())
        yield* remove(serviceKey, "other")
        expect(yield* found(key)).toBeDefined()
      }),
    )

    test(
      "passes what is stored to a change, and returns its decision",
      Effect.gen(function* () {
        yield* put(aService(key, "stored"))
        const store = yield* DefinitionStore
        const outcome = yield* store.change(organization, [serviceKey, projectKey], ({ find }) =>
          Result.succeed({ put: [], remove: [], seen: [find(serviceKey)?.definition, find(projectKey)] }),
        )
        expect(outcome.seen).toEqual([aService(key, "stored"), undefined])
      }),
    )

    test(
      "writes nothing when the decision rejects",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        yield* put(aService(key, "stored"))
        const before = yield* found(key)
        const refused = yield* Effect.result(
          store.change(organization, [serviceKey], () => Result.fail("refused" as const)),
        )
        expect(refused).toEqual(Result.fail("refused"))
        expect(yield* found(key)).toEqual(before)
      }),
    )

    test(
      "gives an alert method back with its secrets",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        const method = aMethod(key, {
          url: "https://hooks.example.com/s3cr3t",
          headers: [
            { name: "X-Team", value: Redacted.make("payments"), isSecret: false },
            { name: "Authorization", value: Redacted.make("Bearer s3cr3t"), isSecret: true },
          ],
        })
        yield* put(method)
        const stored = Option.getOrThrow(yield* store.find(organization, "AlertMethod", key))
        expect(definitionsAreEqual(stored.definition, method)).toBe(true)
        const { items } = yield* store.list(organization, { kind: "AlertMethod" }, { limit: 1 })
        expect(items.map(({ definition }) => definitionsAreEqual(definition, method))).toEqual([true])
      }),
    )

    test(
      "keeps every character that a definition can have, and finds nothing under a name that cannot be one",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        const odd = "\u0001 \ufffd \u{1f514} \" \\ ' {}"
        yield* put(aService(key, odd, { team: [odd] }))
        expect((yield* found(key))?.definition).toEqual(aService(key, odd, { team: [odd] }))
        const list = (query: { names?: ReadonlyArray<string>; labels?: Labels; project?: string }) =>
          Effect.map(store.list(organization, { kind: "Service", ...query }, { limit: 1 }), ({ items }) =>
            items.map(({ definition }) => definition.metadata.name),
          )
        expect(yield* list({ labels: { team: [odd] } })).toEqual(["web"])
        expect(yield* list({ labels: { team: ["\u0000"] } })).toEqual([])
        expect(yield* list({ names: ["web\u0000"] })).toEqual([])
        expect(yield* list({ project: "\u0000" })).toEqual([])
        expect(yield* found({ ...key, name: "web\u0000" })).toBeUndefined()
        expect(yield* found({ ...key, project: "\ud800" })).toBeUndefined()
      }),
    )

    test(
      "knows who names a definition, as long as they do",
      Effect.gen(function* () {
        const other = { ...key, name: "api" }
        yield* put(aService(key), [projectKey])
        yield* put(aService(other), [projectKey])
        yield* put(aService(key), [projectKey], "other")
        expect(yield* referrersOf(projectKey)).toEqual(["api", "web"])
        yield* put(aService(key), [])
        expect(yield* referrersOf(projectKey)).toEqual(["api"])
        yield* remove({ kind: "Service", ...other })
        expect(yield* referrersOf(projectKey)).toEqual([])
        expect(yield* referrersOf(serviceKey)).toEqual([])
      }),
    )

    test(
      "keeps records of changes by kind and by definition, newest first",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        const write = (id: string, keys: ReadonlyArray<DefinitionKey>, scope = organization) =>
          store.change(scope, [], () =>
            Result.succeed({
              put: [{ definition: aService(key), references: [] }],
              remove: [],
              parts: [partChange(changeRecordPart, { id, text: `{"id":"${id}"}`, keys })],
            }),
          )
        const policy = { ...serviceKey, kind: "AlertPolicy" as const }
        yield* write("a", [serviceKey])
        yield* write("b", [serviceKey, { ...serviceKey, name: "other" }, policy])
        yield* write("c", [{ ...serviceKey, name: "other" }])
        yield* write("d", [serviceKey], "other")
        const ids = (of: Parameters<typeof store.records>[1], after?: string, limit = 9) =>
          Effect.map(
            store.records(organization, of, { limit, ...(after !== undefined && { after }) }),
            ({ items, hasMore }) => [items.map(({ id }) => id).join(), hasMore],
          )
        expect(yield* ids("Service")).toEqual(["c,b,a", false])
        expect(yield* ids(serviceKey)).toEqual(["b,a", false])
        expect(yield* ids(serviceKey, undefined, 1)).toEqual(["b", true])
        expect(yield* ids("Service", "b")).toEqual(["a", false])
        expect(yield* ids(policy)).toEqual(["b", false])
        expect(yield* ids("SLO")).toEqual(["", false])
        yield* remove(serviceKey)
        expect((yield* store.records(organization, serviceKey, { limit: 1 })).items).toEqual([
          { id: "b", text: '{"id":"b"}' },
        ])
      }),
    )

    test(
      "finds the definitions of a kind that refer to any of some keys, each once",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        yield* put(aService(key), [projectKey, serviceKey])
        yield* put(aService({ ...key, name: "z" }), [serviceKey])
        yield* put(aService(key), [projectKey], "other")
        const referrers = (kind: Kind, ...keys: ReadonlyArray<DefinitionKey>) =>
          Effect.map(store.referrers(organization, kind, keys), (found) =>
            found.map(({ name }) => name).toSorted(),
          )
        expect(yield* referrers("Service", projectKey, serviceKey)).toEqual([key.name, "z"].toSorted())
        expect(yield* referrers("SLO", projectKey, serviceKey)).toEqual([])
        expect(yield* referrers("Service")).toEqual([])
        yield* put(aService({ ...key, project: "a", name: "z" }), [serviceKey])
        const first = yield* store.referrers(organization, "Service", [projectKey, serviceKey], 1)
        expect(first.map(({ project, name }) => ({ project, name })).toSorted(compareProjectKeys)).toEqual(
          [key, { project: "a", name: "z" }]
            .map(({ project, name }) => ({ project, name }))
            .toSorted(compareProjectKeys),
        )
      }),
    )

    test(
      "never lets two changes of one organization interleave",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        yield* put(aService(key, "0"))
        const increase = store.change(organization, [serviceKey], ({ find }) => {
          const count = Number((find(serviceKey)?.definition as Service | undefined)?.spec.description)
          return Result.succeed({
            put: [{ definition: aService(key, `${count + 1}`), references: [] }],
            remove: [],
          })
        })
        yield* Effect.all(
          Array.from({ length: 20 }, () => increase),
          { concurrency: "unbounded" },
        )
        expect((yield* found(key))?.definition.spec.description).toBe("20")
      }),
    )

    test(
      "spec/definitions §12: lists the definitions of a kind, of one project or all, by name and by label",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        yield* put(aService({ project: "b", name: "x" }, "", { team: ["red", "blue"], env: ["prod"] }))
        yield* put(aService({ project: "a", name: "y" }, "", { team: ["blue"], tier: [] }))
        yield* put(aService({ project: "a", name: "x" }))
        yield* put(aService({ project: "a-b", name: "x" }))
        const list = (query: { project?: string; names?: ReadonlyArray<string>; labels?: Labels }) =>
          Effect.map(store.list(organization, { kind: "Service", ...query }, { limit: 10 }), ({ items }) =>
            items.map(({ definition: { metadata } }) => `${metadata.project}/${metadata.name}`),
          )
        expect(yield* list({})).toEqual(["a/x", "a/y", "a-b/x", "b/x"])
        expect(yield* list({ project: "a" })).toEqual(["a/x", "a/y"])
        expect(yield* list({ project: "c" })).toEqual([])
        expect(yield* list({ names: ["x", "z", "x"] })).toEqual(["a/x", "a-b/x", "b/x"])
        expect(yield* list({ project: "a", names: ["y"] })).toEqual(["a/y"])
        expect(yield* list({ names: [] })).toEqual([])
        expect(yield* list({ labels: { team: ["blue", "green"] } })).toEqual(["a/y", "b/x"])
        expect(yield* list({ labels: { team: ["blue"], env: ["prod"] } })).toEqual(["b/x"])
        expect(yield* list({ labels: { tier: [] } })).toEqual(["a/y"])
        expect(yield* list({ labels: { constructor: [] } })).toEqual([])
        const filtered = { kind: "Service", names: ["x"] } as const
        const page = yield* store.list(organization, filtered, {
          limit: 1,
          after: { project: "a", name: "x" },
        })
        expect(page.items.map(({ definition }) => definition.metadata.project)).toEqual(["a-b"])
        expect(page.hasMore).toBe(true)
      }),
    )

    test(
      "spec/clients §12: keeps documents without effect, of one organization each, with the change that writes them",
      Effect.gen(function* () {
        const store = yield* DefinitionStore
        const aDocument = (kind: string, project: string, name: string, text = "{}") => ({
          kind,
          project,
          name,
          text,
        })
        const write = (unsupported: KeptChange, scope = organization) =>
          store.change(scope, [], () =>
            Result.succeed({ put: [], remove: [], parts: [partChange(keptPart, unsupported)] }),
          )
        const list = (query = {}, scope = organization, page: PageRequest<ObjectKey> = { limit: 10 }) =>
          store.listKept(scope, query, page)
        const read = (key: ObjectKey) =>
          Effect.map(
            store.change(organization, [], ({ ask, count }) =>
              Result.succeed({
                put: [],
                remove: [],
                found: [ask(keptPart, key), ask(keptInProjectPart, key.project).length, count()],
              }),
            ),
            (change) => change.found,
          )
        const slack = aDocument("AlertMethod", "shop", "chat", '{"a":"\\u0000Ü"}')
        const [other, binding] = [aDocument("AlertMethod", "b", "chat"), aDocument("RoleBinding", "", "ana")]
        yield* write({ put: [binding, slack, other], remove: [] })
        yield* write({ put: [aDocument("UserGroup", "", "foreign")], remove: [] }, "rival")
        expect(yield* list()).toEqual({ items: [other, slack, binding], hasMore: false })
        expect(yield* list({}, organization, { limit: 1, after: other })).toEqual({
          items: [slack],
          hasMore: true,
        })
        expect((yield* list({ kind: "AlertMethod", project: "shop", names: ["chat", "x"] })).items).toEqual([
          slack,
        ])
        expect((yield* list({ names: ["a\u0000"] })).items).toEqual([])
        expect(yield* read(slack)).toEqual([slack, 1, 3])
        expect(yield* read({ ...slack, project: "none" })).toEqual([undefined, 0, 3])
        const replaced = { ...slack, text: "[]" }
        yield* write({ put: [replaced], remove: [binding, aDocument("X", "", "absent")] })
        expect((yield* list()).items).toEqual([other, replaced])
        // A failed change writes nothing.
        const failed = store.change(organization, [], () => Result.fail("no"))
        expect(yield* Effect.flip(failed)).toBe("no")
        expect((yield* list({}, "rival")).items.length).toBe(1)
      }),
    )

    pagingLaws(`services in DefinitionStore ${name}`, {
      layer,
      key: projectKeys,
      compare: compareProjectKeys,
      add: (scope, at) => put(aService(at), [], scope),
      remove: (scope, at) => remove({ kind: "Service", ...at }, scope),
      page: (scope, request) =>
        Effect.flatMap(DefinitionStore, (store) =>
          Effect.map(store.list(scope, { kind: "Service" }, request), ({ items, hasMore }) => ({
            items: items.map(({ definition: { metadata } }) => ({
              project: metadata.project,
              name: metadata.name,
            })),
            hasMore,
          })),
        ),
    })
  })
}
