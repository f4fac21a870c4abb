import type { ProjectKey } from "@tocsin/domain/kernel"
import * as fc from "fast-check"

/** Names as definitions have them, near one another, with the characters whose order is easily mistaken. */
const names: fc.Arbitrary<string> = fc.oneof(
  fc
    .constantFrom("a", "a-b", "a-", "a0", "ab", "b", "0", "00", "9", "a-0", "a--b")
    .map((name) => name.replace(/-$/, "z")),
  fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/),
)

/** Keys of objects of a project. */
export const projectKeys: fc.Arbitrary<ProjectKey> = fc.record({ project: names, name: names })

/** The order that lists of objects have: project, then name, by code point. Source: spec/status-api §7. */
export const compareProjectKeys = (a: ProjectKey, b: ProjectKey): number =>
  compare(a.project, b.project) || compare(a.name, b.name)

const compare = (a: string, b: string): number => {
  const as = Array.from(a, (character) => character.codePointAt(0) ?? 0)
  const bs = Array.from(b, (character) => character.codePointAt(0) ?? 0)
  for (const [index, point] of as.entries()) {
    const other = bs[index]
    if (other === undefined) return 1
    if (point !== other) return point - other
  }
  return as.length - bs.length
}
