import { deletedRevisionsDays, type HistoryChange, type Revision, revisionsMax } from "@tocsin/domain/adapter"
import { dayMs } from "@tocsin/domain/codec"
import { type DefinitionKey, definitionKeyText, type OrganizationId } from "@tocsin/domain/kernel"
import {
  DefinitionHistory,
  latestRevisionPart,
  type DeletedDefinition,
  type DeletedPlace,
  type SloMove,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { answersOf, MemoryDatabase } from "./MemoryDatabase.ts"

interface KeptRevision {
  readonly key: DefinitionKey
  readonly revision: Revision
  readonly text: string
  readonly bytes: number
}

/** The history of definitions in memory, lost when the process ends. */
const make: Effect.Effect<DefinitionHistory["Service"], never, MemoryDatabase> = Effect.map(
  MemoryDatabase,
  (database) => {
    const histories = new Map<OrganizationId, History>()
    const revisionsOf = (organization: OrganizationId, key: DefinitionKey) =>
      histories.get(organization)?.of(key) ?? []
    database.takePart({
      name: "history",
      answers: [
        answersOf(
          latestRevisionPart,
          (organization, key) => revisionsOf(organization, key).at(-1)?.revision.number,
        ),
      ],
      before: (organization, { moves = [], history }, now, version) => {
        const of = histories.get(organization) ?? new History()
        histories.set(organization, of)
        of.move(moves)
        if (history !== undefined) of.add(history, version, now)
      },
    })

    return DefinitionHistory.of({
      list: (organization, of, { after = Infinity, limit }) =>
        Effect.sync(() => {
          const found = revisionsOf(organization, of)
            .map(({ revision }) => revision)
            .filter((revision) => revision.number < after)
            .toReversed()
          return { items: found.slice(0, limit), hasMore: found.length > limit }
        }),
      find: (organization, of, number) =>
        Effect.sync(() => {
          const revisions = revisionsOf(organization, of)
          const at = revisions.findIndex(({ revision }) => revision.number === number)
          const [found, former] = [revisions[at], revisions[at - 1]]
          if (found === undefined) return Option.none()
          const { revision, text } = found
          // What was before a creation was deleted before.
          const hasPrevious = former !== undefined && revision.outcome !== "created"
          return Option.some({ revision, text, ...(hasPrevious && { previous: former.text }) })
        }),
      creators: (organization, keys) =>
        Effect.sync(() => {
          const creators = new Map<string, string>()
          for (const key of keys) {
            const created = revisionsOf(organization, key).findLast(
              ({ revision }) => revision.outcome === "created",
            )
            const author = created?.revision.author
            if (author !== undefined) creators.set(definitionKeyText(key), author)
          }
          return creators
        }),
      listDeleted: (organization, { kind, project }, { after, limit }) =>
        Effect.sync(() => {
          const found = [...(histories.get(organization)?.latest() ?? [])]
            .filter(
              ({ key, revision }) =>
                revision.outcome === "deleted" &&
                (kind === undefined || key.kind === kind) &&
                (project === undefined || key.project === project),
            )
            .toSorted((a, b) => comparePlaces(placeOf(b), placeOf(a)))
            .filter((each) => after === undefined || comparePlaces(placeOf(each), after) < 0)
          const items = found.slice(0, limit).map(({ key, revision }) => ({ key, revision }))
          return { items, hasMore: found.length > limit }
        }),
    })
  },
)

/** The revisions of one organization. */
class History {
  /** In the order in which they were added. */
  readonly #all = new Set<KeptRevision>()
  readonly #byKey = new Map<string, Array<KeptRevision>>()
  /** Deletions, in the order in which they were added. */
  readonly #deletions = new Set<KeptRevision>()
  #bytes = 0

  of(key: DefinitionKey): ReadonlyArray<KeptRevision> {
    return this.#byKey.get(definitionKeyText(key)) ?? []
  }

  *latest(): Iterable<KeptRevision> {
    for (const revisions of this.#byKey.values()) yield* revisions.slice(-1)
  }

  move(moves: ReadonlyArray<SloMove>): void {
    for (const { name, from, to } of moves) {
      for (const replaced of this.of({ kind: "SLO", project: to, name })) this.#drop(replaced)
      const moved = this.of({ kind: "SLO", project: from, name })
      this.#byKey.delete(definitionKeyText({ kind: "SLO", project: from, name }))
      const key: DefinitionKey = { kind: "SLO", project: to, name }
      const renamed = new Map(moved.map((each) => [each, { ...each, key }]))
      if (moved.length > 0) this.#byKey.set(definitionKeyText(key), [...renamed.values()])
      replaceAll(this.#all, renamed)
      replaceAll(this.#deletions, renamed)
    }
  }

  add({ author, revisions, maxBytes }: HistoryChange, number: number, now: number): void {
    for (const { key, text, bytes, ...change } of revisions()) {
      const revision: Revision = { number, at: now, ...change, ...(author !== undefined && { author }) }
      const kept = { key, revision, text, bytes }
      this.#all.add(kept)
      if (revision.outcome === "deleted") this.#deletions.add(kept)
      this.#bytes += bytes
      const others = this.of(key)
      this.#byKey.set(definitionKeyText(key), [...others, kept])
      const [oldest] = others
      if (others.length >= revisionsMax && oldest !== undefined) this.#drop(oldest)
    }
    for (const deletion of this.#deletions) {
      if (deletion.revision.at >= now - deletedRevisionsDays * dayMs) break
      for (const each of this.of(deletion.key))
        if (each.revision.number <= deletion.revision.number) this.#drop(each)
    }
    while (this.#bytes > maxBytes) {
      const [oldest] = this.#all
      if (oldest === undefined) break
      // The whole change.
      for (const each of this.#all) {
        if (each.revision.number !== oldest.revision.number) break
        this.#drop(each)
      }
    }
  }

  #drop(dropped: KeptRevision): void {
    this.#all.delete(dropped)
    this.#deletions.delete(dropped)
    this.#bytes -= dropped.bytes
    const text = definitionKeyText(dropped.key)
    const others = this.of(dropped.key).filter((each) => each !== dropped)
    if (others.length === 0) this.#byKey.delete(text)
    else this.#byKey.set(text, others)
  }
}

/** Replaces members of a set in their places. */
const replaceAll = <A>(set: Set<A>, replacements: ReadonlyMap<A, A>): void => {
  if (![...replacements.keys()].some((each) => set.has(each))) return
  const replaced = Array.from(set, (each) => replacements.get(each) ?? each)
  set.clear()
  for (const each of replaced) set.add(each)
}

const placeOf = ({ key, revision }: DeletedDefinition): DeletedPlace => ({ ...key, number: revision.number })

const comparePlaces = (a: DeletedPlace, b: DeletedPlace): number => {
  if (a.number !== b.number) return a.number - b.number
  const [one, other] = [placeText(a), placeText(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

/** Sorts by code point; names cannot contain U+0000. */
const placeText = ({ kind, project, name }: DeletedPlace): string => `${kind}\u0000${project}\u0000${name}`

export const layer: Layer.Layer<DefinitionHistory, never, MemoryDatabase> = Layer.effect(
  DefinitionHistory,
  make,
)
