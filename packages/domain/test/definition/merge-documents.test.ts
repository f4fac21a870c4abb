import { type MergeConflict, mergeDocuments } from "@tocsin/domain/forms"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as fc from "fast-check"

const name = fc.constantFrom("a", "b", "c", "d", "constructor")

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom("x", "y", ""),
  fc.boolean(),
  fc.constant(null),
)

/** JSON as definitions have it: maps, lists of named items, and other lists. */
const { document } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, tie("document"), tie("items"), fc.array(scalar, { maxLength: 3 })),
  document: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  items: fc
    .uniqueArray(fc.tuple(name, tie("document")), { selector: ([each]) => each, maxLength: 4 })
    .map((items) => items.map(([each, fields]) => ({ ...(fields as object), name: each }))),
}))

/** All lists in one order: that of a list is the choice of one side. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const text = (item: unknown) => JSON.stringify(item)
    return value.map(sorted).toSorted((a, b) => text(a).localeCompare(text(b)))
  }
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b)))
}

const swapped = ({ path, base, mine, theirs }: MergeConflict): MergeConflict => ({
  path,
  base,
  mine: theirs,
  theirs: mine,
})

describe("merging two changes of a document", () => {
  it("gives a change if the other side has changed nothing, or the same", () => {
    fc.assert(
      fc.property(document, document, (base, changed) => {
        expect(mergeDocuments(base, changed, base)).toEqual({ document: changed, taken: [], conflicts: [] })
        expect(mergeDocuments(base, changed, changed)).toEqual({
          document: changed,
          taken: [],
          conflicts: [],
        })
        const { document: merged, conflicts } = mergeDocuments(base, base, changed)
        expect([merged, conflicts]).toEqual([changed, []])
      }),
    )
  })

  it("is symmetric: the same conflicts, and without any the same document", () => {
    fc.assert(
      fc.property(document, document, document, (base, one, other) => {
        const [first, second] = [mergeDocuments(base, one, other), mergeDocuments(base, other, one)]
        const byPath = (a: MergeConflict, b: MergeConflict) => (a.path < b.path ? -1 : 1)
        expect(second.conflicts.map(swapped).toSorted(byPath)).toEqual(first.conflicts.toSorted(byPath))
        // What one side chooses for itself, the other one chooses for the other side.
        const third = mergeDocuments(base, other, one, () => "theirs")
        expect(sorted(third.document)).toEqual(sorted(first.document))
      }),
    )
  })

  it("gives the chosen side of each conflict, and merges again to itself", () => {
    fc.assert(
      fc.property(
        document,
        document,
        document,
        fc.constantFrom("mine", "theirs"),
        (base, mine, theirs, side) => {
          const { document: merged } = mergeDocuments(base, mine, theirs, () => side)
          expect(mergeDocuments(base, merged, theirs, () => "mine").document).toEqual(merged)
          expect(mergeDocuments(theirs, merged, theirs).document).toEqual(merged)
        },
      ),
    )
  })

  const slo = {
    metadata: { name: "checkout", labels: { team: ["web"] } },
    spec: {
      description: "Payments",
      objectives: [
        { name: "fast", target: 0.99, value: 200 },
        { name: "good", target: 0.999 },
      ],
      alertPolicies: ["page"],
    },
  }

  it("takes properties and named items from the side that changed them", () => {
    const mine = {
      metadata: { ...slo.metadata, labels: { team: ["web"], tier: ["1"] } },
      spec: {
        ...slo.spec,
        description: "Card payments",
        objectives: [{ name: "fast", target: 0.95, value: 200 }, slo.spec.objectives[1]],
      },
    }
    const theirs = {
      metadata: { ...slo.metadata, labels: { team: ["web"], region: ["eu"] } },
      spec: {
        ...slo.spec,
        objectives: [
          { name: "new", target: 0.9 },
          { name: "fast", target: 0.99, value: 300 },
        ],
        alertPolicies: ["page", "ticket"],
      },
    }
    expect(mergeDocuments<object>(slo, mine, theirs)).toEqual({
      document: {
        metadata: { name: "checkout", labels: { team: ["web"], tier: ["1"], region: ["eu"] } },
        spec: {
          description: "Card payments",
          objectives: [
            { name: "new", target: 0.9 },
            { name: "fast", target: 0.95, value: 300 },
          ],
          alertPolicies: ["page", "ticket"],
        },
      },
      taken: [
        "metadata.labels.region",
        "spec.objectives[fast].value",
        "spec.objectives[good]",
        "spec.objectives[new]",
        "spec.alertPolicies",
      ],
      conflicts: [],
    })
  })

  it("shows a value that both changed, a list without names as a whole, and an item that one side removed", () => {
    const withSpec = (spec: object) => ({ ...slo, spec: { ...slo.spec, ...spec } })
    const mine = withSpec({
      description: "Mine",
      alertPolicies: ["page", "mine"],
      objectives: [{ name: "fast", target: 0.5, value: 200 }, slo.spec.objectives[1]],
    })
    const theirs = withSpec({
      description: undefined,
      alertPolicies: ["page", "theirs"],
      objectives: [slo.spec.objectives[1]],
    })
    const { conflicts } = mergeDocuments<object>(slo, mine, theirs)
    expect(conflicts).toEqual([
      { path: "spec.description", base: "Payments", mine: "Mine", theirs: undefined },
      {
        path: "spec.objectives[fast]",
        base: slo.spec.objectives[0],
        mine: { name: "fast", target: 0.5, value: 200 },
        theirs: undefined,
      },
      { path: "spec.alertPolicies", base: ["page"], mine: ["page", "mine"], theirs: ["page", "theirs"] },
    ])
    const chosen = mergeDocuments<object>(slo, mine, theirs, ({ path }) =>
      path === "spec.alertPolicies" ? "mine" : "theirs",
    )
    expect(chosen.document).toEqual({
      metadata: slo.metadata,
      spec: { objectives: [slo.spec.objectives[1]], alertPolicies: ["page", "mine"] },
    })
  })

  it("keeps the order of the side that reordered a list", () => {
    const items = (...names: ReadonlyArray<string>) => names.map((each) => ({ name: each }))
    const orderOf = (base: string, mine: string, theirs: string) =>
      mergeDocuments<unknown>(items(...base), items(...mine), items(...theirs)).document as ReadonlyArray<{
        readonly name: string
      }>
    const namesOf = (...sides: Parameters<typeof orderOf>) =>
      orderOf(...sides)
        .map(({ name: each }) => each)
        .join("")
    expect(namesOf("abc", "cba", "abcd")).toBe("cdba")
    expect(namesOf("abc", "axbc", "cab")).toBe("caxb")
    expect(namesOf("abc", "xabc", "abcy")).toBe("xabcy")
  })

  it("takes the other change of a list that one side has only reordered, or both", () => {
    const merged = (
      ...sides: readonly [ReadonlyArray<unknown>, ReadonlyArray<unknown>, ReadonlyArray<unknown>]
    ) => mergeDocuments<unknown>(...sides)
    const methods = (...names: ReadonlyArray<string>) => names.map((each) => ({ metadata: { name: each } }))
    expect(merged(["a", "b"], ["b", "a"], ["a", "b", "c"])).toEqual({
      document: ["a", "b", "c"],
      taken: [""],
      conflicts: [],
    })
    expect(merged(["a", "b"], ["a", "b", "c"], ["b", "a"])).toEqual({
      document: ["a", "b", "c"],
      taken: [],
      conflicts: [],
    })
    expect(merged(methods("a"), methods("b", "a"), methods("a", "b"))).toEqual({
      document: methods("b", "a"),
      taken: [],
      conflicts: [],
    })
    // One item more is a difference.
    expect(merged(["a"], ["a", "a", "b"], ["a", "b", "b"]).conflicts).toHaveLength(1)
  })

  it("takes a list with two items of a name, or an item without one, as a whole", () => {
    const twice = [{ name: "a", value: 1 }, { name: "a" }]
    expect(mergeDocuments<object>(twice, [...twice, { name: "b" }], [{ name: "c" }]).conflicts).toHaveLength(
      1,
    )
    expect(mergeDocuments<object>([{ value: 1 }], [{ value: 2 }], [{ value: 3 }]).conflicts).toEqual([
      { path: "", base: [{ value: 1 }], mine: [{ value: 2 }], theirs: [{ value: 3 }] },
    ])
  })
})

describe("documents with hidden secrets", () => {
  const stored = (webhook: object, displayName = "On call") => ({
    metadata: { displayName },
    spec: { webhook },
  })
  const base = stored({ url: "[hidden]", headers: { authorization: "[hidden]" } })

  it("do not send a secret of one side to the address of the other", () => {
    const mine = stored({ url: "[hidden]", headers: { authorization: "Bearer new" } })
    // Someone else may have replaced the address, which is as hidden as before.
    const theirs = stored({ url: "[hidden]", headers: { authorization: "[hidden]" } }, "Night shift")
    const { document, conflicts, taken } = mergeDocuments(base, mine, theirs)
    expect(conflicts.map(({ path }) => path)).toEqual(["spec.webhook"])
    expect(taken).toEqual(["metadata"])
    expect(document).toEqual(stored(mine.spec.webhook, "Night shift"))
    expect(mergeDocuments(base, mine, theirs, () => "theirs").document).toEqual(theirs)
  })

  it("are merged where the webhook was not changed by this side", () => {
    const mine = stored(base.spec.webhook, "Mine")
    const theirs = stored({ url: "[hidden]", headers: {} })
    expect(mergeDocuments(base, mine, theirs)).toEqual({
      document: stored({ url: "[hidden]", headers: {} }, "Mine"),
      taken: ["spec"],
      conflicts: [],
    })
  })
})
