import * as Result from "effect/Result"
import { type KeptDocument, keptInProjectPart, type ObjectKey, keptPart } from "@tocsin/domain"
import { uniqueKeys } from "@tocsin/domain/adapter"
import {
  compareProjectKeys,
  type DefinitionKey,
  definitionKeyText,
  labelsMatch,
  type OrganizationId,
} from "@tocsin/domain/kernel"
import {
  type ChangeRecord,
  changeRecordPart,
  DefinitionStore,
  referrersReadMax,
  type StoredDefinition,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { answersOf, type DefinitionWritten, MemoryDatabase, writtenPart } from "./MemoryDatabase.ts"

/** Definitions in memory; a change is one synchronous step, so changes never interleave. */
const make = Effect.map(MemoryDatabase, (database): DefinitionStore["Service"] => {
  const statusPages = makeStatusPages(database)
  const unsupported = makeUnsupported(database)
  const recordsOf = makeRecords(database)
  return {
    change: (organization, _reads, decide) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.suspend(() => {
          const decided = decide({
            find: (key) => database.definitions(organization, key.kind).get(key),
            referrers: (key) => database.referrers(organization, key),
            ask: (part, question) => database.ask(organization, part, question),
            count: () => database.count(organization),
          })
          if (Result.isSuccess(decided)) database.writeDefinitions(organization, decided.success, now)
          return Effect.fromResult(decided)
        }),
      ),
    find: (organization, kind, key) =>
      Effect.sync(() => Option.fromNullishOr(database.definitions(organization, kind).get(key))),
    findAll: (organization, kind, keys) =>
      Effect.sync(() => {
        const definitions = database.definitions(organization, kind)
        const found = keys.flatMap((key) => definitions.get(key) ?? [])
        return [...new Set(found)]
      }),
    referrers: (organization, kind, keys, limit = referrersReadMax) =>
      Effect.sync(() =>
        uniqueKeys(
          keys.flatMap((key) => {
            const found = database.referrers(organization, key).filter((each) => each.kind === kind)
            return found.length <= limit ? found : found.toSorted(compareProjectKeys).slice(0, limit)
          }),
        ),
      ),
    findStatusPage: (slug) => Effect.sync(() => Option.fromNullishOr(statusPages(slug))),
    records: (organization, of, { after, limit }) =>
      Effect.sync(() => {
        const isOf = (key: DefinitionKey) =>
          typeof of === "string" ? key.kind === of : definitionKeyText(key) === definitionKeyText(of)
        const found = recordsOf(organization)
          .filter(({ id, keys }) => keys.some(isOf) && (after === undefined || id < after))
          .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        return {
          items: found.slice(0, limit).map(({ id, text }) => ({ id, text })),
          hasMore: found.length > limit,
        }
      }),
    listKept: (organization, { kind, project, names }, { after, limit }) =>
      Effect.sync(() => {
        const found = [...unsupported(organization).values()]
          .filter(
            (each) =>
              (kind === undefined || each.kind === kind) &&
              (project === undefined || each.project === project) &&
              (names?.includes(each.name) ?? true) &&
              (after === undefined || placeText(each) > placeText(after)),
          )
          .toSorted((a, b) => (placeText(a) < placeText(b) ? -1 : 1))
        return { items: found.slice(0, limit), hasMore: found.length > limit }
      }),
    list: (organization, { kind, project, names, labels = {} }, page) =>
      Effect.sync(() => {
        const wanted = names === undefined ? undefined : new Set(names)
        return database
          .definitions(organization, kind)
          .page(
            { ...page, ...(project !== undefined && { project }) },
            ({ definition: { metadata } }) =>
              (wanted?.has(metadata.name) ?? true) &&
              labelsMatch("labels" in metadata ? metadata.labels : undefined, labels),
          )
      }),
  }
})

/** The documents of organizations that are stored without effect, by the texts of their keys. */
const makeUnsupported = (database: MemoryDatabase["Service"]) => {
  const organizations = new Map<OrganizationId, Map<string, KeptDocument>>()
  const documentsOf = (organization: OrganizationId) =>
    organizations.get(organization) ?? new Map<string, KeptDocument>()
  database.takePart({
    name: "kept documents",
    answers: [
      answersOf(keptPart, (organization, key) => documentsOf(organization).get(definitionKeyText(key))),
      answersOf(keptInProjectPart, (organization, project) =>
        [...documentsOf(organization).values()]
          .filter((each) => each.project === project)
          .toSorted((a, b) => (placeText(a) < placeText(b) ? -1 : 1))
          .slice(0, referrersReadMax),
      ),
    ],
    parts: [
      writtenPart(keptPart, (organization, { put, remove }) => {
        const documents = documentsOf(organization)
        organizations.set(organization, documents)
        for (const key of remove) documents.delete(definitionKeyText(key))
        for (const each of put) documents.set(definitionKeyText(each), each)
      }),
    ],
    count: (organization) => documentsOf(organization).size,
  })
  return documentsOf
}

/** The records of changes of organizations, in the order of their IDs. */
const makeRecords = (database: MemoryDatabase["Service"]) => {
  const organizations = new Map<OrganizationId, Array<ChangeRecord>>()
  database.takePart({
    name: "change records",
    parts: [
      writtenPart(changeRecordPart, (organization, record) => {
        const records = organizations.get(organization) ?? []
        organizations.set(organization, records)
        records.push(record)
      }),
    ],
  })
  return (organization: OrganizationId): ReadonlyArray<ChangeRecord> => organizations.get(organization) ?? []
}

/** Sorts by code point; names cannot contain U+0000. */
const placeText = ({ kind, project, name }: ObjectKey): string => `${kind}\u0000${project}\u0000${name}`

interface PublishedPage {
  readonly organization: string
  readonly project: string
}

/** The projects that have a status page of a slug, longest first. */
const makeStatusPages = (database: MemoryDatabase["Service"]) => {
  const bySlug = new Map<string, ReadonlyArray<PublishedPage>>()
  const slugOf = (stored: StoredDefinition | undefined): string | undefined =>
    stored?.definition.kind === "Project" ? stored.definition.spec.statusPage?.slug : undefined
  const follow = ({ organization, key: { name: project }, before, after }: DefinitionWritten): void => {
    const [from, to] = [slugOf(before), slugOf(after)]
    if (from === to) return
    if (from !== undefined) {
      const others = (bySlug.get(from) ?? []).filter(
        (page) => page.organization !== organization || page.project !== project,
      )
      if (others.length === 0) bySlug.delete(from)
      else bySlug.set(from, others)
    }
    if (to !== undefined) bySlug.set(to, [...(bySlug.get(to) ?? []), { organization, project }])
  }
  database.takePart({ name: "status pages", written: follow })
  return (slug: string): PublishedPage | undefined => bySlug.get(slug)?.[0]
}

export const layer: Layer.Layer<DefinitionStore, never, MemoryDatabase> = Layer.effect(DefinitionStore, make)
